import { sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { updateSenderProfile as updateCall } from '#contract/senders/sender-profiles.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import { changedMeanwhile } from '../../platform/database/content-version.ts';
import type { Tx } from '../../platform/database/db.ts';
import type { Problem } from '../../platform/problem.ts';
import { withoutUndefined } from '../../platform/without-undefined.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { setProfileBox } from '../delivery/boxes/change-box.command.ts';
import { setChosenPace } from '../delivery/quota/sender-pace.command.ts';
import { enterGroup } from '../rights/group-problem.ts';
import { choosePairs, touchProfiles } from './pairs.command.ts';
import { type ProfileContent, profileContent, profileVersion, readProfile } from './profile.queries.ts';
import { pathProblem } from './profile-mailbox.queries.ts';
import type { Person } from './sender.queries.ts';
import { confirmedFlag, limitProblem } from './sender-content.queries.ts';

type UpdateBody = z.output<(typeof updateCall)['body']>;

/**
 * Changes a profile and its templates, unless either has changed since `version`. A repeated change succeeds.
 * @returns the new version; 400 with a fault at its field; 404; or 409
 */
export function updateProfile(
  member: MemberDb,
  id: number,
  { version, confirmed, update_info }: UpdateBody,
  /** false: SendGrid sends all mails. */
  { takesMailboxes }: { readonly takesMailboxes: boolean },
): Promise<CallAnswer<typeof updateCall> | Problem> {
  const { id: accountId, memberId, transaction } = member;
  return transaction(async (tx) => {
    // Locks out new reservations, and other changes of the group's profiles and senders.
    const refused = await enterGroup(tx, member, 'sender_profile', id);
    if (refused) return refused;
    const stored = await readProfile(tx, accountId, id);
    const before = profileContent(stored);
    const wanted = wantedContent(before, update_info);
    const answer = async ({ template_ids }: ProfileContent, at: string) => ({
      status: 'updated' as const,
      id,
      version: at,
      is_confirmed: await confirmedFlag(tx, accountId, id),
      template_ids: [...template_ids],
    });
    const next = profileVersion(wanted);
    // A client that lost the first answer repeats its request: the content is already stored.
    if (next === profileVersion(before)) return answer(before, next);
    if (version !== profileVersion(before)) {
      return changedMeanwhile('profile_changed', { by: stored.updated_by, at: stored.updated_at });
    }
    const problem =
      limitProblem('update_info', before, wanted, stored.operator_per_minute) ??
      (await pathProblem(tx, member, { id, before, wanted }, { takesMailboxes, isConfirmed: confirmed === 1 })) ??
      (await choosePairs(tx, member, { profile_id: id }, wanted.template_ids, 'update_info.template_ids'));
    if (problem) return problem;
    await write(tx, { accountId, memberId, profileId: id }, before, wanted);
    return answer(wanted, next);
  });
}

/** A profile with new templates is activated; a deactivated one uses none. */
function wantedContent(before: ProfileContent, info: UpdateBody['update_info']): ProfileContent {
  const { active, template_ids, ...person } = withoutUndefined(info);
  const chosen = template_ids === undefined ? before.template_ids : [...new Set(template_ids)].sort((a, b) => a - b);
  const isActive = active === undefined ? before.active || chosen.length > 0 : active === 1;
  return { ...before, ...person, active: isActive, template_ids: isActive ? chosen : [] };
}

/** A profile, and the member who changes it. */
interface ProfileChange {
  readonly accountId: number;
  readonly memberId: number;
  readonly profileId: number;
}

async function write(tx: Tx, key: ProfileChange, before: ProfileContent, wanted: ProfileContent): Promise<void> {
  const { accountId, memberId, profileId } = key;
  const fields = [...(await writePerson(tx, key, before, wanted))];
  if (wanted.active !== before.active) {
    await tx
      .updateTable('sender_profile')
      .set({ active: wanted.active, member_id: memberId, updated_at: sql<Date>`now()` })
      .where('account_id', '=', accountId)
      .where('id', '=', profileId)
      .execute();
    fields.push('active');
  }
  if (wanted.mailbox_id !== before.mailbox_id) {
    await setProfileBox(tx, { accountId, profileId }, wanted.mailbox_id);
    await touchProfiles(tx, { id: accountId, memberId }, { all: [profileId], restored: [] });
    fields.push('mailbox_id');
  }
  if (fields.length === 0) return;
  const detail = { sender_profile_id: profileId, fields, ...(fields.includes('email') && { email: wanted.email }) };
  await recordAudit(tx, { accountId, memberId, kind: 'sender_profile_changed', detail });
}

/** Returns the person's columns of the profile, without its limit. */
export const personColumns = ({ person_in_charge, email, reply_to, bcc, signature }: Person) => ({
  person_in_charge,
  email,
  reply_to,
  bcc,
  signature,
});

/** Writes changed fields of a person whose group is locked. @returns the names of changed fields */
export async function writePerson(
  tx: Tx,
  { accountId, memberId, profileId }: ProfileChange,
  before: Person,
  wanted: Person,
): Promise<readonly string[]> {
  const columns = personColumns(wanted);
  const { email, mails_per_minute } = wanted;
  const names = Object.keys({ ...columns, mails_per_minute }) as (keyof Person)[];
  const fields = names.filter((name) => wanted[name] !== before[name]);
  if (fields.length === 0) return fields;
  await tx
    .updateTable('sender_profile')
    .set({ ...columns, member_id: memberId, updated_at: sql<Date>`now()` })
    .where('account_id', '=', accountId)
    .where('id', '=', profileId)
    .execute();
  // All its senders change too: their versions and last editors must show it.
  await tx
    .updateTable('sender')
    .set({ member_id: memberId, updated_at: sql<Date>`now()` })
    .where('account_id', '=', accountId)
    .where('profile_id', '=', profileId)
    .execute();
  if (mails_per_minute !== before.mails_per_minute) await setChosenPace(tx, { accountId, profileId }, mails_per_minute);
  if (email !== before.email) {
    // Links mailed to the earlier address must no longer confirm.
    await tx
      .deleteFrom('sender_confirmation')
      .where('account_id', '=', accountId)
      .where('sender_id', 'in', ({ selectFrom }) =>
        selectFrom('sender').select('id').where('account_id', '=', accountId).where('profile_id', '=', profileId),
      )
      .execute();
  }
  return fields;
}
