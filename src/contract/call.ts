import type { z } from 'zod';
import type { FieldNeeds, Role } from '#domain/account/role.ts';
import type { ErrorCode } from './errors.ts';

export const API_BASE = '/api/v1';

/**
 * One call of the API, described once for the server's route and the web client. `path` is below API_BASE, with `:name`
 * for a path parameter. `auth: 'none'` opens a call to visitors, 'signature' to a service that signs its requests. All
 * others need a bearer token.
 */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: `/${string}`;
  readonly auth?: 'none' | 'signature';
  /** Whether a visitor's call is counted apart from others: a page makes it as it opens. */
  readonly isCountedApart?: true;
  /** The role that a member needs; absent: viewer for GET, otherwise sales (neededRole). */
  readonly needs?: Role;
  /** Whether a member may make the call who must set up a second step first (`two_factor_required`). */
  readonly beforeTwoFactor?: true;
  /** Whether a member may make the call from a network that the account does not permit (`login_networks`). */
  readonly fromAnywhere?: true;
  /** Fields of the body that need a higher role than the call. */
  readonly fieldNeeds?: FieldNeeds;
  /** Who makes the call; absent: only our own screens. The reference lists integrators' calls. */
  readonly audience?: 'integrator';
  readonly summary: string;
  /** The rules that an integrator needs, for the reference page (Markdown). */
  readonly description?: string;
  /** The call's own refusals besides the common ones, with a text if its case is narrower than the list's. */
  readonly errors?: readonly (ErrorCode | readonly [code: ErrorCode, when: string])[];
  readonly params?: z.ZodType;
  readonly query?: z.ZodType;
  /** The request headers that the call reads, in lower case. Others are ignored. */
  readonly headers?: z.ZodType;
  readonly body?: z.ZodType;
  /** Whether a body may have MAX_LARGE_BODY_BYTES instead of MAX_BODY_BYTES. */
  readonly largeBody?: true;
  /** The most bytes of a body that is a part of a file, sent as application/octet-stream; absent: the body is JSON. */
  readonly maxRawBytes?: number;
  /** The statement timeout of the call in seconds, if it may take longer than others by design. */
  readonly statementSeconds?: number;
  readonly response: z.ZodType;
  /** Whether the answer holds a secret, such as a token. Such an answer is never compressed. */
  readonly isSecret?: true;
  /** Whether the answer is one page of a list. `X-Total-Count` and `Link: rel="next"` then describe the rest. */
  readonly isList?: true;
  /** Whether the answer is a stream (server-sent events); `response` then describes the data of one event. */
  readonly isStream?: true;
  /** Whether the answer is a file to save; `response` then describes its bytes. */
  readonly isFile?: true;
}

/** Returns the description, with its literal types. */
export const call = <const C extends Call>(description: C): C => description;

type Sent<S> = S extends z.ZodType ? z.input<S> : undefined;

/** The input of a call in the client: `params`, `query` and `body` as the schemas accept them. */
export type CallInput<C extends Call> = (C extends { params: infer P } ? { params: Sent<P> } : unknown) &
  (C extends { query: infer Q } ? { query: Sent<Q> } : unknown) &
  (C extends { body: infer B } ? { body: Sent<B> } : unknown);

export type CallAnswer<C extends Call> = z.output<C['response']>;
