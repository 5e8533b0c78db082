import { sql } from 'kysely';
import type { Tx } from '../../platform/database/db.ts';

/** Removes companies from an account's notices and events. Deletes notices about nothing else. */
export async function eraseNotices(tx: Tx, accountId: number, companies: readonly number[]): Promise<void> {
  await sql`
    SELECT FROM notice_member WHERE account_id = ${accountId} ORDER BY member_id FOR NO KEY UPDATE`.execute(tx);
  await sql`
    DELETE FROM notice_event
    WHERE account_id = ${accountId} AND kind IN ('reply', 'doubtful_reply', 'refusal')
      AND subject_id = ANY (${companies}::bigint[])`.execute(tx);
  await sql`
    DELETE FROM notice
    WHERE account_id = ${accountId} AND kind IN ('reply', 'doubtful_reply', 'refusal') AND count = 1 AND mailing IS NULL
      AND subjects <@ ${companies}::bigint[] AND subjects <> '{}'`.execute(tx);
  await sql`
    UPDATE notice
    SET subjects = coalesce((
      SELECT array_agg(subject ORDER BY place) FROM unnest(subjects) WITH ORDINALITY AS s (subject, place)
      WHERE subject <> ALL (${companies}::bigint[])), '{}')
    WHERE account_id = ${accountId} AND kind IN ('reply', 'doubtful_reply', 'refusal')
      AND subjects && ${companies}::bigint[]`.execute(tx);
}
