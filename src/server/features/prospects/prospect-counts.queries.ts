import { type Expression, type SqlBool, sql } from 'kysely';
import type { SENDING_STATUSES } from '#contract/prospect.ts';
import type { Db } from '../../platform/db.ts';
import { searchedProspects } from './prospect-filter.queries.ts';
import type { GroupScope } from './sender-group.queries.ts';

/** How many prospects a list holds, each time by the shortest way. */

export type SendingStatus = (typeof SENDING_STATUSES)[number];

/** All of the account's; kept by triggers (migrations/0006), without a row before the first. */
export async function countAll(db: Db, accountId: number): Promise<number> {
  const known = db.selectFrom('prospect_total').select('total').where('account_id', '=', accountId);
  return (await known.executeTakeFirst())?.total ?? 0;
}

/** Those of a status, with no filter besides: the group's history tells it alone, as all in it are the account's prospects. */
export async function countStatus(db: Db, scope: GroupScope, status: SendingStatus): Promise<number> {
  const { accountId, senderGroupId } = scope;
  if (status === 'unsent') return (await countAll(db, accountId)) - (await countStatus(db, scope, 'sent'));
  // One such row a group and prospect, by a unique index.
  const reserved = sql`reservation_target WHERE pending AND NOT test_send_mode`;
  const history = status === 'sent' ? sql`contact_state WHERE true` : reserved;
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) FROM ${history} AND account_id = ${accountId} AND sender_group_id = ${senderGroupId}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** By a scan. @param where as prospectCondition makes it */
export async function countMatches(db: Db, where: Expression<SqlBool>): Promise<number> {
  const counted = searchedProspects(db)
    .select((select) => select.fn.countAll<number>().as('count'))
    .where(where);
  return (await counted.executeTakeFirstOrThrow()).count;
}
