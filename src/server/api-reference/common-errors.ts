import type { Call } from '#contract/call.ts';
import { ERRORS, type ErrorCode } from '#contract/errors.ts';
import { idempotencyHeaders } from '#contract/wire.ts';
import { neededRole } from '#domain/account/role.ts';

export interface ErrorCase {
  readonly code: ErrorCode;
  readonly status: number;
  readonly when: string;
}

/** Returns whether the server reads a body of this call: for every method but GET, even if none is expected. */
const mayHaveBody = ({ method }: Call) => method !== 'GET';

/** The refusals common to many calls, with the condition on a call. */
const COMMON_ERRORS: { readonly [Code in ErrorCode]?: (call: Call) => boolean } = {
  invalid_input: (call) =>
    mayHaveBody(call) || [call.params, call.query, call.headers].some((part) => part !== undefined),
  invalid_json: mayHaveBody,
  bad_request: () => true,
  unauthorized: ({ auth }) => auth === undefined,
  // Every member may read.
  not_allowed: ({ auth, method, needs, fieldNeeds }) =>
    auth === undefined && (neededRole(method, needs) !== 'viewer' || fieldNeeds !== undefined),
  network_not_allowed: ({ auth, fromAnywhere }) => auth === undefined && fromAnywhere !== true,
  two_factor_setup: ({ auth, beforeTwoFactor }) => auth === undefined && beforeTwoFactor !== true,
  not_found: ({ params }) => params !== undefined,
  request_timeout: mayHaveBody,
  idempotency_key_reused: ({ headers }) => headers === idempotencyHeaders,
  part_running: ({ maxRawBytes }) => maxRawBytes !== undefined,
  too_large: mayHaveBody,
  uri_too_long: ({ query }) => query !== undefined,
  unsupported_media_type: mayHaveBody,
  misdirected_request: () => true,
  too_many_requests: () => true,
  too_many_at_once: ({ auth }) => auth === undefined,
  headers_too_long: () => true,
  internal_error: () => true,
  busy: () => true,
  too_slow: () => true,
  account_frozen: () => true,
  new_version: () => true,
  database_unavailable: () => true,
  storage_full: () => true,
};

/**
 * Returns all refusals of a call, sorted by status. The call's own come before the common ones, and replace those with
 * the same code.
 */
export function errorsOf(call: Call): ErrorCase[] {
  const own = (call.errors ?? []).map((one) => (typeof one === 'string' ? caseOf(one) : caseOf(...one)));
  const common = Object.entries(COMMON_ERRORS).flatMap(([code, meets]) => (meets(call) ? [code as ErrorCode] : []));
  const others = common.filter((code) => !own.some((one) => one.code === code)).map((code) => caseOf(code));
  return [...own, ...others].sort((one, other) => one.status - other.status);
}

const caseOf = (code: ErrorCode, when: string = ERRORS[code][1]): ErrorCase => ({
  code,
  status: ERRORS[code][0],
  when,
});

/** Returns whether many calls have the refusal, with the text of the list. */
export const isCommon = ({ code, when }: { readonly code: string; readonly when: string }): boolean =>
  code in COMMON_ERRORS && ERRORS[code as ErrorCode][1] === when;
