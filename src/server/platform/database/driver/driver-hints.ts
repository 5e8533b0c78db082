import type { CompiledQuery } from 'kysely';

/**
 * Driver hints that Kysely has no channel for. A hint is attached to the compiled query, which Kysely passes to the
 * connection unchanged (hinted-driver.ts).
 */
export type DriverHint =
  /**
   * Sent as a prepared statement of this name, which the connection plans once.
   * A name must always have the same text.
   */
  | { readonly kind: 'prepared'; readonly name: string }
  /** Sent together with the next query, which fails if this one does. */
  | { readonly kind: 'with-next' }
  /** Sent without awaiting the answer; a failure is not reported. */
  | { readonly kind: 'unawaited' };

const hints = new WeakMap<CompiledQuery, DriverHint>();

/** Attaches a hint to a query. @returns the query */
export function withHint<Row>(query: CompiledQuery<Row>, hint: DriverHint): CompiledQuery<Row> {
  hints.set(query, hint);
  return query;
}

export const hintOf = (query: CompiledQuery): DriverHint | undefined => hints.get(query);
