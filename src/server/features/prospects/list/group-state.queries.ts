import { type Expression, expressionBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { DB } from '../../../platform/db-types.ts';
import type { GroupScope } from './sender-group.queries.ts';

/** What a sender group knows of prospects, each fact as the ids it holds for. No row means: nothing happened. */
export type ProspectIds = SelectQueryBuilder<DB, never, { prospect_id: number }>;

const eb = expressionBuilder<DB, never>();

/** Switched off; without a row a prospect is active. */
export const inactiveIds = ({ accountId, senderGroupId }: GroupScope): ProspectIds =>
  eb
    .selectFrom('active_prospect')
    .select('prospect_id')
    .where('account_id', '=', accountId)
    .where('sender_group_id', '=', senderGroupId)
    .where('active', '=', false) as never;

export const remarkedIds = ({ accountId, senderGroupId }: GroupScope): ProspectIds =>
  eb
    .selectFrom('active_prospect')
    .select('prospect_id')
    .where('account_id', '=', accountId)
    .where('sender_group_id', '=', senderGroupId)
    .where('remarks', '<>', '') as never;

/** Mailed by the group before (test mails leave no trace here); with `since`, at that instant or later. */
export const contactedIds = ({ accountId, senderGroupId }: GroupScope, since?: Date): ProspectIds =>
  eb
    .selectFrom('contact_state')
    .select('prospect_id')
    .where('account_id', '=', accountId)
    .where('sender_group_id', '=', senderGroupId)
    .$if(since !== undefined, (query) => query.where('last_sent_at', '>=', since as Date)) as never;

/** Targets of pending reservations of the group that are no tests; `except` names a reservation that does not count. */
export const reservedIds = ({ accountId, senderGroupId }: GroupScope, except?: number): ProspectIds =>
  eb
    .selectFrom('reservation_target')
    .select('prospect_id')
    .where('account_id', '=', accountId)
    .where('sender_group_id', '=', senderGroupId)
    // As literals: a parameter would hide that the partial unique index answers this.
    .where((where) => where.and([where.ref('pending'), where.not('test_send_mode')]))
    .$if(except !== undefined, (query) => query.where('reservation_id', '<>', except as number)) as never;

const PROSPECT_ID = sql<number>`prospect.id`;

/** For few rows, or in the order of an index: the fact is looked up for each row. */
export const holdsFor = (ids: ProspectIds, id: Expression<number> = PROSPECT_ID): Expression<SqlBool> =>
  eb.exists(eb.selectFrom(ids.as('known')).select('known.prospect_id').where('known.prospect_id', '=', id));

/**
 * For a scan of the list: the ids are hashed once and every row is held against them, which the planner is kept from doing another
 * way (IS TRUE). It knows nothing of how many rows a filter leaves and would look up each.
 */
export const isOneOf = (
  ids: Expression<unknown>,
  id: Expression<number | string | null> = PROSPECT_ID,
): Expression<SqlBool> => sql<SqlBool>`(${id} IN (${ids})) IS TRUE`;

/** Where some thousand are wanted of a long list: these are looked up. */
export const isOneOfFew = (ids: Expression<unknown>, id: Expression<number> = PROSPECT_ID): Expression<SqlBool> =>
  sql<SqlBool>`${id} = any(array(${ids}))`;
