import { sql } from 'kysely';
import type { CallAnswer } from '#contract/call.ts';
import type { ReportResults, viewRunResults } from '#contract/sending/reports.ts';
import { formatSecond, instantOf } from '#domain/time/tokyo-time.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import { hasRow } from '../../platform/database/list-rows.ts';
import { notFound, type Problem } from '../../platform/problem.ts';
import { isCountedState } from './report-sums.ts';

type Answer = CallAnswer<typeof viewRunResults>;

interface SlotRow extends ReportResults {
  readonly step: Answer['step_minutes'];
  /** The start of the interval, in steps after 1970-01-01 00:00 in Tokyo. */
  readonly slot: number;
}

/** Reads the results of one run by time, from its mails. @returns 404 when the account has no such send log */
export function readRunResults(account: AccountDb, id: number): Promise<Answer | Problem> {
  return account.snapshot(async (tx) => {
    if (!(await hasRow(tx, 'send_log', { accountId: account.id, id }))) return notFound();
    const { rows } = await sql<SlotRow>`
      WITH mail AS (
        SELECT d.state, d.replied, d.refused, extract(epoch FROM d.finished_at) / 60 + 540 AS minute
        FROM delivery AS d WHERE d.account_id = ${account.id} AND d.send_log_id = ${id} AND ${isCountedState}
      ), step AS (
        SELECT CASE WHEN took < 60 THEN 1 WHEN took < 600 THEN 10 WHEN took < 4320 THEN 60 ELSE 1440 END AS step
        FROM (SELECT max(minute) - min(minute) AS took FROM mail) AS span
      )
      SELECT step, floor(minute / step)::integer AS slot, count(*) FILTER (WHERE state = 'sent') AS sent,
        count(*) FILTER (WHERE state = 'failed') AS failed, count(*) FILTER (WHERE state = 'unknown') AS unknown,
        count(*) FILTER (WHERE replied) AS replied, count(*) FILTER (WHERE refused) AS refused
      FROM mail CROSS JOIN step GROUP BY 1, 2 ORDER BY 2`.execute(tx);
    return {
      step_minutes: rows[0]?.step ?? 1,
      times: rows.map(({ step, slot, ...results }) => ({
        at: formatSecond(instantOf('1970-01-01', slot * step)),
        ...results,
      })),
    };
  });
}
