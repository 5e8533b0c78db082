import { type Expression, type SqlBool, sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { ListedRun, viewSendLogs as logsCall } from '#contract/send-history.ts';
import type { RunState } from '#domain/delivery-state.ts';
import { DAY_MS } from '#domain/time-units.ts';
import { instantOf } from '#domain/tokyo-time.ts';
import type { AccountDb } from '../../platform/account-db.ts';
import type { Tx } from '../../platform/db.ts';
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
    const known = await readOutcomes(tx, account.id, ids);
    const rows = (await progressOf(tx, account.id, ids, now)).map((run) => ({ ...run, ...outcomeOf(known, run.id) }));
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

type Outcome = Pick<ListedRun, 'member_name' | 'replied' | 'refused'>;

const outcomeOf = (known: ReadonlyMap<number, Outcome>, id: number): Outcome =>
  known.get(id) ?? { member_name: null, replied: 0, refused: 0 };

/**
 * Reads who started each run, how many companies answered, and how many readers refused further mail.
 * Answers and refusals are counted from their own rows, which are few, by the mails that they belong to.
 */
async function readOutcomes(tx: Tx, accountId: number, ids: readonly number[]): Promise<Map<number, Outcome>> {
  const { rows } = await sql<Outcome & { readonly id: number }>`
    WITH answer AS (
      SELECT d.send_log_id, count(DISTINCT r.prospect_id)::integer AS replied
      FROM reply r JOIN delivery d ON d.account_id = r.account_id AND d.id = r.delivery_id
      WHERE r.account_id = ${accountId} AND r.delivery_id IS NOT NULL AND r.kind <> 'auto_reply'
        AND d.send_log_id = ANY (${ids}::bigint[])
      GROUP BY 1
    ), refusal AS (
      SELECT d.send_log_id, count(DISTINCT s.value)::integer AS refused
      FROM suppression s JOIN delivery d ON d.account_id = s.account_id AND d.id = s.delivery_id
      WHERE s.account_id = ${accountId} AND s.delivery_id IS NOT NULL AND s.class = 'refused'
        AND d.send_log_id = ANY (${ids}::bigint[])
      GROUP BY 1
    )
    SELECT l.id, member.name AS member_name, coalesce(answer.replied, 0) AS replied,
      coalesce(refusal.refused, 0) AS refused
    FROM send_log l
    LEFT JOIN member ON member.account_id = l.account_id AND member.id = l.member_id
    LEFT JOIN answer ON answer.send_log_id = l.id
    LEFT JOIN refusal ON refusal.send_log_id = l.id
    WHERE l.account_id = ${accountId} AND l.id = ANY (${ids}::bigint[])`.execute(tx);
  return new Map(rows.map(({ id, ...outcome }) => [id, outcome]));
}
