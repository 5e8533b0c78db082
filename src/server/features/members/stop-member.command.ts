import { sql } from 'kysely';
import type { Role } from '#domain/account/role.ts';
import type { MemberKey } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { fieldProblem, Problem } from '../../platform/problem.ts';
import { recordAudits, recordMemberAct } from '../audit/record-audit.ts';
import { shutOut } from '../auth/session.ts';
import { countOpen, disconnectMailbox, openMailsProblem } from '../mailbox-settings/disconnect.command.ts';
import type { Ended } from '../mailbox-settings/end-consents.ts';

export interface Stop {
  /** Who stops the member; memberId null: the operator. */
  readonly by: { readonly accountId: number; readonly memberId: number | null };
  /** Who gets the reservations that have not begun; null: nobody was named. */
  readonly handOverTo: number | null;
  /** The mails that wait for the member's mailboxes may stay unsent. */
  readonly isConfirmed: boolean;
  /** Called with each disconnected mailbox, whose consent ends after the commit. */
  readonly onEnded: (ended: Ended) => void;
}

/**
 * Ends the sessions, mailed keys and pending address of a member who is being stopped, and hands the reservations over
 * that have not begun. Disconnects the member's mailboxes. Other runs and jobs go on; all rows keep their author. The
 * account, all groups and the member are locked.
 * @returns how many sessions ended; 400 for a colleague who cannot have the reservations; 409 if none was named, or
 * mails wait for the mailboxes
 */
export async function stopMember(
  tx: Tx,
  { accountId, memberId }: MemberKey,
  { by, handOverTo, isConfirmed, onEnded }: Stop,
): Promise<number | Problem> {
  const { reservations, groups } = await lockReservationsOf(tx, { accountId, memberId });
  if (reservations.length > 0) {
    if (handOverTo === null) return handOverNeeded(reservations.length);
    const problem = await heirProblem(tx, { accountId, memberId }, handOverTo, groups);
    if (problem) return problem;
  }
  const mailboxes = await readMailboxesOf(tx, { accountId, memberId });
  const question = isConfirmed ? null : await mailboxQuestion(tx, accountId, mailboxes);
  if (question) return question;
  for (const id of mailboxes) onEnded((await disconnectMailbox(tx, { accountId, id }, by.memberId)).ended);
  if (reservations.length > 0) {
    const { rows } = await sql<{ id: number; is_test: boolean }>`
      UPDATE reservation
      SET member_id = ${handOverTo}, version = version + 1, changed_by = ${by.memberId}, changed_at = now()
      WHERE account_id = ${accountId} AND id = ANY (${reservations}::bigint[])
      RETURNING id, test_send_mode AS is_test`.execute(tx);
    const changes = { taken_over: 1 } as const;
    await recordAudits(
      tx,
      rows.map(({ id, is_test }) => ({
        ...by,
        kind: 'reservation_changed',
        detail: { reservation_id: id, targets: 0, is_test, changes },
      })),
    );
  }
  const ended = await shutOut(tx, { accountId, memberId });
  await tx.deleteFrom('email_change').where('account_id', '=', accountId).where('member_id', '=', memberId).execute();
  await cancelNoticeMails(tx, { accountId, memberId });
  const handed_over_to = reservations.length > 0 ? handOverTo : null;
  const detail = { member_id: memberId, handed_over_to, reservations: reservations.length };
  await recordMemberAct(tx, by, 'member_stopped', detail);
  return ended;
}

/** Reads the connected mailboxes of a member, in the order in which several are locked. */
async function readMailboxesOf(tx: Tx, { accountId, memberId }: MemberKey): Promise<readonly number[]> {
  const rows = await tx
    .selectFrom('mailbox')
    .select('id')
    .where('account_id', '=', accountId)
    .where('owner_id', '=', memberId)
    .where('state', '<>', 'off')
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** Asks before the mails that wait for mailboxes stay unsent. */
async function mailboxQuestion(tx: Tx, accountId: number, mailboxIds: readonly number[]): Promise<Problem | null> {
  const open = mailboxIds.length === 0 ? null : await countOpen(tx, accountId, { mailboxIds });
  const messageOf = (what: string) => `この人のメールボックスから送る予定の${what}は、送信されません。`;
  return open && openMailsProblem(open, messageOf);
}

/** Cancels the mails about a member's notices that are due later. */
export async function cancelNoticeMails(tx: Tx, { accountId, memberId }: MemberKey): Promise<void> {
  // Locked first, as all do that change several notices of a member (decisions/notices).
  await tx
    .selectFrom('notice_member')
    .select('member_id')
    .where('account_id', '=', accountId)
    .where('member_id', '=', memberId)
    .forNoKeyUpdate()
    .execute();
  await tx
    .updateTable('notice')
    .set({ mail_due_at: null })
    .where('account_id', '=', accountId)
    .where('member_id', '=', memberId)
    .where('mail_due_at', 'is not', null)
    .execute();
}

/** Locks the member's reservations that have not begun. */
async function lockReservationsOf(tx: Tx, { accountId, memberId }: MemberKey) {
  const rows = await tx
    .selectFrom('reservation')
    .select(['id', 'sender_group_id'])
    .where('account_id', '=', accountId)
    .where('member_id', '=', memberId)
    .where('active', '=', true)
    .where('is_sent', '=', false)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  return { reservations: rows.map(({ id }) => id), groups: [...new Set(rows.map((row) => row.sender_group_id))] };
}

const handOverNeeded = (reservations: number) =>
  new Problem(
    'hand_over_needed',
    `まだ送信していない予約が${reservations.toLocaleString('ja-JP')}件あります。引き継ぐ人を選んでください。`,
    undefined,
    [{ path: 'reservations', message: String(reservations) }],
  );

/** Refuses a colleague who may not act in the groups of the reservations. */
async function heirProblem(
  tx: Tx,
  { accountId, memberId }: MemberKey,
  heirId: number,
  groups: readonly number[],
): Promise<Problem | null> {
  const { rows } = await sql<{ active: boolean; role: Role; others: readonly string[] | null }>`
    SELECT member.active, member.role, (
      SELECT array_agg(sender_group.group_name ORDER BY sender_group.id) FROM sender_group
      WHERE sender_group.account_id = ${accountId} AND sender_group.id = ANY (${groups}::bigint[])
        AND EXISTS (SELECT FROM member_group AS own
          WHERE own.account_id = ${accountId} AND own.member_id = member.id)
        AND NOT EXISTS (SELECT FROM member_group AS own
          WHERE own.account_id = ${accountId} AND own.member_id = member.id AND own.sender_group_id = sender_group.id)
    ) AS others
    FROM member WHERE member.account_id = ${accountId} AND member.id = ${heirId}`.execute(tx);
  const [heir] = rows;
  if (heirId === memberId || !heir?.active || heir.role === 'viewer') {
    return invalidHeir('予約を引き継げるのは、利用中の管理者か営業です');
  }
  if (heir.role !== 'sales' || heir.others === null) return null;
  return invalidHeir(
    `この人は、${heir.others.map((name) => `「${name}」`).join('、')}では操作できないため、引き継げません`,
  );
}

const invalidHeir = (message: string) => fieldProblem('hand_over_to', 'invalid_input', message);
