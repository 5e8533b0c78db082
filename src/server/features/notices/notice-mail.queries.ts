import { sql } from 'kysely';
import type { NoticeKind } from '#domain/account/notice.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { isNotFrozen } from '../../platform/database/frozen.ts';
import { type NoticeSubject, subjectNames } from './notice-subjects.queries.ts';
import { readSummary, type Summary } from './summary.queries.ts';

/** Longer than the longest mail attempt (platform/mail/system-mail.ts). */
const LEASE_SECONDS = 60;

/** A claim of a member's notice mail. Changes name its number, so that a late worker changes nothing. */
export interface MailClaim {
  readonly accountId: number;
  readonly memberId: number;
  readonly claimNo: number;
  /** Earlier attempts of this mail. */
  readonly attempts: number;
  /** An earlier attempt got no answer after the final dot: the mail may have arrived. */
  readonly isLost: boolean;
}

/** The events of one kind in a mail. */
export interface MailedNotice {
  readonly kind: NoticeKind;
  /** Events that no mail has reported yet. */
  readonly count: number;
  readonly percent: number | null;
  readonly subjects: readonly NoticeSubject[];
}

export interface ClaimedMail extends MailClaim {
  readonly to: string;
  readonly notices: readonly MailedNotice[];
  /** The morning summary; null: none in this mail. */
  readonly summary: Summary | null;
}

/** The day in Tokyo whose summary is due; null: none is due now. */
export type SummaryDay = string | null;

/**
 * Claims the due mail of one member, with its notices and summary.
 * @returns null if none is due. A mail without notices and summary is neither claimed nor sent: another worker was
 * faster, or there is nothing to report
 */
export function claimMail(db: Db, summaryDay: SummaryDay): Promise<ClaimedMail | null> {
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<MailClaim & { to: string; isMorning: boolean }>`
      SELECT own.account_id AS "accountId", own.member_id AS "memberId", own.mail_claim_no + 1 AS "claimNo",
        own.mail_attempts AS attempts, own.mail_lost AS "isLost", member.email AS to,
        ${isSummaryDue(summaryDay)} AS "isMorning"
      FROM notice_member own
      JOIN member ON member.account_id = own.account_id AND member.id = own.member_id AND member.active
      WHERE own.mail_lease_until IS NULL AND own.mail_not_before <= now() AND ${isNotFrozen('own.account_id')}
        AND (${isSummaryDue(summaryDay)} OR EXISTS (
          SELECT FROM notice
          WHERE notice.account_id = own.account_id AND notice.member_id = own.member_id AND mail_due_at <= now()))
      ORDER BY own.mail_not_before, own.account_id, own.member_id
      LIMIT 1
      FOR NO KEY UPDATE OF own SKIP LOCKED`.execute(tx);
    const [found] = rows;
    if (!found) return null;
    const { to, isMorning, ...claim } = found;
    const summary = isMorning && summaryDay !== null ? await readSummary(tx, claim, summaryDay) : null;
    const notices = await takeNotices(tx, claim);
    const isEmpty = notices.length === 0 && summary === null;
    await sql`
      UPDATE notice_member SET mail_claim_no = ${claim.claimNo},
        mail_lease_until = ${isEmpty ? null : sql`now() + make_interval(secs => ${LEASE_SECONDS})`},
        mailing_summary = ${summary === null ? null : summaryDay}::date,
        -- A day without anything to tell has no summary.
        summary_on = CASE WHEN ${isMorning && summary === null} THEN ${summaryDay}::date ELSE summary_on END
      WHERE account_id = ${claim.accountId} AND member_id = ${claim.memberId}`.execute(tx);
    return { ...claim, to, notices, summary };
  });
}

const isSummaryDue = (day: SummaryDay) =>
  sql<boolean>`(own.morning_summary AND coalesce(own.summary_on < ${day}::date, false))`;

/** Adds the due notices to the mail. */
async function takeNotices(tx: Tx, { accountId, memberId }: MailClaim): Promise<readonly MailedNotice[]> {
  const { rows } = await sql<MailedNotice & { id: number }>`
    SELECT n.id, n.kind, n.count - n.mailed AS count, n.percent, ${subjectNames(accountId)} AS subjects
    FROM notice n
    WHERE n.account_id = ${accountId} AND n.member_id = ${memberId} AND n.mail_due_at <= now()
    ORDER BY n.last_at DESC, n.id DESC
    FOR UPDATE`.execute(tx);
  await sql`
    UPDATE notice SET mailing = count, mail_due_at = NULL, mailed_at = now()
    WHERE account_id = ${accountId} AND id = ANY (${rows.map(({ id }) => id)}::bigint[])`.execute(tx);
  return rows.map(({ id: _id, ...notice }) => notice);
}

/** How a mail ended. `dropped`: no further attempt. */
export type MailEnd =
  | { readonly kind: 'sent' | 'dropped' }
  | { readonly kind: 'again'; readonly minutes: number; readonly isLost: boolean };

/** Ends a claim. Does nothing for a lost one. */
export const endMail = (db: Db, claim: MailClaim, end: MailEnd): Promise<void> =>
  db.transaction().execute(async (tx) => {
    const again = end.kind === 'again';
    const { numAffectedRows } = await sql`
      UPDATE notice_member SET mail_lease_until = NULL, mailing_summary = NULL,
        summary_on = CASE WHEN ${again} THEN summary_on ELSE coalesce(mailing_summary, summary_on) END,
        mail_attempts = ${again ? claim.attempts + 1 : 0}, mail_lost = ${again && end.isLost},
        mail_not_before = now() + make_interval(mins => ${again ? end.minutes : 0})
      WHERE account_id = ${claim.accountId} AND member_id = ${claim.memberId} AND mail_claim_no = ${claim.claimNo}
        AND mail_lease_until IS NOT NULL`.execute(tx);
    if (numAffectedRows === 0n) return;
    await sql`
      UPDATE notice SET mailing = NULL, mailed = CASE WHEN ${again} THEN mailed ELSE mailing END,
        mail_due_at = CASE WHEN ${again} THEN now() ELSE mail_due_at END
      WHERE account_id = ${claim.accountId} AND member_id = ${claim.memberId} AND mailing IS NOT NULL`.execute(tx);
  });

/** Returns the claims of dead workers. */
export async function findDeadClaims(db: Db): Promise<readonly MailClaim[]> {
  const { rows } = await sql<MailClaim>`
    SELECT account_id AS "accountId", member_id AS "memberId", mail_claim_no AS "claimNo",
      mail_attempts AS attempts, mail_lost AS "isLost"
    FROM notice_member WHERE mail_lease_until < now() AND ${isNotFrozen('account_id')}`.execute(db);
  return rows;
}
