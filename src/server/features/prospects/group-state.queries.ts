import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import type { DB } from '../../platform/db-types.ts';
import type { GroupScope } from './sender-group.queries.ts';

/** What a sender group knows of a prospect, as conditions for any query from `prospect`. No row means: nothing happened. */

const eb = expressionBuilder<DB, 'prospect'>();

/** Switched off; without a row a prospect is active. */
export const isInactive = ({ accountId, senderGroupId }: GroupScope): Expression<SqlBool> =>
  eb.exists(
    eb
      .selectFrom('active_prospect')
      .select('active_prospect.prospect_id')
      .where('active_prospect.account_id', '=', accountId)
      .where('active_prospect.sender_group_id', '=', senderGroupId)
      .whereRef('active_prospect.prospect_id', '=', 'prospect.id')
      .where('active_prospect.active', '=', false),
  );

export const hasRemarks = ({ accountId, senderGroupId }: GroupScope): Expression<SqlBool> =>
  eb.exists(
    eb
      .selectFrom('active_prospect')
      .select('active_prospect.prospect_id')
      .where('active_prospect.account_id', '=', accountId)
      .where('active_prospect.sender_group_id', '=', senderGroupId)
      .whereRef('active_prospect.prospect_id', '=', 'prospect.id')
      .where('active_prospect.remarks', '<>', ''),
  );

/** Mailed by the group before (test mails leave no trace here); with `since`, at that instant or later. */
export const wasContacted = ({ accountId, senderGroupId }: GroupScope, since?: Date): Expression<SqlBool> =>
  eb.exists(
    eb
      .selectFrom('contact_state')
      .select('contact_state.prospect_id')
      .where('contact_state.account_id', '=', accountId)
      .where('contact_state.sender_group_id', '=', senderGroupId)
      .whereRef('contact_state.prospect_id', '=', 'prospect.id')
      .$if(since !== undefined, (query) => query.where('contact_state.last_sent_at', '>=', since as Date)),
  );

/** Target of a pending reservation of the group that is no test; `except` names a reservation that does not count. */
export const isReserved = ({ accountId, senderGroupId }: GroupScope, except?: number): Expression<SqlBool> =>
  eb.exists(
    eb
      .selectFrom('reservation_target')
      .select('reservation_target.prospect_id')
      .where('reservation_target.account_id', '=', accountId)
      .where('reservation_target.sender_group_id', '=', senderGroupId)
      .whereRef('reservation_target.prospect_id', '=', 'prospect.id')
      // As literals: a parameter would hide that the partial unique index answers this.
      .where((where) =>
        where.and([where.ref('reservation_target.pending'), where.not('reservation_target.test_send_mode')]),
      )
      .$if(except !== undefined, (query) => query.where('reservation_target.reservation_id', '<>', except as number)),
  );

/** isReserved for a query that wants these alone: by their ids, some thousand, where the planner would scan the list for them. */
export function isOneOfReserved({ accountId, senderGroupId }: GroupScope): Expression<SqlBool> {
  const ids = eb
    .selectFrom('reservation_target')
    .select('prospect_id')
    .where('account_id', '=', accountId)
    .where('sender_group_id', '=', senderGroupId)
    .where(sql<SqlBool>`pending AND NOT test_send_mode`);
  return eb('prospect.id', '=', sql<number>`any(array(${ids}))`);
}
