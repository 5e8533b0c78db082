import { sql } from 'kysely';
import type { Tx } from '../../platform/database/db.ts';
import type { MergeValues } from './merge-keys.ts';
import type { FollowedMail, RunMail } from './run-mail.ts';

/** Reads the data of followed mails that their follow-ups need. @param ids of deliveries @returns by delivery id */
export async function readFollowedMails(
  tx: Tx,
  accountId: number,
  ids: readonly number[],
): Promise<ReadonlyMap<number, FollowedMail>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{
    id: number;
    run: number;
    messageId: string;
    companyName: string;
    personInCharge: string;
    mergeValues: MergeValues | null;
  }>`
    SELECT id, send_log_id AS run, message_id AS "messageId", company_name AS "companyName",
      person_in_charge AS "personInCharge", merge_values AS "mergeValues"
    FROM delivery WHERE account_id = ${accountId} AND id = ANY (${ids}::bigint[])`.execute(tx);
  // One object per run, so that its subject is parsed once.
  const runs = await readRuns(tx, accountId, [...new Set(rows.map(({ run }) => run))]);
  return new Map(
    rows.map(({ id, run, messageId, companyName, personInCharge, mergeValues }) => [
      id,
      {
        messageId,
        // The cast is safe: a foreign key guarantees that each mail has its run.
        mail: runs.get(run) as RunMail,
        target: { company_name: companyName, person_in_charge: personInCharge, merge_values: mergeValues },
      },
    ]),
  );
}

async function readRuns(tx: Tx, accountId: number, ids: readonly number[]): Promise<ReadonlyMap<number, RunMail>> {
  const { rows } = await sql<{ id: number; mail: RunMail }>`
    SELECT id, mail FROM send_log WHERE account_id = ${accountId} AND id = ANY (${ids}::bigint[])`.execute(tx);
  return new Map(rows.map(({ id, mail }) => [id, mail]));
}
