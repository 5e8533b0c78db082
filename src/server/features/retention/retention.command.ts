import { sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { updateMailRetention, viewMailRetention } from '#contract/sending/retention.ts';
import type { AccountDb, MemberDb } from '../../platform/database/account-db.ts';
import { changedMeanwhile, contentVersion, isStale } from '../../platform/database/content-version.ts';
import type { Tx } from '../../platform/database/db.ts';
import { lockAccount } from '../../platform/database/lock-account.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import type { Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';

/** Counts up to this number: an exact count of millions would read them all. */
const COUNT_MAX = 1_000_000;

/** Reads how long the account keeps names and addresses in its mails, and how many mails are blanked. */
export const readRetention = (account: AccountDb): Promise<CallAnswer<typeof viewMailRetention>> =>
  account.snapshot(async (tx) => {
    const { rows } = await sql<{ months: number | null; archived: number }>`
      SELECT own.months, (
        SELECT count(*)::integer FROM (
          SELECT FROM delivery WHERE account_id = ${account.id} AND blanked_at IS NOT NULL LIMIT ${COUNT_MAX}
        ) AS counted) AS archived
      FROM (SELECT) AS always LEFT JOIN mail_retention AS own ON own.account_id = ${account.id}`.execute(tx);
    const { months, archived } = onlyRow(rows);
    return { months, archived, version: contentVersion({ months }) };
  });

/**
 * Changes it, unless it has changed since `version`. A worker starts on the account within a minute. A repeated change
 * writes nothing.
 */
export const updateRetention = (
  { id: accountId, memberId, transaction }: MemberDb,
  { version, update_info: { months } }: z.output<(typeof updateMailRetention)['body']>,
): Promise<CallAnswer<typeof updateMailRetention> | Problem> =>
  transaction(async (tx) => {
    await lockAccount(tx, accountId);
    const { by, at, ...setting } = await readSetting(tx, accountId);
    const answer = { status: 'updated' as const, version: contentVersion({ months }) };
    if (contentVersion(setting) === answer.version) return answer;
    if (isStale(version, setting)) return changedMeanwhile('mail_retention_changed', { by, at, what: '保存期間を' });
    await write(tx, accountId, memberId, months);
    await recordAudit(tx, { accountId, memberId, kind: 'mail_retention_changed', detail: { months } });
    return answer;
  });

/** Reads the setting, and who saved it last. */
async function readSetting(
  tx: Tx,
  accountId: number,
): Promise<{ months: number | null; by: string | null; at: Date | null }> {
  const found = await tx
    .selectFrom('mail_retention')
    .leftJoin('member', (join) =>
      join.on('member.account_id', '=', accountId).onRef('member.id', '=', 'mail_retention.member_id'),
    )
    .select(['mail_retention.months', 'member.name as by', 'mail_retention.updated_at as at'])
    .where('mail_retention.account_id', '=', accountId)
    .executeTakeFirst();
  return found ?? { months: null, by: null, at: null };
}

async function write(tx: Tx, accountId: number, memberId: number, months: number | null): Promise<void> {
  if (months === null) {
    await tx.deleteFrom('mail_retention').where('account_id', '=', accountId).execute();
    return;
  }
  await sql`
    INSERT INTO mail_retention (account_id, months, member_id) VALUES (${accountId}, ${months}, ${memberId})
    ON CONFLICT (account_id) DO UPDATE
    SET months = excluded.months, member_id = excluded.member_id, next_at = now(), updated_at = now()`.execute(tx);
}
