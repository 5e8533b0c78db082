import { type Expression, expressionBuilder, type SqlBool } from 'kysely';
import type { DB } from '../../platform/db-types.ts';
import type { GroupScope } from './sender-group.queries.ts';

/**
 * What a sender group knows of its prospects. Each fact is stated once, as the rows that hold it (queries for a set of
 * prospect_id), and once more as a condition on one prospect, for any query from `prospect`. No row means: nothing happened.
 */

const eb = expressionBuilder<DB, 'prospect'>();

/** Switched off; without a row a prospect is active. */
export const inactiveRows = ({ accountId, senderGroupId }: GroupScope) =>
  eb
    .selectFrom('active_prospect as state')
    .select('state.prospect_id')
    .where('state.account_id', '=', accountId)
    .where('state.sender_group_id', '=', senderGroupId)
    .where('state.active', '=', false);

export const isInactive = (scope: GroupScope): Expression<SqlBool> =>
  eb.exists(inactiveRows(scope).whereRef('state.prospect_id', '=', 'prospect.id'));

export const hasRemarks = ({ accountId, senderGroupId }: GroupScope): Expression<SqlBool> =>
  eb.exists(
    eb
      .selectFrom('active_prospect as state')
      .select('state.prospect_id')
      .where('state.account_id', '=', accountId)
      .where('state.sender_group_id', '=', senderGroupId)
      .where('state.remarks', '<>', '')
      .whereRef('state.prospect_id', '=', 'prospect.id'),
  );

/** Mailed by the group before (test mails leave no trace here); with `since`, at that instant or later. */
export const contactedRows = ({ accountId, senderGroupId }: GroupScope, since?: Date) =>
  eb
    .selectFrom('contact_state as state')
    .select('state.prospect_id')
    .where('state.account_id', '=', accountId)
    .where('state.sender_group_id', '=', senderGroupId)
    .$if(since !== undefined, (query) => query.where('state.last_sent_at', '>=', since as Date));

export const wasContacted = (scope: GroupScope, since?: Date): Expression<SqlBool> =>
  eb.exists(contactedRows(scope, since).whereRef('state.prospect_id', '=', 'prospect.id'));

/** Targets of a pending reservation of the group that is no test; `except` names a reservation that does not count. */
export const reservedRows = ({ accountId, senderGroupId }: GroupScope, except?: number) =>
  eb
    .selectFrom('reservation_target as state')
    .select('state.prospect_id')
    .where('state.account_id', '=', accountId)
    .where('state.sender_group_id', '=', senderGroupId)
    // Not as parameters: they would hide that the partial unique index answers this.
    .where((where) => where.and([where.ref('state.pending'), where.not('state.test_send_mode')]))
    .$if(except !== undefined, (query) => query.where('state.reservation_id', '<>', except as number));

export const isReserved = (scope: GroupScope, except?: number): Expression<SqlBool> =>
  eb.exists(reservedRows(scope, except).whereRef('state.prospect_id', '=', 'prospect.id'));
