import { sql } from 'kysely';
import type { Tx } from '../../../platform/database/db.ts';
import type { RunMail } from '../../mail-content/run-mail.ts';

/** Runs whose mail is kept from one claim to the next: a worker seldom sends more of them at a time. */
const RUNS_KEPT_MAX = 20;

/** The mails of the runs that were read last, by run, the latest at the end. `text`: as stored. */
const kept = new Map<number, { readonly text: string; readonly mail: RunMail }>();

/**
 * Reads the mail contents of runs: one object a run, which its claims share.
 * A later claim gets the same object while the stored text is the same, with all that perRun() has made from it: to
 * parse and check the templates again costs as much as some hundred mails.
 */
export async function mailsOfRuns(
  tx: Tx,
  accountId: number,
  runIds: readonly number[],
): Promise<ReadonlyMap<number, RunMail>> {
  const { rows } = await sql<{ id: number; text: string }>`
    SELECT id, mail::text AS text FROM send_log
    WHERE account_id = ${accountId} AND id = ANY (${[...new Set(runIds)]}::bigint[])`.execute(tx);
  return new Map(rows.map(({ id, text }) => [id, mailOf(id, text)]));
}

function mailOf(id: number, text: string): RunMail {
  const known = kept.get(id);
  const run = known?.text === text ? known : { text, mail: JSON.parse(text) as RunMail };
  kept.delete(id);
  kept.set(id, run);
  const [oldest] = kept.keys();
  if (kept.size > RUNS_KEPT_MAX && oldest !== undefined) kept.delete(oldest);
  return run.mail;
}
