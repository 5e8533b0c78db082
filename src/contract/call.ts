import type { z } from 'zod';

export const API_BASE = '/api/v1';

/**
 * One call of the API, described once: spread into the server's route and passed to the web client. `path` is below
 * API_BASE, with `:name` for a path parameter. `auth: 'none'` opens a call to visitors, 'signature' to a service that
 * signs what it says; all others need a bearer token.
 */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: `/${string}`;
  readonly auth?: 'none' | 'signature';
  readonly summary: string;
  /** The rules a caller should know, for the reference page (Markdown). */
  readonly description?: string;
  /** The refusals of its own, by code, for the reference page; those every call has are added there. */
  readonly errors?: Readonly<
    Record<string, { readonly status: 400 | 401 | 404 | 409 | 429 | 503; readonly when: string }>
  >;
  readonly params?: z.ZodType;
  readonly query?: z.ZodType;
  /** Request headers that matter, in lower case; others are let through. */
  readonly headers?: z.ZodType;
  readonly body?: z.ZodType;
  /** Whether a body may have MAX_LARGE_BODY_BYTES instead of MAX_BODY_BYTES. */
  readonly largeBody?: true;
  readonly response: z.ZodType;
  /** Whether the answer carries a token or the like: it is never compressed. */
  readonly isSecret?: true;
  /** Whether the answer is one page of a list: `X-Total-Count` and `Link: rel="next"` tell what is beyond it. */
  readonly isList?: true;
  /** The answer goes on (server-sent events): `response` is what the data of one event hold. */
  readonly goesOn?: true;
}

/** Keeps the literal types of a call's description. */
export const call = <const C extends Call>(description: C): C => description;

type Sent<S> = S extends z.ZodType ? z.input<S> : undefined;

/** What a client gives for a call: `params`, `query`, `body` as the schemas take them. */
export type CallInput<C extends Call> = (C extends { params: infer P } ? { params: Sent<P> } : unknown) &
  (C extends { query: infer Q } ? { query: Sent<Q> } : unknown) &
  (C extends { body: infer B } ? { body: Sent<B> } : unknown);

export type CallAnswer<C extends Call> = z.output<C['response']>;
