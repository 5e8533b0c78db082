import { sql } from 'kysely';
import type { ProspectSort } from '#contract/companies/prospects-filter.ts';
import type { Db } from '../../../platform/database/db.ts';
import { shapedQuery } from '../../../platform/database/driver/shaped-query.ts';
import {
  numbersOf,
  orderedParts,
  type PageOfIds,
  type PageRequest,
  readPage,
  type SliceAnswer,
} from './prospect-order.queries.ts';
import { type GroupScope, isOwnGroup } from './sender-group.queries.ts';
import { countStatus, hasStatus, type SendingStatus } from './sending-status.queries.ts';

/*
 * Plan 1 of list.queries.ts: a list without a filter. A table keeps its length. Its query has few shapes, so that each
 * text is built once (shapedQuery).
 */

/** From this offset on, the length is read first, because the page may be nearer to the end. */
const REVERSE_FROM_OFFSET = 1000;

/** The inputs of the query's text. */
interface Shape {
  readonly status: SendingStatus | undefined;
  readonly sort: ProspectSort;
  readonly backwards: boolean;
  readonly part: number;
  readonly isCount: boolean;
}

interface Values extends GroupScope {
  readonly skip: number;
  readonly limit: number;
}

const readSlice = shapedQuery(({ status, sort, backwards, part, isCount }: Shape, values: Values) => {
  const parts = orderedParts(values, (id) => hasStatus(values, status, id), { sort, backwards });
  const numbers = numbersOf(parts[part] as (typeof parts)[number], isCount ? 'count' : values);
  return sql<SliceAnswer>`
    SELECT ${countStatus(values, status)} AS total, to_json(${numbers}) AS numbers WHERE ${isOwnGroup(values)}`;
});

const readLength = shapedQuery(
  ({ status }: Pick<Shape, 'status'>, scope: GroupScope) =>
    sql<Pick<SliceAnswer, 'total'>>`SELECT ${countStatus(scope, status)} AS total WHERE ${isOwnGroup(scope)}`,
);

type Page = Pick<PageRequest, 'sort' | 'offset' | 'limit' | 'backwards'>;

/** Reads a page of the prospects with a sending status. A page in the second half is read from the end of the list. */
export async function readUnfilteredList(
  db: Db,
  scope: GroupScope,
  status: SendingStatus | undefined,
  page: Page,
): Promise<PageOfIds> {
  if (page.offset < REVERSE_FROM_OFFSET) return readAlongIndex(db, scope, status, page);
  const [answer] = await readLength(db, { status }, scope);
  const total = answer?.total ?? 0;
  const limit = Math.min(page.limit, total - page.offset);
  if (limit <= 0) return { ids: [], total };
  const rowsBehind = total - page.offset - limit;
  if (rowsBehind > page.offset) return readAlongIndex(db, scope, status, page);
  const { ids } = await readAlongIndex(db, scope, status, { ...page, backwards: true, offset: rowsBehind, limit });
  return { ids: ids.toReversed(), total };
}

async function readAlongIndex(
  db: Db,
  scope: GroupScope,
  status: SendingStatus | undefined,
  page: Page,
): Promise<PageOfIds> {
  const { sort, backwards = false } = page;
  const answer = await readPage(page, async (part, slice) => {
    const isCount = slice === 'count';
    const { skip, limit } = isCount ? { skip: 0, limit: 0 } : slice;
    return (await readSlice(db, { status, sort, backwards, part, isCount }, { ...scope, skip, limit }))[0];
  });
  return answer ?? { ids: [], total: 0 };
}
