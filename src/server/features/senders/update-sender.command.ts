import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { updateSender as updateCall } from '#contract/senders.ts';
import { formatMinute } from '#domain/time/tokyo-time.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { hasRow } from '../../platform/database/list-rows.ts';
import { notFound, Problem } from '../../platform/problem.ts';
import { withoutUndefined } from '../../platform/without-undefined.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { setChosenPace } from '../delivery/pauses/sender-pace.command.ts';
import { countPendingReservations, hasReservations } from './pending-reservations.queries.ts';
import {
  contentOf,
  type SenderContent,
  type SenderDetail,
  selectSenderDetail,
  senderVersion,
} from './sender.queries.ts';
import { confirmedFlag, contentProblem } from './sender-content.queries.ts';

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
    await write(tx, { accountId, memberId, id }, before, wanted);
    return answer(wanted);
  });
}

/** Locks the group, against reservations that begin meanwhile, and then the sender. */
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
  { accountId, memberId, id }: { accountId: number; memberId: number; id: number },
  before: SenderContent,
  wanted: SenderContent,
): Promise<void> {
  const { mails_per_minute, ...columns } = wanted;
  await tx
    .updateTable('sender')
    .set(({ fn }) => ({ ...columns, member_id: memberId, updated_at: fn<Date>('now') }))
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute();
  if (mails_per_minute !== before.mails_per_minute) await setChosenPace(tx, { accountId, id }, mails_per_minute);
  const isMoved = wanted.email !== before.email;
  if (isMoved) {
    // The link that was mailed to the earlier address must not confirm anything.
    await tx
      .deleteFrom('sender_confirmation')
      .where('account_id', '=', accountId)
      .where('sender_id', '=', id)
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
