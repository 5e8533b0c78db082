import { sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { updateMailRetention, viewMailRetention } from '#contract/retention.ts';
import { asFlag } from '../../platform/as-flag.ts';
import type { AccountDb, MemberDb } from '../../platform/database/account-db.ts';
import { changedMeanwhile, contentVersion, isStale } from '../../platform/database/content-version.ts';
import type { Tx } from '../../platform/database/db.ts';
import { lockAccount } from '../../platform/database/lock-account.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import type { Problem } from '../../platform/problem.ts';
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
    const setting = { months, blanks: asFlag(blanks ?? false) };
    return { ...setting, archived, version: contentVersion(setting) };
  });

/**
 * Changes it, unless it has changed since `version`. A worker looks at the account within a minute. A repeated change
 * writes nothing.
 */
export const updateRetention = (
  { id: accountId, memberId, transaction }: MemberDb,
  { version, update_info: { months, blanks: asked } }: z.output<(typeof updateMailRetention)['body']>,
): Promise<CallAnswer<typeof updateMailRetention> | Problem> =>
  transaction(async (tx) => {
    await lockAccount(tx, accountId);
    const stored = await readSetting(tx, accountId);
    // Nothing is blanked where nothing is moved.
    const wanted: Setting = { months, blanks: months === null ? 0 : asked };
    const answer = { status: 'updated' as const, version: contentVersion(wanted) };
    const { by, at, ...setting } = stored;
    if (contentVersion(setting) === answer.version) return answer;
    if (isStale(version, setting)) return changedMeanwhile('mail_retention_changed', { by, at, what: '保存期間を' });
    await write(tx, accountId, memberId, wanted);
    const detail = { months, blanks: asked === 1 };
    await recordAudit(tx, { accountId, memberId, kind: 'mail_retention_changed', detail });
    return answer;
  });

interface Setting {
  readonly months: number | null;
  readonly blanks: 0 | 1;
}

/** Reads the setting, and who saved it last. */
async function readSetting(tx: Tx, accountId: number): Promise<Setting & { by: string | null; at: Date | null }> {
  const found = await tx
    .selectFrom('mail_retention')
    .leftJoin('member', (join) =>
      join.on('member.account_id', '=', accountId).onRef('member.id', '=', 'mail_retention.member_id'),
    )
    .select(['mail_retention.months', 'mail_retention.blanks', 'member.name as by', 'mail_retention.updated_at as at'])
    .where('mail_retention.account_id', '=', accountId)
    .executeTakeFirst();
  if (!found) return { months: null, blanks: 0, by: null, at: null };
  const { months, blanks, by, at } = found;
  return { months, blanks: asFlag(blanks), by, at };
}

async function write(tx: Tx, accountId: number, memberId: number, { months, blanks }: Setting): Promise<void> {
  if (months === null) {
    await tx.deleteFrom('mail_retention').where('account_id', '=', accountId).execute();
    return;
  }
  await sql`
    INSERT INTO mail_retention (account_id, months, blanks, member_id)
    VALUES (${accountId}, ${months}, ${blanks === 1}, ${memberId})
    ON CONFLICT (account_id) DO UPDATE
    SET months = excluded.months, blanks = excluded.blanks, member_id = excluded.member_id, next_at = now(),
      updated_at = now()`.execute(tx);
}
