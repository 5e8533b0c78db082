import type { Client } from '../client.ts';
import type { FullTenant } from './full-tenant.ts';

/** A request below API_BASE; the method is the route's. */
export interface Ask {
  readonly path: string;
  readonly body?: object;
}

/** What a stranger gets: a status, or 200 with an answer in which nothing of the other account stands. */
export type Nothing = { readonly status: number } | { readonly shows: unknown };

export interface MatrixRow {
  /** What the owner asks about its own things; answered 200. */
  readonly own: (owner: FullTenant, client: Client) => Ask | Promise<Ask>;
  /**
   * Requests that name things of another account, by the place they stand in; where none can be named, the request
   * itself.
   */
  readonly foreign: (victim: FullTenant, asker: FullTenant) => Record<string, { ask: Ask; gets: Nothing }>;
  /** Visitors may call it: no token is looked at. */
  readonly open?: true;
}
