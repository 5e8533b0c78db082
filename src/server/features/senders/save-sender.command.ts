import { sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { addSender as addCall, updateSender as updateCall } from '#contract/senders.ts';
import { MAX_SENDERS } from '#domain/limits.ts';
import { formatMinute } from '#domain/time/tokyo-time.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { countRows, hasRow, ownRows } from '../../platform/database/list-rows.ts';
import { notFound, Problem } from '../../platform/problem.ts';
import { withoutUndefined } from '../../platform/without-undefined.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { setChosenPace } from '../delivery/pauses/sender-pace.command.ts';
import {
  contentOf,
  type SenderContent,
  type SenderDetail,
  selectSenderDetail,
  senderVersion,
} from './sender.queries.ts';
import { confirmedFlag, contentProblem, countPendingReservations, hasReservations } from './sender-content.queries.ts';

type AddInfo = z.output<(typeof addCall)['body']>['add_info'];

/** Adds a sender to a group, in a transaction of the caller. @returns 400, 404 or 409 */
export async function addSender(
  tx: Tx,
  { id: accountId, memberId }: MemberDb,
  { sender_group_id, active = 1, ...given }: AddInfo,
): Promise<CallAnswer<typeof addCall> | Problem> {
  // The group's lock keeps it from being deactivated meanwhile, and counts of concurrent requests apart.
  const hasGroup = await hasRow(tx, 'sender_group', { accountId, id: sender_group_id }, 'FOR NO KEY UPDATE');
  if (!hasGroup) return notFound();
  const content: SenderContent = { ...BLANK, ...withoutUndefined(given), active: active === 1 };
  const problem = await contentProblem(tx, accountId, content, { path: 'add_info', operatorPerMinute: null });
  if (problem) return problem;
  if ((await countRows(tx, 'sender', ownRows('sender', accountId))) >= MAX_SENDERS) return tooManySenders();
  const { person, own, mails_per_minute } = partsOf(content);
  const common = { account_id: accountId, sender_group_id, member_id: memberId };
  const { id: profile_id } = await tx
    .insertInto('sender_profile')
    .values({ ...common, ...person })
    .returning('id')
    .executeTakeFirstOrThrow();
  const { id } = await tx
    .insertInto('sender')
    .values({ ...common, profile_id, ...own })
    .returning('id')
    .executeTakeFirstOrThrow();
  if (mails_per_minute !== null) await setChosenPace(tx, { accountId, profileId: profile_id }, mails_per_minute);
  const detail = { sender_id: id, email: content.email };
  await recordAudit(tx, { accountId, memberId, kind: 'sender_added', detail });
  return { status: 'added', id, is_confirmed: await confirmedFlag(tx, accountId, content.email) };
}

/** Divides a content into what its profile has, what the sender has, and its limit. */
const partsOf = ({ template_id, subject, active, mails_per_minute, ...person }: SenderContent) => ({
  person,
  own: { template_id, subject, active },
  mails_per_minute,
});

const BLANK = { reply_to: null, bcc: null, signature: '', mails_per_minute: null };

const tooManySenders = () =>
  new Problem(409, 'too_many_senders', `送信者は${MAX_SENDERS}人までです。使わない送信者を編集して使ってください。`);

type UpdateBody = z.output<(typeof updateCall)['body']>;

/**
 * Changes a sender, unless it has changed since `version`. A repeated change succeeds.
 * @returns the new version; 400 with a fault at its field; 404; or 409
 */
export function updateSender(
  { id: accountId, memberId, transaction }: MemberDb,
  id: number,
  { version, update_info }: UpdateBody,
): Promise<CallAnswer<typeof updateCall> | Problem> {
  return transaction(async (tx) => {
    if (!(await lockSender(tx, accountId, id))) return notFound();
    const stored = await selectSenderDetail(tx, accountId, id).executeTakeFirst();
    if (!stored) return notFound();
    const before = contentOf(stored);
    const { active, ...given } = withoutUndefined(update_info);
    const wanted: SenderContent = { ...before, ...given, active: active === undefined ? before.active : active === 1 };
    const answer = async (content: SenderContent) => ({
      status: 'updated' as const,
      id,
      version: senderVersion(content),
      is_confirmed: await confirmedFlag(tx, accountId, content.email),
    });
    // A client that lost the first answer repeats its request: the stored content is already the wanted one.
    if (senderVersion(wanted) === senderVersion(before)) return answer(before);
    if (version !== senderVersion(before)) return senderChanged(stored);
    const isNewLimit = wanted.mails_per_minute !== before.mails_per_minute;
    const rules = { path: 'update_info', operatorPerMinute: isNewLimit ? stored.operator_per_minute : null };
    const problem =
      (await contentProblem(tx, accountId, wanted, rules)) ?? (await switchProblem(tx, accountId, id, before, wanted));
    if (problem) return problem;
    await write(tx, { accountId, memberId, id, profileId: stored.profile_id }, before, wanted);
    return answer(wanted);
  });
}

/** Locks the group, against reservations that begin and changes of its profiles, and then the sender. */
async function lockSender(tx: Tx, accountId: number, id: number): Promise<boolean> {
  await tx
    .selectFrom('sender_group')
    .select('sender_group.id')
    .where('sender_group.account_id', '=', accountId)
    .where('sender_group.id', '=', ({ selectFrom }) =>
      selectFrom('sender').select('sender_group_id').where('account_id', '=', accountId).where('id', '=', id),
    )
    .forNoKeyUpdate()
    .execute();
  return hasRow(tx, 'sender', { accountId, id }, 'FOR NO KEY UPDATE');
}

async function write(
  tx: Tx,
  { accountId, memberId, id, profileId }: { accountId: number; memberId: number; id: number; profileId: number },
  before: SenderContent,
  wanted: SenderContent,
): Promise<void> {
  const { person, own, mails_per_minute } = partsOf(wanted);
  await tx
    .updateTable('sender_profile')
    .set({
      ...person,
      member_id: memberId,
      updated_at: sql<Date>`now()`,
      // A sender that is brought back brings back its person.
      ...(own.active && { active: true }),
    })
    .where('account_id', '=', accountId)
    .where('id', '=', profileId)
    .execute();
  await tx
    .updateTable('sender')
    .set({ ...own, member_id: memberId, updated_at: sql<Date>`now()` })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute();
  if (mails_per_minute !== before.mails_per_minute) {
    await setChosenPace(tx, { accountId, profileId }, mails_per_minute);
  }
  const isMoved = wanted.email !== before.email;
  if (isMoved) {
    // The links that were mailed to the earlier address must not confirm anything.
    await tx
      .deleteFrom('sender_confirmation')
      .where('account_id', '=', accountId)
      .where('sender_id', 'in', ({ selectFrom }) =>
        selectFrom('sender').select('id').where('account_id', '=', accountId).where('profile_id', '=', profileId),
      )
      .execute();
  }
  const names = Object.keys(wanted) as (keyof SenderContent)[];
  const fields = names.filter((name) => wanted[name] !== before[name]);
  const detail = { sender_id: id, fields, ...(isMoved && { email: wanted.email }) };
  await recordAudit(tx, { accountId, memberId, kind: 'sender_changed', detail });
}

/** Refuses to deactivate a sender on which reservations depend. */
async function switchProblem(
  tx: Tx,
  accountId: number,
  id: number,
  before: SenderContent,
  wanted: SenderContent,
): Promise<Problem | null> {
  if (!before.active || wanted.active) return null;
  const reservations = await countPendingReservations(tx, accountId, { sender_id: id });
  return reservations > 0 ? hasReservations(reservations) : null;
}

const senderChanged = ({ updated_by, updated_at }: SenderDetail): Problem => {
  const who = updated_by === null ? 'ほかの人' : `${updated_by}さん`;
  return new Problem(
    409,
    'sender_changed',
    `この送信者は、${who}が${formatMinute(updated_at.getTime())}に変更しました。最新の内容を確認してから、保存し直してください。`,
  );
};
