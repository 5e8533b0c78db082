import { sql } from 'kysely';
import type { Tx } from '../../platform/database/db.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import { Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { requeueBoxMails } from '../delivery/boxes/change-box.command.ts';
import { type MailboxKey, readMailbox } from '../mailboxes/mailbox.queries.ts';
import { lockBox, UNPAUSED } from '../mailboxes/mailbox-state.command.ts';

import type { Ended } from './end-consents.ts';

/** What waits for mailboxes. */
interface OpenMails {
  readonly mails: number;
  readonly reservations: number;
}

/** Counts the real mails and reservations that have not begun, of the profiles that a condition selects. */
export async function countOpen(
  tx: Tx,
  accountId: number,
  of: { readonly mailboxIds: readonly number[] } | { readonly profileId: number },
): Promise<OpenMails> {
  const profiles =
    'profileId' in of ? sql`profile.id = ${of.profileId}` : sql`profile.mailbox_id = ANY (${of.mailboxIds}::bigint[])`;
  const { rows } = await sql<OpenMails>`
    WITH own AS (
      SELECT s.id FROM sender_profile AS profile
      JOIN sender s ON s.account_id = profile.account_id AND s.profile_id = profile.id
      WHERE profile.account_id = ${accountId} AND ${profiles}
    )
    SELECT
      (SELECT count(*) FROM delivery d JOIN own ON own.id = d.sender_id
        WHERE d.account_id = ${accountId} AND d.state = 'queued' AND NOT d.test_send_mode)::integer
      + (SELECT count(*) FROM delivery d JOIN own ON own.id = d.sender_id
        WHERE d.account_id = ${accountId} AND d.lease_until IS NOT NULL AND d.state = 'claimed'
          AND NOT d.test_send_mode)::integer AS mails,
      (SELECT count(*) FROM reservation r JOIN own ON own.id = r.sender_id
        WHERE r.account_id = ${accountId} AND r.active AND NOT r.is_sent AND NOT r.test_send_mode)::integer
        AS reservations`.execute(tx);
  return onlyRow(rows);
}

/** Asks before something happens to mails that wait. @returns null: none waits */
export function openMailsProblem(
  { mails, reservations }: OpenMails,
  messageOf: (what: string) => string,
): Problem | null {
  if (mails + reservations === 0) return null;
  const what = [
    ...(mails > 0 ? [`${mails.toLocaleString('ja-JP')}通`] : []),
    ...(reservations > 0 ? [`予約${reservations.toLocaleString('ja-JP')}件`] : []),
  ].join('と');
  return new Problem('has_open_mails', messageOf(what), undefined, [
    { path: 'mails', message: String(mails) },
    { path: 'reservations', message: String(reservations) },
  ]);
}

export const notSentAnyMore = (what: string): string => `このメールボックスから送る予定の${what}は、送信されません。`;

/**
 * Disconnects a mailbox: its secret is deleted, and its mails wait for another one.
 * @param by who disconnects it; null: the operator
 * @returns the new version, and what the caller ends at the provider after its commit
 */
export async function disconnectMailbox(
  tx: Tx,
  key: MailboxKey,
  by: number | null,
): Promise<{ readonly version: number; readonly ended: Ended }> {
  const { accountId, id } = key;
  await lockBox(tx, key);
  const ended = await readMailbox(tx, key);
  if (!ended) throw new Error(`no mailbox ${id}`);
  const { address, version } = await tx
    .updateTable('mailbox')
    .set((eb) => ({
      state: 'off',
      secret: null,
      secret_key: null,
      token_expires_at: null,
      token_lease: null,
      token_lease_until: null,
      other_from: [],
      version: eb('version', '+', 1),
    }))
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returning(['address', 'version'])
    .executeTakeFirstOrThrow();
  await tx
    .updateTable('mailbox_state')
    .set({ ...UNPAUSED, login_refusals: 0, last_fault: null, read_fault: null })
    .where('account_id', '=', accountId)
    .where('mailbox_id', '=', id)
    .execute();
  await requeueBoxMails(tx, key);
  const detail = { mailbox_id: id, address };
  await recordAudit(tx, { accountId, memberId: by, kind: 'mailbox_disconnected', detail });
  return { version, ended };
}
