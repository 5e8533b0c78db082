import { type Expression, type SqlBool, sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import {
  listSendLogs as listCall,
  type viewSendLogs as logsCall,
  type viewRunOrigin as originCall,
} from '#contract/sending/send-logs.ts';
import type { DeliveryReason, RunState } from '#domain/sending/delivery-state.ts';
import { formatSecond, instantOf } from '#domain/time/tokyo-time.ts';
import { DAY_MS } from '#domain/time-units.ts';
import { asFlag } from '../../platform/as-flag.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { hasWords } from '../../platform/database/has-words.ts';
import { byKey, ownRows, pickColumns, wantsColumn } from '../../platform/database/list-rows.ts';
import type { ListText } from '../../platform/http/answers.ts';
import { answerList } from '../../platform/lists/whole-list.ts';
import { notFound, type Problem } from '../../platform/problem.ts';
import { isDatabaseRewound, progressOf } from '../runs/progress.queries.ts';

type Query = z.output<(typeof logsCall)['query']>;

/** Reads a page of the account's runs, newest first. @param now epoch milliseconds */
export function viewSendLogs(
  account: AccountDb,
  { pagenate_count, pagenate_num, ...filter }: Query,
  now: number,
): Promise<CallAnswer<typeof logsCall>> {
  return account.snapshot(async (tx) => {
    // Send logs recorded by hand have no sender, and are no runs.
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

type Filter = Omit<Query, 'pagenate_count' | 'pagenate_num'>;

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

/** Checks the state of a run. Open runs are found by their waiting mails and by claimed ones. */
function isIn(state: RunState, accountId: number): Expression<SqlBool> {
  const isOpen = sql<SqlBool>`send_log.id IN (
    SELECT send_log_id FROM delivery WHERE account_id = ${accountId} AND state = 'queued'
    UNION SELECT send_log_id FROM delivery WHERE account_id = ${accountId} AND lease_until IS NOT NULL)`;
  if (state === 'finished') return sql<SqlBool>`NOT ${isOpen}`;
  return sql<SqlBool>`(${isOpen} AND (send_log.paused_by IS NULL) = ${state === 'sending'})`;
}

/** Reads the names of the members who started the runs. */
async function readMembers(tx: Tx, accountId: number, ids: readonly number[]): Promise<Map<number, string>> {
  const rows = await tx
    .selectFrom('send_log')
    .innerJoin('member', byKey('member', 'send_log.member_id'))
    .select(['send_log.id', 'member.name'])
    .where('send_log.account_id', '=', accountId)
    .where('send_log.id', '=', sql<number>`any(${ids}::bigint[])`)
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

type Origin = CallAnswer<typeof originCall>;

/** Reads a run's member, sender and list, and why mails were left out. @returns them, or 404 */
export function viewRunOrigin(account: AccountDb, sendLogId: number): Promise<Origin | Problem> {
  return account.snapshot(async (tx) => {
    const { rows } = await sql<Omit<Origin, 'left_out'>>`
      SELECT member.name AS member_name, l.sender_group_id, l.sender_id, l.days_from_lastday, l.list_conditions,
        l.companies_chosen,
        json_build_object('name', l.mail #>> '{sender,person_in_charge}', 'address', l.mail #>> '{sender,email}')
          AS "from"
      FROM send_log l LEFT JOIN member ON member.account_id = l.account_id AND member.id = l.member_id
      WHERE l.account_id = ${account.id} AND l.id = ${sendLogId} AND l.sender_id IS NOT NULL`.execute(tx);
    const [run] = rows;
    return run === undefined ? notFound() : { ...run, left_out: await countLeftOut(tx, account.id, sendLogId) };
  });
}

/** Counts the mails not sent because of their company, at the run's acceptance or later. */
async function countLeftOut(tx: Tx, accountId: number, sendLogId: number): Promise<Origin['left_out']> {
  const { rows } = await sql<{ readonly reason: DeliveryReason; readonly count: number }>`
    SELECT reason, count(*)::integer AS count FROM delivery
    WHERE account_id = ${accountId} AND send_log_id = ${sendLogId} AND state = 'cancelled'
      AND reason <> 'run_cancelled'
    GROUP BY reason ORDER BY count DESC, reason`.execute(tx);
  return rows;
}

/**
 * Lists the account's send logs, newest first.
 * `attack_list` holds the prospects that count as contacted: those of sent or unknown mails, and those of logs recorded
 * by hand.
 */
export function listSendLogs(
  account: AccountDb,
  query: z.output<(typeof listCall)['query']>,
): Promise<ListText | Problem> {
  const { columns } = query;
  const contacted = sql<string>`to_json(ARRAY(
    SELECT d.prospect_id FROM delivery d
    WHERE d.account_id = send_log.account_id AND d.send_log_id = send_log.id AND d.state IN ('sent', 'unknown')
    UNION ALL
    SELECT c.prospect_id FROM recorded_contact c
    WHERE c.account_id = send_log.account_id AND c.send_log_id = send_log.id
    ORDER BY prospect_id))::text`;
  const order = sql`send_log.id DESC`;
  return answerList(account, listCall, {
    table: 'send_log',
    own: ownRows('send_log', account.id, query.where_info),
    order,
    query,
    read: async (tx, { where, limit, offset }) => {
      const found = await tx
        .selectFrom('send_log')
        .select(['id', 'sender_group_id', 'sender_id', 'sent_at', 'test_send_mode'])
        .$if(wantsColumn(columns, 'attack_list'), (rows) => rows.select(contacted.as('attack_list')))
        .where(where)
        .orderBy(order)
        .limit(limit)
        .offset(offset)
        .execute();
      return found.map((row) => {
        const sent_at = formatSecond(row.sent_at.getTime());
        return pickColumns({ ...row, sent_at, test_send_mode: asFlag(row.test_send_mode) }, columns);
      });
    },
    targetsOf: (ids) => sql`
      SELECT send_log_id AS id FROM delivery
      WHERE account_id = ${account.id} AND send_log_id = ANY (${ids}::bigint[]) AND state IN ('sent', 'unknown')
      UNION ALL
      SELECT send_log_id FROM recorded_contact
      WHERE account_id = ${account.id} AND send_log_id = ANY (${ids}::bigint[])`,
    view: '/send_log/view',
  });
}
