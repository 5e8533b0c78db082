import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { addSender as addCall, updateSender as updateCall } from '#contract/sender.ts';
import { MAX_SENDERS } from '#domain/limits.ts';
import { formatMinute } from '#domain/tokyo-time.ts';
import type { MemberDb } from '../../platform/account-db.ts';
import type { Tx } from '../../platform/db.ts';
import { asFlag } from '../../platform/list-rows.ts';
import { fieldConflict, fieldRefusal, notFound, Refusal } from '../../platform/refusal.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { setChosenPace } from '../delivery/sender-pace.command.ts';
import { readTemplate } from '../mail-content/template.ts';
import { confirmedAt } from '../sender-addresses/confirmed-address.queries.ts';
import { countPendingReservations, hasReservations } from './pending-reservations.queries.ts';
import { contentOf, loadSenderDetail, type SenderContent, type SenderDetail, senderVersion } from './sender.queries.ts';

type AddInfo = z.output<(typeof addCall)['body']>['add_info'];
type UpdateBody = z.output<(typeof updateCall)['body']>;

/** Adds a sender to a group, in a transaction of the caller. @returns 400, 404 or 409 */
export async function addSender(
  tx: Tx,
  { id: accountId, memberId }: MemberDb,
  { sender_group_id, active = 1, ...given }: AddInfo,
): Promise<CallAnswer<typeof addCall> | Refusal> {
  // The group's lock keeps it from being deactivated meanwhile, and counts of concurrent requests apart.
  const group = await tx
    .selectFrom('sender_group')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '=', sender_group_id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!group) return notFound();
  const content: SenderContent = { ...BLANK, ...withoutUndefined(given), active: active === 1 };
  const refused = await refuseContent(tx, accountId, content, { path: 'add_info', operatorPerMinute: null });
  if (refused) return refused;
  const { senders } = await tx
    .selectFrom('sender')
    .select(({ fn }) => fn.countAll<number>().as('senders'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  if (senders >= MAX_SENDERS) return tooManySenders();
  const { mails_per_minute, ...columns } = content;
  const { id } = await tx
    .insertInto('sender')
    .values({ account_id: accountId, sender_group_id, member_id: memberId, ...columns })
    .returning('id')
    .executeTakeFirstOrThrow();
  if (mails_per_minute !== null) await setChosenPace(tx, { accountId, id }, mails_per_minute);
  const detail = { sender_id: id, email: content.email };
  await recordAudit(tx, { accountId, memberId, kind: 'sender_added', detail });
  return { status: 'added', id, is_confirmed: await confirmedFlag(tx, accountId, content.email) };
}

const BLANK = { reply_to: null, bcc: null, signature: '', mails_per_minute: null };

/**
 * Changes a sender, unless it has changed since `version`. A repeated change succeeds.
 * @returns the new version; 400 with a fault at its field; 404; or 409
 */
export function updateSender(
  { id: accountId, memberId, transaction }: MemberDb,
  id: number,
  { version, update_info }: UpdateBody,
): Promise<CallAnswer<typeof updateCall> | Refusal> {
  return transaction(async (tx) => {
    if (!(await lockSender(tx, accountId, id))) return notFound();
    const stored = await loadSenderDetail(tx, accountId, id);
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
    const refused =
      (await refuseContent(tx, accountId, wanted, rules)) ?? (await refuseSwitch(tx, accountId, id, before, wanted));
    if (refused) return refused;
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
  const sender = await tx
    .selectFrom('sender')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return sender !== undefined;
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

/** Refuses what only the server can check: the template, the subject and the limit. */
async function refuseContent(
  tx: Tx,
  accountId: number,
  { template_id, subject, mails_per_minute, active }: SenderContent,
  { path, operatorPerMinute }: { readonly path: string; readonly operatorPerMinute: number | null },
): Promise<Refusal | null> {
  const template = await tx
    .selectFrom('mail_template')
    .select(['archived_at', 'subject'])
    .where('account_id', '=', accountId)
    .where('id', '=', template_id)
    // Keeps the template in place until the sender refers to it.
    .forKeyShare()
    .executeTakeFirst();
  if (!template) return notFound();
  if (template.archived_at !== null && active) return templateArchived(`${path}.template_id`);
  // A template of before the upgrade may have no subject.
  const used = subject ?? (active ? template.subject : null);
  const read = used === null ? null : readTemplate('subject', used);
  if (read && !read.ok) {
    const fault = subject === null ? `テンプレートの件名：${read.fault}` : read.fault;
    return fieldRefusal(`${path}.subject`, 'invalid_template', `${fault}。`);
  }
  if (operatorPerMinute !== null && mails_per_minute !== null && mails_per_minute > operatorPerMinute) {
    return aboveLimit(`${path}.mails_per_minute`, operatorPerMinute);
  }
  return null;
}

function templateArchived(path: string): Refusal {
  const message = 'このテンプレートはアーカイブされています。別のテンプレートを選ぶか、テンプレートを戻してください。';
  return fieldConflict(path, 'template_archived', message);
}

function aboveLimit(path: string, limit: number): Refusal {
  const message = `1〜${limit}で入力してください（管理者が決めた上限です）。`;
  return fieldRefusal(path, 'above_limit', message);
}

/** Refuses to deactivate a sender on which reservations depend. */
async function refuseSwitch(
  tx: Tx,
  accountId: number,
  id: number,
  before: SenderContent,
  wanted: SenderContent,
): Promise<Refusal | null> {
  if (!before.active || wanted.active) return null;
  const reservations = await countPendingReservations(tx, accountId, { column: 'sender_id', id });
  return reservations > 0 ? hasReservations(reservations) : null;
}

const confirmedFlag = async (tx: Tx, accountId: number, address: string) =>
  asFlag((await confirmedAt(tx, accountId, address)) !== null);

type Given<Info> = { [Name in keyof Info]?: Exclude<Info[Name], undefined> };
const withoutUndefined = <Info extends object>(info: Info): Given<Info> & Info =>
  Object.fromEntries(Object.entries(info).filter(([, value]) => value !== undefined)) as Given<Info> & Info;

const senderChanged = ({ updated_by, updated_at }: SenderDetail): Refusal => {
  const who = updated_by === null ? 'ほかの人' : `${updated_by}さん`;
  return new Refusal(
    409,
    'sender_changed',
    `この送信者は、${who}が${formatMinute(updated_at.getTime())}に変更しました。最新の内容を確認してから、保存し直してください。`,
  );
};

const tooManySenders = () =>
  new Refusal(409, 'too_many_senders', `送信者は${MAX_SENDERS}人までです。使わない送信者を編集して使ってください。`);
