import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import type { SENDING_STATUSES } from '#contract/prospect.ts';
import type { DB } from '../../../platform/db-types.ts';
import { contactedIds, holdsFor, isOneOfFew, reservedIds } from './group-state.queries.ts';
import type { GroupScope } from './sender-group.queries.ts';

/** Which companies are of a status, and how many: nobody need read a list without a filter for that. */

export type SendingStatus = (typeof SENDING_STATUSES)[number];

const eb = expressionBuilder<DB, never>();

/** sent and unsent part the list; reserved ones are in either. */
export function hasStatus(
  scope: GroupScope,
  status: SendingStatus | undefined,
  id: Expression<number>,
): Expression<SqlBool> {
  switch (status) {
    case 'unsent':
      return eb.not(holdsFor(contactedIds(scope), id));
    case 'sent':
      return holdsFor(contactedIds(scope), id);
    case 'reserved':
      return isOneOfFew(reservedIds(scope), id);
    case undefined:
      return eb.lit(true);
  }
}

/** All of the account's; kept by triggers (migrations/0006), without a row before the first. */
export const countAll = (accountId: number): Expression<number> =>
  sql<number>`coalesce((SELECT total FROM prospect_total WHERE account_id = ${accountId}), 0)`;

/** Those of a status: the group's history tells it alone, as all in it are the account's prospects. */
export function countStatus(scope: GroupScope, status: SendingStatus | undefined): Expression<number> {
  const { accountId, senderGroupId } = scope;
  if (status === undefined) return countAll(accountId);
  if (status === 'unsent') return sql<number>`${countAll(accountId)} - ${countStatus(scope, 'sent')}`;
  // One such row a group and prospect, by a unique index.
  const reserved = sql`reservation_target WHERE pending AND NOT test_send_mode`;
  const history = status === 'sent' ? sql`contact_state WHERE true` : reserved;
  return sql<number>`(SELECT count(*) FROM ${history} AND account_id = ${accountId} AND sender_group_id = ${senderGroupId})`;
}
