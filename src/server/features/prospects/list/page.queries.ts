import { type Expression, sql } from 'kysely';
import type { Order, OrderedIds } from './prospect-order.queries.ts';
import { countParts } from './prospect-order.queries.ts';

/** A page of a list, put together of the parts of its order. */

export interface PageOf extends Order {
  readonly offset: number;
  readonly limit: number;
}

export interface Listed {
  readonly ids: number[];
  readonly total: number;
}

/** What one statement tells: the list's length, and the numbers that were asked for. */
export interface Told {
  readonly total: number;
  readonly value: number[];
}

/** What is asked of a part of the order: some of its ids, or how many there are. */
export type Wanted = { readonly skip: number; readonly limit: number } | 'count';

export const numbersOf = (ids: OrderedIds, wanted: Wanted): Expression<number[]> =>
  wanted === 'count'
    ? sql`array(SELECT count(*) FROM (${ids}) AS part)`
    : sql`array(${ids.limit(wanted.limit).offset(wanted.skip)})`;

/**
 * @param ask for what is wanted of one of the parts, and for the list's length
 * @returns the page's ids, the blanks of its order last, with the answer to the last question; undefined as `ask` does
 */
export async function readPage<Answer extends Told>(
  { offset, limit, sort }: PageOf,
  ask: (part: number, wanted: Wanted) => Promise<Answer | undefined>,
): Promise<(Answer & { readonly ids: number[] }) | undefined> {
  const ids: number[] = [];
  let skip = offset;
  for (let part = 0; ; part += 1) {
    const answer = await ask(part, { skip, limit: limit - ids.length });
    if (answer === undefined) return undefined;
    ids.push(...answer.value);
    const isFull = ids.length === limit || offset + ids.length >= answer.total;
    if (isFull || part === countParts(sort) - 1) return { ...answer, ids };
    // Nothing found beyond an offset: how much of it was this part's share takes counting.
    if (answer.value.length > 0 || skip === 0) skip = 0;
    else skip -= (await ask(part, 'count'))?.value[0] ?? 0;
  }
}
