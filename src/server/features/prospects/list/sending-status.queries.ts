import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import type { SENDING_STATUSES } from '#contract/companies/prospects.ts';
import type { DB } from '../../../platform/database/db-types.ts';
import { archivedIds, contactedIds, repliedIds, reservedIds } from './group-state.queries.ts';
import { isInByFetch, isInByLookup } from './membership.queries.ts';
import type { GroupScope } from './sender-group.queries.ts';

/** The sending status of prospects as a condition, and their number without a scan. */

export type SendingStatus = (typeof SENDING_STATUSES)[number];

const eb = expressionBuilder<DB, never>();

/** Checks a prospect for a status. Each is either sent or unsent; reserved and replied ones may be either. */
export function hasStatus(
  scope: GroupScope,
  status: SendingStatus | undefined,
  id: Expression<number>,
): Expression<SqlBool> {
  switch (status) {
    case 'unsent':
      return eb.not(isInByLookup(contactedIds(scope), id));
    case 'sent':
      return isInByLookup(contactedIds(scope), id);
    case 'reserved':
      return isInByFetch(reservedIds(scope), id);
    case 'replied':
      return isInByFetch(repliedIds(scope), id);
    case undefined:
      return eb.lit(true);
  }
}

/**
 * Counts the account's prospects by the total that triggers keep (keep_prospect_search). Before the first prospect it
 * has no row.
 */
export const countAll = (accountId: number): Expression<number> =>
  sql<number>`coalesce((SELECT total FROM prospect_total WHERE account_id = ${accountId}), 0)`;

/** Counts the prospects with a status by the group's own rows, one per prospect, minus archived ones. */
export function countStatus(scope: GroupScope, status: SendingStatus | undefined): Expression<number> {
  const { accountId, senderGroupId } = scope;
  if (status === undefined) return countAll(accountId);
  if (status === 'unsent') return sql<number>`${countAll(accountId)} - ${countStatus(scope, 'sent')}`;
  if (status === 'replied') {
    return sql<number>`(SELECT count(DISTINCT replied.prospect_id) FROM ${repliedIds(scope).as('replied')}
      WHERE replied.prospect_id NOT IN (${archivedIds(scope)}))`;
  }
  // A unique index allows one pending row for each group and prospect.
  const reserved = sql`reservation_target WHERE pending AND NOT test_send_mode`;
  const rows = status === 'sent' ? sql`contact_state WHERE true` : reserved;
  const ofGroup = sql`${rows} AND account_id = ${accountId} AND sender_group_id = ${senderGroupId}`;
  return sql<number>`((SELECT count(*) FROM ${ofGroup}) - (
    SELECT count(*) FROM ${ofGroup} AND prospect_id IN (${archivedIds(scope)})))`;
}
