import { type Expression, expressionBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { DB } from '../../../platform/database/db-types.ts';

/*
 * Three ways to check whether an id is in a set, each with only one possible plan. PostgreSQL's planner does not know
 * how many rows a filter leaves, and would often choose badly.
 */

/**
 * How conditions are checked: in a scan of the whole table, or for single rows along an index.
 * The SQL of a condition differs between the two.
 */
export type Access = 'scan' | 'lookup';

/** A set of prospects, by id. */
export type ProspectIds = SelectQueryBuilder<DB, never, { prospect_id: number }>;

const eb = expressionBuilder<DB, never>();
const PROSPECT_ID = sql<number>`prospect.id`;

/** Looks each row up in the set by an index: for few rows, or a walk along an index. */
export const isInByLookup = (ids: ProspectIds, id: Expression<number> = PROSPECT_ID): Expression<SqlBool> =>
  eb.exists(eb.selectFrom(ids.as('known')).select('known.prospect_id').where('known.prospect_id', '=', id));

/** Hashes the set once and checks each row against it, for a scan. IS TRUE keeps the planner from using a join. */
export const isInByHash = (
  ids: Expression<unknown>,
  id: Expression<number | string | null> = PROSPECT_ID,
): Expression<SqlBool> => sql<SqlBool>`(${id} IN (${ids})) IS TRUE`;

/** Fetches the rows of the set one by one: for a set of up to some thousand ids in a long list. */
export const isInByFetch = (ids: Expression<unknown>, id: Expression<number> = PROSPECT_ID): Expression<SqlBool> =>
  sql<SqlBool>`${id} = any(array(${ids}))`;
