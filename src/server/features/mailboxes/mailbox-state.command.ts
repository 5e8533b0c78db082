/*
 * Triggers, as "watched table: triggers → tables that they write" (bodies in schema.sql):
 *   mailbox: notice_of_mailbox → notice_event
 */

import { type Expression, type SqlBool, sql } from 'kysely';
import type { Tx } from '../../platform/database/db.ts';
import { isNotFrozen } from '../../platform/database/frozen.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { MailboxKey } from './mailbox.queries.ts';

/*
 * Claims, pauses and changes of a mailbox lock its row of mailbox_state. All lock in one order: the throttle row of a
 * profile, mailbox_state (by id), account_rule, deliveries (by id). Pauses and changes lock no throttle row.
 */

/** Locks a mailbox against claims, pauses and changes. @returns undefined where the account has no such mailbox */
export const lockBox = (tx: Tx, { accountId, id }: MailboxKey) =>
  tx
    .selectFrom('mailbox_state')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('mailbox_id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();

/** Mails rely on the mailbox's being read: if it was not read for this long, none leaves. */
const UNREAD_MINUTES = 60;

/** Whether a mailbox, the row `state` of mailbox_state, was not read lately. */
const isStale = sql<boolean>`(state.read_at > now() - make_interval(mins => ${sql.lit(UNREAD_MINUTES)})) IS NOT TRUE`;

/** Whether no mail leaves because a mailbox is not read. @param box its row; that of mailbox_state is `state` */
export const isUnread = (box: string) => sql<boolean>`(${sql.ref(box)}.takes_refusals AND ${isStale})`;

/** A mailbox without a pause, refused log-ins and faults. */
export const UNPAUSED = { paused_until: null, told_until: null, pauses: 0, why: null };

/**
 * Records that the server or the provider refuses the log-in of a mailbox. Its mails wait until a member connects it.
 * @param reply of the server or the provider
 * @returns whether it was usable until now
 */
export async function loseMailbox(tx: Tx, key: MailboxKey, reply: string): Promise<boolean> {
  const { accountId, id } = key;
  await lockBox(tx, key);
  const lost = await tx
    .updateTable('mailbox')
    .set({ state: 'reconnect' })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('state', '=', 'ok')
    .returning('address')
    .executeTakeFirst();
  if (!lost) return false;
  await tx
    .updateTable('mailbox_state')
    .set({ ...UNPAUSED, login_refusals: 0, last_fault: reply })
    .where('account_id', '=', accountId)
    .where('mailbox_id', '=', id)
    .execute();
  const detail = { mailbox_id: id, address: lost.address, reply };
  await recordAudit(tx, { accountId, memberId: null, kind: 'mailbox_lost', detail });
  return true;
}

/**
 * Notes the waiting mails of a mailbox that may send again, so that workers find them. Claims replace the due notes of
 * mailboxes that may not send.
 */
export const noteBoxMails = (tx: Tx, { accountId, id }: MailboxKey): Promise<void> =>
  noteMails(tx, accountId, sql<SqlBool>`profile.mailbox_id = ${id}`);

/** Notes the waiting mails of a mailbox that was not read lately, and is now. The caller records the look. */
export async function noteUnreadMails(tx: Tx, { accountId, id }: MailboxKey): Promise<void> {
  const { rows } = await sql`
    SELECT FROM mailbox_state AS state WHERE account_id = ${accountId} AND mailbox_id = ${id} AND ${isStale}
      AND ${isNotFrozen('state.account_id')}
    FOR NO KEY UPDATE`.execute(tx);
  if (rows.length > 0) await noteBoxMails(tx, { accountId, id });
}

/** Notes the waiting mails of a profile whose mailbox has changed. */
export const noteProfileMails = (
  tx: Tx,
  { accountId, profileId }: { readonly accountId: number; readonly profileId: number },
): Promise<void> => noteMails(tx, accountId, sql<SqlBool>`profile.id = ${profileId}`);

/** Inserts one due note for each sender that has waiting mail. @param isMeant of the row `profile` */
async function noteMails(tx: Tx, accountId: number, isMeant: Expression<SqlBool>): Promise<void> {
  await sql`
    INSERT INTO sender_due (account_id, sender_id, due_at)
    SELECT s.account_id, s.id, first.not_before
    FROM sender_profile AS profile
    JOIN sender s ON s.account_id = profile.account_id AND s.profile_id = profile.id
    CROSS JOIN LATERAL (
      SELECT d.not_before FROM delivery d
      WHERE d.account_id = s.account_id AND d.sender_id = s.id AND d.state = 'queued'
      ORDER BY d.not_before
      LIMIT 1
    ) AS first
    WHERE profile.account_id = ${accountId} AND ${isMeant} AND first.not_before < 'infinity'`.execute(tx);
}
