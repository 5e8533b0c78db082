import { sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { updateMailRetention, viewMailRetention } from '#contract/mail-retention.ts';
import type { AccountDb, MemberDb } from '../../platform/account-db.ts';
import { asFlag } from '../../platform/as-flag.ts';
import { onlyRow } from '../../platform/only-row.ts';
import { recordAudit } from '../audit/record-audit.ts';

/** Counted up to here: an exact count of millions would read them all. */
const COUNT_MAX = 1_000_000;

/** Reads how long the account keeps its mails, and how many are archived. */
export const readRetention = (account: AccountDb): Promise<CallAnswer<typeof viewMailRetention>> =>
  account.snapshot(async (tx) => {
    const { rows } = await sql<{ months: number | null; blanks: boolean | null; archived: number }>`
      SELECT own.months, own.blanks, (
        SELECT count(*)::integer FROM (
          SELECT FROM archived_delivery WHERE account_id = ${account.id} LIMIT ${COUNT_MAX}) AS counted) AS archived
      FROM (SELECT) AS always LEFT JOIN mail_retention AS own ON own.account_id = ${account.id}`.execute(tx);
    const { months, blanks, archived } = onlyRow(rows);
    return { months, blanks: asFlag(blanks ?? false), archived };
  });

/** Changes it. A worker looks at the account within a minute. A repeated change writes nothing. */
export const updateRetention = (
  { id: accountId, memberId, transaction }: MemberDb,
  { months, blanks }: z.output<(typeof updateMailRetention)['body']>['update_info'],
): Promise<CallAnswer<typeof updateMailRetention>> =>
  transaction(async (tx) => {
    const { numAffectedRows } =
      months === null
        ? await sql`DELETE FROM mail_retention WHERE account_id = ${accountId}`.execute(tx)
        : await sql`
          INSERT INTO mail_retention AS own (account_id, months, blanks)
          VALUES (${accountId}, ${months}, ${blanks === 1})
          ON CONFLICT (account_id) DO UPDATE
          SET months = excluded.months, blanks = excluded.blanks, next_at = now(), updated_at = now()
          WHERE (own.months, own.blanks) <> (excluded.months, excluded.blanks)`.execute(tx);
    if (Number(numAffectedRows ?? 0) > 0) {
      await recordAudit(tx, {
        accountId,
        memberId,
        kind: 'mail_retention_changed',
        detail: { months, blanks: blanks === 1 },
      });
    }
    return { status: 'updated' };
  });
