import { type Expression, type SqlBool, sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { viewSendLogs as logsCall } from '#contract/send-logs.ts';
import type { RunState } from '#domain/sending/delivery-state.ts';
import { instantOf } from '#domain/time/tokyo-time.ts';
import { DAY_MS } from '#domain/time-units.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { byKey } from '../../platform/database/list-rows.ts';
import { isDatabaseRewound, progressOf } from '../runs/progress.queries.ts';
import { hasWords } from './has-words.queries.ts';

type Query = z.output<(typeof logsCall)['query']>;
type Filter = Omit<Query, 'pagenate_count' | 'pagenate_num'>;

/** Reads a page of the account's runs, newest first. @param now epoch milliseconds */
export function viewSendLogs(
  account: AccountDb,
  { pagenate_count, pagenate_num, ...filter }: Query,
  now: number,
): Promise<CallAnswer<typeof logsCall>> {
  return account.snapshot(async (tx) => {
    // Send logs that were recorded by hand have no sender, and are no runs.
    const runs = tx
      .selectFrom('send_log')
      .where('account_id', '=', account.id)
      .where('sender_id', 'is not', null)
      .where(fits(account.id, filter));
    const page = await runs
      .select('id')
      .orderBy('id', 'desc')
      .limit(pagenate_count)
      .offset((pagenate_num - 1) * pagenate_count)
      .execute();
    const { total } = await runs.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
    const ids = page.map(({ id }) => id);
    const members = ids.length === 0 ? new Map<number, string>() : await readMembers(tx, account.id, ids);
    const rows = (await progressOf(tx, account.id, ids, now)).map((run) => ({
      ...run,
      member_name: members.get(run.id) ?? null,
    }));
    return { rows, total, database_rewound: await isDatabaseRewound(tx) };
  });
}

/** The condition of a filter on a row of `send_log`. */
function fits(
  accountId: number,
  { from, to, state, search = '', sender_group_id, template_id, test_send_mode }: Filter,
): Expression<SqlBool> {
  const conditions = [
    hasWords(sql`coalesce(send_log.mail ->> 'subject', '')`, search),
    ...(from === undefined ? [] : [sql`send_log.sent_at >= ${new Date(instantOf(from, 0))}`]),
    ...(to === undefined ? [] : [sql`send_log.sent_at < ${new Date(instantOf(to, 0) + DAY_MS)}`]),
    ...(sender_group_id === undefined ? [] : [sql`send_log.sender_group_id = ${sender_group_id}`]),
    ...(template_id === undefined ? [] : [sql`send_log.template_id = ${template_id}`]),
    ...(test_send_mode === undefined ? [] : [sql`send_log.test_send_mode = ${test_send_mode}`]),
    ...(state === undefined ? [] : [isIn(state, accountId)]),
  ];
  return sql<SqlBool>`(${sql.join(conditions, sql` AND `)})`;
}

/** Checks the state of a run. The open runs are found by their waiting mails, and by those that a worker holds. */
function isIn(state: RunState, accountId: number): Expression<SqlBool> {
  const isOpen = sql<SqlBool>`send_log.id IN (
    SELECT send_log_id FROM delivery WHERE account_id = ${accountId} AND state = 'queued'
    UNION SELECT send_log_id FROM delivery WHERE account_id = ${accountId} AND lease_until IS NOT NULL)`;
  if (state === 'finished') return sql<SqlBool>`NOT ${isOpen}`;
  return sql<SqlBool>`(${isOpen} AND (send_log.paused_by IS NULL) = ${state === 'sending'})`;
}

/** Reads the names of those who started the runs. */
async function readMembers(tx: Tx, accountId: number, ids: readonly number[]): Promise<Map<number, string>> {
  const rows = await tx
    .selectFrom('send_log')
    .innerJoin('member', byKey('member', 'send_log.member_id'))
    .select(['send_log.id', 'member.name'])
    .where('send_log.account_id', '=', accountId)
    .where('send_log.id', 'in', [...ids])
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}
