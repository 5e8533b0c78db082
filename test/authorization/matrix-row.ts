import type { Client } from '../client.ts';
import type { FullTenant } from './full-tenant.ts';

/** A request relative to API_BASE; the method is the route's. */
export interface Ask {
  readonly path: string;
  /** Sent as JSON; a Buffer is sent as bytes. */
  readonly body?: object;
}

/** What another account gets: a status, or a 200 whose answer contains nothing of the owner's. */
export type Nothing = { readonly status: number } | { readonly shows: unknown };

export interface MatrixRow {
  /** The owner's request for its own data; answered 200, or `ownGets`. */
  readonly own: (owner: FullTenant, client: Client) => Ask | Promise<Ask>;
  /**
   * Requests that name another account's data, by the place of the name.
   * If a call takes no name, the request itself.
   */
  readonly foreign: (victim: FullTenant, asker: FullTenant) => Record<string, { ask: Ask; gets: Nothing }>;
  /** The status of the owner's request, where a server that no test has would answer first. */
  readonly ownGets?: number;
  /** Open to visitors: the call reads no token. */
  readonly open?: true;
}

/** Builds the headers and the body of a request. */
export const requestOf = (
  body: object | undefined,
): { headers: Record<string, string>; body?: string | Uint8Array<ArrayBuffer> } => {
  if (body === undefined) return { headers: {} };
  return Buffer.isBuffer(body)
    ? { headers: { 'content-type': 'application/octet-stream' }, body: new Uint8Array(body) }
    : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
};
