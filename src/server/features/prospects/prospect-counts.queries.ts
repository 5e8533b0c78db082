import { type Expression, sql } from 'kysely';
import type { SENDING_STATUSES } from '#contract/prospect.ts';
import type { GroupScope } from './sender-group.queries.ts';

/** How long lists without a filter are: nobody need read them for it. */

export type SendingStatus = (typeof SENDING_STATUSES)[number];

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
