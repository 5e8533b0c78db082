import { type Expression, sql } from 'kysely';
import type { OrderedIds } from './order-part.ts';
import { countParts, type Order } from './prospect-order.queries.ts';

export interface PageRequest extends Order {
  readonly offset: number;
  readonly limit: number;
}

/** A page of a list: the ids in order, and the length of the whole list. */
export interface PageOfIds {
  readonly ids: number[];
  readonly total: number;
}

/** What to read of one part of an order: some of its ids, or how many it has. */
export type Slice = { readonly skip: number; readonly limit: number } | 'count';

/** The answer of one statement: the list's length, and in `numbers` the ids of the slice, or for 'count' one number. */
export interface SliceAnswer {
  readonly total: number;
  readonly numbers: number[];
}

/** The SQL array that answers a slice. */
export const numbersOf = (ids: OrderedIds, slice: Slice): Expression<number[]> =>
  slice === 'count'
    ? sql`array(SELECT count(*) FROM (${ids}) AS part)`
    : sql`array(${ids.limit(slice.limit).offset(slice.skip)})`;

/**
 * Reads a page from the one or two parts of its order, with as few statements as possible.
 * @param readSlice reads a slice of the part with this number; undefined for a sender group of another account
 * @returns the ids of the page with the last answer; undefined where readSlice returned that
 */
export async function readPage<Answer extends SliceAnswer>(
  { offset, limit, sort }: PageRequest,
  readSlice: (part: number, slice: Slice) => Promise<Answer | undefined>,
): Promise<(Answer & { readonly ids: number[] }) | undefined> {
  let ids: number[] = [];
  let skip = offset;
  for (let part = 0; ; part += 1) {
    const answer = await readSlice(part, { skip, limit: limit - ids.length });
    if (answer === undefined) return undefined;
    // Not by push(...): a call takes some 100,000 arguments, and an export reads a million ids.
    ids = ids.concat(answer.numbers);
    const isFull = ids.length === limit || offset + ids.length >= answer.total;
    if (isFull || part === countParts(sort) - 1) return { ...answer, ids };
    // The rest of the page is read from the first row of the next part.
    if (answer.numbers.length > 0 || skip === 0) skip = 0;
    // The page begins in the next part: a count shows how many rows of the offset are in this one.
    else skip -= (await readSlice(part, 'count'))?.numbers[0] ?? 0;
  }
}
