import { sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { addSender as addCall, updateSender as updateCall } from '#contract/senders/senders.ts';
import { addressKey } from '#domain/mail/address-key.ts';
import { timeInSentence } from '#domain/time/shown-time.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { hasRow, ownRows } from '../../platform/database/list-rows.ts';
import { lockGroupOf } from '../../platform/database/lock-account.ts';
import { fieldProblem, notFound, Problem } from '../../platform/problem.ts';
import { withoutUndefined } from '../../platform/without-undefined.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { groupProblem } from '../rights/group-problem.ts';
import { returnProblem, tooManyProblem, touchProfiles } from './pairs.command.ts';
import { profileContent, selectProfiles } from './profile.queries.ts';
import { fromProblem } from './profile-mailbox.queries.ts';
import { personColumns, writePerson } from './save-profile.command.ts';
import {
  contentOf,
  countSharing,
  type OwnContent,
  type Person,
  type SenderContent,
  type SenderDetail,
  selectSenderDetail,
  senderVersion,
} from './sender.queries.ts';
import {
  confirmedFlag,
  contentProblem,
  countPendingReservations,
  hasReservations,
  limitProblem,
} from './sender-content.queries.ts';

type AddInfo = z.output<(typeof addCall)['body']>['add_info'];

/**
 * Adds a sender to a group, in a transaction of the caller: to the profile of its person, or to a new one. An inactive
 * sender that is equal comes back instead.
 * @returns 400, 404 or 409
 */
export async function addSender(
  tx: Tx,
  member: MemberDb,
  { sender_group_id, active = 1, ...given }: AddInfo,
): Promise<CallAnswer<typeof addCall> | Problem> {
  const { id: accountId, memberId } = member;
  // The group's lock keeps it from being deactivated meanwhile.
  const hasGroup = await hasRow(tx, 'sender_group', { accountId, id: sender_group_id }, 'FOR NO KEY UPDATE');
  if (!hasGroup) return notFound();
  const { template_id, subject, mails_per_minute, ...person } = withoutUndefined(given);
  const own: OwnContent = { template_id, subject, active: active === 1 };
  const profile = await profileFor(tx, accountId, sender_group_id, person);
  const wanted = { ...profile.person, ...(mails_per_minute !== undefined && { mails_per_minute }) };
  const problem =
    (await contentProblem(tx, accountId, own, 'add_info')) ??
    limitProblem('add_info', profile.person, wanted, profile.operatorPerMinute) ??
    (await duplicateProblem(tx, accountId, profile.id, own, 'add_info'));
  if (problem) return problem;
  const back = own.active ? await findSender(tx, accountId, profile.id, { ...own, active: false }) : undefined;
  const tooMany = await tooManyProblem(tx, accountId, back === undefined ? 1 : 0);
  if (tooMany) return tooMany;
  const common = { account_id: accountId, sender_group_id, member_id: memberId };
  const profileId = await saveProfile(tx, common, profile, wanted);
  // The version of a profile covers its templates: a reader of the one before is told who added this one.
  if (profile.id !== null && own.active) await touchProfiles(tx, member, { all: [profileId], restored: [] });
  if (back !== undefined) await writeSender(tx, { accountId, memberId, id: back }, own);
  const id = back ?? (await insertSender(tx, { ...common, profile_id: profileId }, own));
  const { email } = wanted;
  await recordAudit(tx, { accountId, memberId, kind: 'sender_added', detail: { sender_id: id, email } });
  return { status: 'added', id, is_confirmed: await confirmedFlag(tx, accountId, profileId) };
}

/** The unset values of a new profile. */
const BLANK = { reply_to: null, bcc: null, signature: '', mails_per_minute: null };

type GivenPerson = Pick<Person, 'email' | 'person_in_charge'> & Partial<Omit<Person, 'mails_per_minute'>>;

type SenderProfile = Awaited<ReturnType<typeof profileFor>>;

/** Finds the first active profile of a group that equals the given values. A new one has no id yet. */
async function profileFor(tx: Tx, accountId: number, sender_group_id: number, person: GivenPerson) {
  const { email, ...given } = person;
  const known = await selectProfiles(tx)
    .where(ownRows('sender_profile', accountId, { sender_group_id, active: true }))
    .where(sql<boolean>`lower(sender_profile.email COLLATE "C") = ${addressKey(email)}`)
    .where(({ and }) =>
      and(
        Object.entries(given).map(
          ([name, value]) => sql<boolean>`${sql.ref(`sender_profile.${name}`)} IS NOT DISTINCT FROM ${value}`,
        ),
      ),
    )
    .orderBy('sender_profile.id')
    .limit(1)
    .executeTakeFirst();
  if (!known) return { id: null, person: { ...BLANK, ...person }, operatorPerMinute: null };
  return { id: known.id, person: profileContent(known), operatorPerMinute: known.operator_per_minute };
}

type NewRow = Readonly<Record<'account_id' | 'sender_group_id' | 'member_id', number>>;

/** Inserts a new profile, and writes what changes of a known one. @returns its id */
async function saveProfile(tx: Tx, row: NewRow, profile: SenderProfile, wanted: Person): Promise<number> {
  const { account_id: accountId, member_id: memberId } = row;
  const inserted = tx.insertInto('sender_profile').values({ ...row, ...personColumns(profile.person) });
  const profileId = profile.id ?? (await inserted.returning('id').executeTakeFirstOrThrow()).id;
  const fields = await writePerson(tx, { accountId, memberId, profileId }, profile.person, wanted);
  if (profile.id !== null && fields.length > 0) {
    const detail = { sender_profile_id: profileId, fields };
    await recordAudit(tx, { accountId, memberId, kind: 'sender_profile_changed', detail });
  }
  return profileId;
}

async function insertSender(tx: Tx, row: NewRow & { readonly profile_id: number }, own: OwnContent): Promise<number> {
  const inserted = tx.insertInto('sender').values({ ...row, ...own });
  return (await inserted.returning('id').executeTakeFirstOrThrow()).id;
}

/** Finds the first sender of a profile with a template, subject and state. A new profile (null) has none. */
async function findSender(
  tx: Tx,
  accountId: number,
  profile_id: number | null,
  { template_id, subject, active }: OwnContent,
  exceptId = 0,
): Promise<number | undefined> {
  if (profile_id === null) return undefined;
  const row = await tx
    .selectFrom('sender')
    .select('id')
    .where(ownRows('sender', accountId, { profile_id, template_id, active }))
    .where(sql<boolean>`coalesce(subject, '') = ${subject ?? ''}`)
    .where('id', '<>', exceptId)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}

/**
 * Refuses a second active sender of a profile with the same template and subject.
 * @param exceptId the changed sender
 */
async function duplicateProblem(
  tx: Tx,
  accountId: number,
  profileId: number | null,
  own: OwnContent,
  path: string,
  exceptId?: number,
): Promise<Problem | null> {
  if (!own.active || (await findSender(tx, accountId, profileId, own, exceptId)) === undefined) return null;
  const message = '同じ差出人、テンプレート、件名の送信者がすでにあります。その送信者を使うか、件名を変えてください。';
  return fieldProblem(`${path}.template_id`, 'sender_exists', message);
}

type UpdateBody = z.output<(typeof updateCall)['body']>;

/**
 * Changes a sender and its person, which other senders share, unless it has changed since `version`. A repeated change
 * succeeds.
 * @returns the new version; 400 with a fault at its field; 404; or 409
 */
export function updateSender(
  account: MemberDb,
  id: number,
  { version, update_info }: UpdateBody,
): Promise<CallAnswer<typeof updateCall> | Problem> {
  const { id: accountId, memberId, transaction } = account;
  return transaction(async (tx) => {
    const stored = await lockSender(tx, accountId, id);
    if (!stored) return notFound();
    const refused = await groupProblem(tx, account, 'sender', id);
    if (refused) return refused;
    const before = contentOf(stored);
    const { active, ...given } = withoutUndefined(update_info);
    const wanted: SenderContent = { ...before, ...given, active: active === undefined ? before.active : active === 1 };
    const answer = async (content: SenderContent) => ({
      status: 'updated' as const,
      id,
      version: senderVersion(content),
      is_confirmed: await confirmedFlag(tx, accountId, stored.profile_id),
      shared_by: await countSharing(tx, accountId, { id, profileId: stored.profile_id }),
    });
    // A client that lost the first answer repeats its request: the content is already stored.
    if (senderVersion(wanted) === senderVersion(before)) return answer(before);
    if (version !== senderVersion(before)) return senderChanged(stored);
    const problem =
      (await contentProblem(tx, accountId, wanted, 'update_info')) ??
      limitProblem('update_info', before, wanted, stored.operator_per_minute) ??
      (await emailProblem(tx, accountId, stored.profile_id, before, wanted)) ??
      (await switchProblem(tx, accountId, id, before, wanted)) ??
      (wanted.active ? await returnProblem(tx, { id: accountId, memberId }, [stored.profile_id]) : null) ??
      (await duplicateProblem(tx, accountId, stored.profile_id, wanted, 'update_info', id));
    if (problem) return problem;
    await write(tx, { accountId, memberId, id, profileId: stored.profile_id }, before, wanted);
    return answer(wanted);
  });
}

/** Locks the group against new reservations and changes of its profiles, and then the sender. */
async function lockSender(tx: Tx, accountId: number, id: number): Promise<SenderDetail | undefined> {
  await lockGroupOf(tx, accountId, 'sender', id);
  // A save of a template changes its senders' subjects without locking the group.
  if (!(await hasRow(tx, 'sender', { accountId, id }, 'FOR NO KEY UPDATE'))) return undefined;
  return selectSenderDetail(tx, accountId, id).executeTakeFirst();
}

async function write(
  tx: Tx,
  { accountId, memberId, id, profileId }: { accountId: number; memberId: number; id: number; profileId: number },
  before: SenderContent,
  wanted: SenderContent,
): Promise<void> {
  await writePerson(tx, { accountId, memberId, profileId }, before, wanted);
  const { template_id, subject, active } = wanted;
  await writeSender(tx, { accountId, memberId, id }, { template_id, subject, active });
  // A reactivated sender reactivates its person. The profile's version covers its templates.
  await touchProfiles(tx, { id: accountId, memberId }, { all: [profileId], restored: active ? [profileId] : [] });
  const names = Object.keys(wanted) as (keyof SenderContent)[];
  const fields = names.filter((name) => wanted[name] !== before[name]);
  const detail = { sender_id: id, fields, ...(wanted.email !== before.email && { email: wanted.email }) };
  await recordAudit(tx, { accountId, memberId, kind: 'sender_changed', detail });
}

async function writeSender(
  tx: Tx,
  { accountId, memberId, id }: { accountId: number; memberId: number; id: number },
  own: OwnContent,
): Promise<void> {
  await tx
    .updateTable('sender')
    .set({ ...own, member_id: memberId, updated_at: sql<Date>`now()` })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute();
}

/** Refuses another address that the person's mailbox does not allow. */
async function emailProblem(
  tx: Tx,
  accountId: number,
  profileId: number,
  before: Person,
  { email }: Person,
): Promise<Problem | null> {
  if (email === before.email) return null;
  const { mailbox_id } = await tx
    .selectFrom('sender_profile')
    .select('mailbox_id')
    .where('account_id', '=', accountId)
    .where('id', '=', profileId)
    .executeTakeFirstOrThrow();
  return fromProblem(tx, accountId, { mailbox_id, email }, 'update_info.email');
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
  return reservations > 0 ? hasReservations(reservations, 'sender') : null;
}

const senderChanged = ({ updated_by, updated_at }: SenderDetail): Problem => {
  const who = updated_by === null ? 'ほかの人' : `${updated_by}さん`;
  return new Problem(
    'sender_changed',
    `この送信者は、${who}が${timeInSentence(updated_at.getTime(), Date.now())}に変更しました。最新の内容を確認してから、保存し直してください。`,
  );
};
