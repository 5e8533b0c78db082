import { sql } from 'kysely';
import type { Role } from '#domain/account/role.ts';
import { ERASED_NAME } from '#domain/law/erased-name.ts';
import { parseMailAddress } from '#domain/mail/address.ts';
import { addressKey } from '#domain/mail/address-key.ts';
import { accountDbOf } from '../../platform/database/account-db.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { lockAccount } from '../../platform/database/lock-account.ts';
import { Problem, type Refusal } from '../../platform/problem.ts';
import { invalidAddress, passwordProblem, readName } from '../account/account.command.ts';
import { orAddressTaken } from '../account/move-address.command.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { hashPassword } from '../auth/password.ts';
import { removeSecondStep } from '../auth/second-step/two-factor.command.ts';
import { cancelOpen } from './invitation-rows.ts';
import { addMember, erasedAddress, lockMember, teamProblem } from './member-rows.ts';
import { updateMember } from './update-member.command.ts';

/* Members as the operator changes them, by their addresses. As kaitaku_service. */

interface Added {
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly password: string;
}

/** Adds a member to an account, and cancels an open invitation of the address. @param now epoch milliseconds */
export async function addByOperator(db: Db, accountId: number, added: Added, now: number): Promise<Refusal | null> {
  const parsed = parseMailAddress(added.email);
  if (!parsed.ok) return invalidAddress(added.email);
  const email = parsed.address;
  const name = readName('氏名', added.name);
  if (name instanceof Problem) return name;
  const account = await db
    .selectFrom('account')
    .select('company')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();
  const problem = passwordProblem(added.password, [email, name, account.company]);
  if (problem) return problem;
  const { role } = added;
  const password_hash = await hashPassword(added.password);
  const by = { accountId, memberId: null };
  return orAddressTaken(
    accountDbOf(db)(accountId, null).transaction(async (tx) => {
      await lockAccount(tx, accountId);
      const full = await teamProblem(tx, accountId, { more: 1, now });
      if (full) return full;
      const member_id = await addMember(tx, accountId, { email, name, role, password_hash, groups: null });
      await cancelOpen(tx, by, sql`lower(invitation.email) = ${addressKey(email)}`);
      await recordAudit(tx, { ...by, kind: 'member_added_by_operator', detail: { member_id, email, role } });
      return null;
    }),
    new Problem('address_in_use', `${email} は、すでにメンバーのメールアドレスです。`),
  );
}

/** Changes the role of a member. Groups of a member who is no longer in sales end. */
export const setRoleByOperator = (db: Db, accountId: number, email: string, role: Role, now: number) =>
  change(db, accountId, email, { update_info: { role } }, now);

/**
 * Removes the second step of a member who has lost the telephone, as the call does. For an admin it also switches
 * passwords on again: else only those of admins with a second step open something.
 */
export async function removeTwoFactorByOperator(db: Db, accountId: number, email: string, now: number) {
  const done = await change(db, accountId, email, { update_info: { two_factor: 0 } }, now);
  if (!(done instanceof Problem)) await allowPasswords(db, accountId, email);
  return done;
}

const allowPasswords = (db: Db, accountId: number, email: string): Promise<void> =>
  accountDbOf(db)(accountId, null).transaction(async (tx) => {
    const allowed = await tx
      .updateTable('account_rule')
      .set({ password_off: false })
      .where('account_id', '=', accountId)
      .where('password_off', '=', true)
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('member')
            .select('id')
            .where('account_id', '=', accountId)
            .where('role', '=', 'admin')
            .where((where) => where(where.fn<string>('lower', ['email']), '=', addressKey(email))),
        ),
      )
      .executeTakeFirstOrThrow();
    if (allowed.numUpdatedRows === 0n) return;
    await recordAudit(tx, { accountId, memberId: null, kind: 'account_rule_changed', detail: { password_off: 0 } });
  });

/** Stops a member, as the call does. @param heir the address of who gets the reservations; null: nobody was named */
export async function stopByOperator(
  db: Db,
  accountId: number,
  { email, heir }: { readonly email: string; readonly heir: string | null },
  now: number,
): Promise<{ readonly sessions_ended: number } | Refusal> {
  const hand_over_to = heir === null ? undefined : await idOf(db, accountId, heir);
  if (heir !== null && hand_over_to === undefined) return unknownMember(heir);
  return change(db, accountId, email, { update_info: { active: 0 }, hand_over_to }, now);
}

async function change(
  db: Db,
  accountId: number,
  email: string,
  wanted: Parameters<typeof updateMember>[2],
  now: number,
): Promise<{ readonly sessions_ended: number } | Refusal> {
  const id = await idOf(db, accountId, email);
  return id === undefined ? unknownMember(email) : updateMember(accountDbOf(db)(accountId, null), id, wanted, now);
}

/**
 * Blanks the name and the address of a stopped member, and deletes the invitations of the address and the second step.
 * What the member did stays, and names the id.
 */
export async function eraseByOperator(db: Db, accountId: number, email: string): Promise<Refusal | null> {
  const memberId = await idOf(db, accountId, email);
  if (memberId === undefined) return unknownMember(email);
  return accountDbOf(db)(accountId, null).transaction(async (tx) => {
    await lockAccount(tx, accountId);
    const member = await lockMember(tx, { accountId, memberId });
    if (!member) return unknownMember(email);
    if (member.active)
      return new Problem('still_active', `${email} は利用中です。先に member stop で停止してください。`);
    await removeSecondStep(tx, { accountId, memberId });
    await tx
      .deleteFrom('invitation')
      .where('account_id', '=', accountId)
      .where(sql<boolean>`(member_id = ${memberId} OR lower(email) = ${addressKey(email)})`)
      .execute();
    await tx
      .updateTable('member')
      .set({ name: ERASED_NAME, email: erasedAddress, password_hash: 'erased', updated_at: sql<Date>`now()` })
      .where('account_id', '=', accountId)
      .where('id', '=', memberId)
      .execute();
    const detail = { member_id: memberId };
    await recordAudit(tx, { accountId, memberId: null, kind: 'member_erased_by_operator', detail });
    return null;
  });
}

async function idOf(db: Db | Tx, accountId: number, email: string): Promise<number | undefined> {
  const member = await db
    .selectFrom('member')
    .select('id')
    .where('account_id', '=', accountId)
    .where((where) => where(where.fn<string>('lower', ['email']), '=', addressKey(email)))
    .executeTakeFirst();
  return member?.id;
}

const unknownMember = (email: string) => new Problem('not_found', `${email} のメンバーは、このアカウントにいません。`);
