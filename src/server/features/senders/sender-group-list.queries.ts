import { sql } from 'kysely';
import type { z } from 'zod';
import { listSenderGroups as listCall } from '#contract/senders/sender-groups.ts';
import { dayOf, instantOf } from '#domain/time/tokyo-time.ts';
import { asFlag } from '../../platform/as-flag.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import { contentVersion } from '../../platform/database/content-version.ts';
import type { Tx } from '../../platform/database/db.ts';
import { ownRows, pickColumns, wantsColumn } from '../../platform/database/list-rows.ts';
import { answerList, type Part } from '../../platform/lists/whole-list.ts';

import { ownGroupsFirst } from '../rights/my-rights.queries.ts';

type Query = z.output<(typeof listCall)['query']>;

interface Counts {
  readonly senders: number;
  readonly active_senders: number;
}

/** Lists the groups of an account by id. Counts senders and mails only for requested columns. */
export const listGroups = (account: MemberDb, query: Query, now: number) => {
  const { columns } = query;
  // A client of the specification takes the first group. With bounds on the id, it pages by it.
  const isPaged = typeof query.where_info?.id === 'object';
  const order = isPaged ? sql`sender_group.id` : ownGroupsFirst(account);
  const read = async (tx: Tx, { where, limit, offset }: Part) => {
    const found = await tx
      .selectFrom('sender_group')
      .select(['id', 'group_name', 'account_id', 'active'])
      .where(where)
      .orderBy(order)
      .limit(limit)
      .offset(offset)
      .execute();
    const ids = found.map(({ id }) => id);
    const asksSenders = wantsColumn(columns, 'senders') || wantsColumn(columns, 'active_senders');
    const senders = asksSenders ? await countSenders(tx, account.id, ids) : new Map<number, Counts>();
    const asksMails = wantsColumn(columns, 'sent_this_month');
    const mails = asksMails ? await countMails(tx, account.id, ids, now) : new Map<number, number>();
    return found.map((row) => {
      const counts = senders.get(row.id) ?? { senders: 0, active_senders: 0 };
      const own = { ...row, active: asFlag(row.active), version: contentVersion(row.group_name) };
      const all = { ...own, ...counts, sent_this_month: mails.get(row.id) ?? 0 };
      return pickColumns(all, columns);
    });
  };
  const own = ownRows('sender_group', account.id, query.where_info);
  return answerList(account, listCall, { table: 'sender_group', own, order, query, read, view: null });
};

async function countSenders(tx: Tx, accountId: number, groupIds: readonly number[]): Promise<Map<number, Counts>> {
  const { rows } = await sql<Counts & { id: number }>`
    SELECT sender_group_id AS id, count(*)::int AS senders, (count(*) FILTER (WHERE active))::int AS active_senders
    FROM sender WHERE account_id = ${accountId} AND sender_group_id = ANY (${groupIds}::bigint[])
    GROUP BY sender_group_id`.execute(tx);
  return new Map(rows.map(({ id, ...counts }) => [id, counts]));
}

/** Counts each group's real mails sent since the first of this month, Asia/Tokyo. */
async function countMails(
  tx: Tx,
  accountId: number,
  groupIds: readonly number[],
  now: number,
): Promise<Map<number, number>> {
  const month = new Date(instantOf(`${dayOf(now).slice(0, 7)}-01`, 0));
  // By profile, because the index of finished mails starts with it.
  const { rows } = await sql<{ id: number; mails: number }>`
    SELECT profile.sender_group_id AS id, sum(sent.mails)::int AS mails
    FROM sender_profile AS profile CROSS JOIN LATERAL (
      SELECT count(*) AS mails FROM delivery
      WHERE delivery.account_id = ${accountId} AND delivery.profile_id = profile.id
        AND delivery.finished_at >= ${month} AND delivery.state <> 'cancelled'
        AND delivery.state = 'sent' AND NOT delivery.test_send_mode
    ) AS sent
    WHERE profile.account_id = ${accountId} AND profile.sender_group_id = ANY (${groupIds}::bigint[])
    GROUP BY profile.sender_group_id`.execute(tx);
  return new Map(rows.map(({ id, mails }) => [id, mails]));
}
