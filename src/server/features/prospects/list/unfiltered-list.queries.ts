import { sql } from 'kysely';
import type { ProspectSort } from '#contract/prospect.ts';
import type { Db } from '../../../platform/db.ts';
import { shapedQuery } from '../../../platform/shaped-query.ts';
import { type Listed, numbersOf, type PageOf, readPage, type Told } from './page.queries.ts';
import { orderedParts } from './prospect-order.queries.ts';
import { type GroupScope, isOwnGroup } from './sender-group.queries.ts';
import { countStatus, hasStatus, type SendingStatus } from './sending-status.queries.ts';

/** A list without a filter: how long it is is known without reading it, and what it asks is always the same. */

/** From this row on a list's length is asked first, for its end may be nearer than its beginning. */
const FAR = 1000;

interface Shape {
  readonly status: SendingStatus | undefined;
  readonly sort: ProspectSort;
  readonly backwards: boolean;
  readonly part: number;
  readonly isCounted: boolean;
}

interface Values extends GroupScope {
  readonly skip: number;
  readonly limit: number;
}

const tellPart = shapedQuery(({ status, sort, backwards, part, isCounted }: Shape, values: Values) => {
  const parts = orderedParts(values, (id) => hasStatus(values, status, id), { sort, backwards });
  const wanted = numbersOf(parts[part] as (typeof parts)[number], isCounted ? 'count' : values);
  return sql<Told>`
    SELECT ${countStatus(values, status)} AS total, to_json(${wanted}) AS value WHERE ${isOwnGroup(values)}`;
});

const tellLength = shapedQuery(
  ({ status }: Pick<Shape, 'status'>, scope: GroupScope) =>
    sql<Pick<Told, 'total'>>`SELECT ${countStatus(scope, status)} AS total WHERE ${isOwnGroup(scope)}`,
);

type Page = Pick<PageOf, 'sort' | 'offset' | 'limit' | 'backwards'>;

/** Nothing of a group that is not the account's. What is far down the list is read from its end. */
export async function listKnown(
  db: Db,
  scope: GroupScope,
  status: SendingStatus | undefined,
  page: Page,
): Promise<Listed> {
  if (page.offset < FAR) return readKnown(db, scope, status, page);
  const [told] = await tellLength(db, { status }, scope);
  const length = told?.total ?? 0;
  const limit = Math.min(page.limit, length - page.offset);
  if (limit <= 0) return { ids: [], total: length };
  const behind = length - page.offset - limit;
  if (behind > page.offset) return readKnown(db, scope, status, page);
  const { ids, total } = await readKnown(db, scope, status, { ...page, backwards: true, offset: behind, limit });
  return { ids: ids.toReversed(), total };
}

async function readKnown(db: Db, scope: GroupScope, status: SendingStatus | undefined, page: Page): Promise<Listed> {
  const { sort, backwards = false } = page;
  const listed = await readPage(page, async (part, wanted) => {
    const isCounted = wanted === 'count';
    const { skip, limit } = isCounted ? { skip: 0, limit: 0 } : wanted;
    const shape = { status, sort, backwards, part, isCounted };
    return (await tellPart(db, shape, { ...scope, skip, limit }))[0];
  });
  return listed ?? { ids: [], total: 0 };
}
