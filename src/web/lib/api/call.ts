import type { CallAnswer, CallInput } from '#contract/call.ts';
import { CALLS, type Calls } from '#contract/calls.ts';
import type { ErrorAnswer } from '#contract/wire.ts';
import { asMessage } from '../phrases.ts';
import { expire, useSession } from '../session/session-store.ts';
import { COMMON_MESSAGES } from '../words.ts';
import { takeAnswerAhead } from './calls-ahead.ts';
import { noteRefusal } from './refusals.ts';
import { noteServerTime } from './server-clock.ts';

/** A value in a query of the contract. */
type QueryValue = string | number | boolean | null | undefined | readonly QueryValue[] | { [key: string]: QueryValue };

export type CallName = keyof Calls;

/** The path's parameters, the query and the body of a call. */
export type InputOf<Name extends CallName> = CallInput<Calls[Name]>;

export type AnswerOf<Name extends CallName> = CallAnswer<Calls[Name]>;

type NameOf<Kind> = { [Name in CallName]: Calls[Name] extends Kind ? Name : never }[CallName];

export type StreamName = NameOf<{ readonly isStream: true }>;

export type FileName = NameOf<{ readonly isFile: true }>;

export interface ApiFailure extends ErrorAnswer {
  readonly ok: false;
  readonly status: number;
}

interface ApiSuccess<T> {
  readonly ok: true;
  readonly data: T;
  /** Of a list that is read by `limit` and `offset`: the number of rows on all its pages. */
  readonly total?: number;
}

export type ApiResult<T> = ApiSuccess<T> | ApiFailure;

interface AnyInput {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, QueryValue>>;
  readonly body?: unknown;
}

// Typed by the contract's constant: the client imports types of the contract alone.
const BASE: typeof import('#contract/call.ts').API_BASE = '/api/v1';

const fillPath = (path: string, params: AnyInput['params'] = {}): string =>
  path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name] ?? '')));

/** Returns the path of a call below the API's base, with its query. */
export function pathOf<Name extends CallName>(name: Name, input: InputOf<Name>): string {
  const { params, query } = input as AnyInput;
  return fillPath(CALLS[name][1], params) + queryString(query ?? {});
}

function readFailure(status: number, answer: unknown): ApiFailure {
  const { message, code, details } = (answer ?? {}) as Partial<ErrorAnswer>;
  noteRefusal(String(code));
  return {
    ok: false,
    status,
    message: typeof message === 'string' && message !== '' ? asMessage(message) : COMMON_MESSAGES.errors.unexpected,
    code: typeof code === 'string' ? code : 'unexpected',
    ...(Array.isArray(details)
      ? { details: details.map((detail) => ({ ...detail, message: asMessage(detail.message) })) }
      : {}),
  };
}

interface Options {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Used in place of the session's token; null: the call is open to visitors. */
  readonly token?: string | null;
  /** The body of a call that takes a part of a file. */
  readonly bytes?: ArrayBuffer;
}

type ChangeListener = (name: CallName) => void;
const changeListeners = new Set<ChangeListener>();

/** Calls `listener` after each call that has changed something. Returns a function that stops this. */
export function onChange(listener: ChangeListener): () => void {
  changeListeners.add(listener);
  return () => {
    changeListeners.delete(listener);
  };
}

/** Returns the request of a call, as `fetch` takes it. */
function requestOf(method: Method, { body }: AnyInput, token: string | null, options: Options): RequestInit {
  const { bytes, signal = null } = options;
  const headers = new Headers(options.headers);
  headers.set('Accept', 'application/json');
  if (token !== null) headers.set('Authorization', `Bearer ${token}`);
  if (bytes !== undefined) headers.set('Content-Type', 'application/octet-stream');
  else if (body !== undefined) headers.set('Content-Type', 'application/json');
  return { method, headers, body: bytes ?? (body === undefined ? null : JSON.stringify(body)), signal };
}

/**
 * Makes a call of the contract by its name, and returns its answer or its failure: `call('login', { body })`.
 * If no server of ours answered, the status is 500. Only an abort throws, because the query library needs that.
 */
export async function call<Name extends CallName>(
  name: Name,
  input: InputOf<Name>,
  options: Options = {},
): Promise<ApiResult<AnswerOf<Name>>> {
  const [method] = CALLS[name];
  const { token = useSession.getState().token } = options;
  // A screen that a log-out is closing may still request its data.
  if (token === null && options.token !== null)
    return readFailure(401, { message: COMMON_MESSAGES.sessionExpired, code: 'unauthorized' });
  const askedAt = Date.now();
  try {
    const target = pathOf(name, input);
    const ahead = method === 'GET' ? takeAnswerAhead(target, token) : undefined;
    const response =
      (await ahead) ?? (await fetch(BASE + target, requestOf(method, input as AnyInput, token, options)));
    // Nobody knows when an answer ahead arrived.
    if (ahead === undefined) noteServerTime(response.headers.get('Date'), askedAt);
    const answer: unknown = await response.json();
    const total = response.headers.get('X-Total-Count');
    if (response.ok) {
      if (method !== 'GET') for (const listener of changeListeners) listener(name);
      return { ok: true, data: answer as AnswerOf<Name>, ...(total !== null && { total: Number(total) }) };
    }
    endIfUnauthorized(response.status, token);
    return readFailure(response.status, answer);
  } catch (error) {
    if (options.signal?.aborted) throw error;
    return readFailure(500, unreachable(method));
  }
}

type Method = (typeof CALLS)[CallName][0];

/** The failure of a call without an answer: `network` is worth a retry, `offline` is not. */
export function unreachable(method: Method): ErrorAnswer {
  const { network, offlineRead, offlineWrite } = COMMON_MESSAGES.errors;
  if (navigator.onLine) return { message: network, code: 'network' };
  return { message: method === 'GET' ? offlineRead : offlineWrite, code: 'offline' };
}

/** Whether a call failed without a connection, so that the server may not have received it. */
export const isUnreachable = ({ code }: ErrorAnswer): boolean => code === 'network' || code === 'offline';

/** Ends the session if the server refused its present token. */
function endIfUnauthorized(status: number, token: string | null): void {
  if (status === 401 && token !== null) expire(token, COMMON_MESSAGES.sessionExpired);
}

/**
 * Opens a call whose answer is a stream.
 *
 * @returns null if the server refuses it
 * @throws if the server cannot be reached, or on an abort
 */
export async function openStream<Name extends StreamName>(
  name: Name,
  input: InputOf<Name>,
  signal: AbortSignal,
): Promise<Response['body']> {
  const { token } = useSession.getState();
  if (token === null) return null;
  const response = await fetch(BASE + pathOf(name, input), {
    headers: { Accept: 'text/event-stream', Authorization: `Bearer ${token}` },
    signal,
  });
  if (response.ok) return response.body;
  endIfUnauthorized(response.status, token);
  readFailure(response.status, await response.json());
  return null;
}

/** Fetches a call whose answer is a file. */
export async function fetchFile<Name extends FileName>(name: Name, input: InputOf<Name>): Promise<ApiResult<Blob>> {
  const { token } = useSession.getState();
  if (token === null) return readFailure(401, { message: COMMON_MESSAGES.sessionExpired, code: 'unauthorized' });
  try {
    const response = await fetch(BASE + pathOf(name, input), { headers: { Authorization: `Bearer ${token}` } });
    if (response.ok) return { ok: true, data: await response.blob() };
    endIfUnauthorized(response.status, token);
    return readFailure(response.status, await response.json());
  } catch {
    return readFailure(500, unreachable('GET'));
  }
}

function* pairs(name: string, value: QueryValue): Generator<[string, string]> {
  if (value === undefined || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) yield* pairs(`${name}[]`, item);
  } else if (typeof value === 'object') {
    for (const [key, item] of Object.entries(value)) yield* pairs(`${name}[${key}]`, item);
  } else {
    yield [name, String(value)];
  }
}

/** Returns `?where_info[id]=1&columns[]=id` (percent-encoded), or '' for an empty query. */
function queryString(query: Readonly<Record<string, QueryValue>>): string {
  const written = Object.entries(query).flatMap(([name, value]) => [...pairs(name, value)]);
  return written.length === 0 ? '' : `?${new URLSearchParams(written)}`;
}
