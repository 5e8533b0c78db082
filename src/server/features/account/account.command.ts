import { sql } from 'kysely';
import { NAME_MESSAGES } from '#contract/account/account.ts';
import { PASSWORD_MESSAGES } from '#contract/account/auth.ts';
import { parseName } from '#domain/company/person-name.ts';
import type { LegalProfile } from '#domain/law/profile.ts';
import { NEW_ACCOUNT_UNDO_SECONDS } from '#domain/limits.ts';
import { parseMailAddress } from '#domain/mail/address.ts';
import { addressKey } from '#domain/mail/address-key.ts';
import type { MemberKey } from '../../platform/database/account-db.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { Problem, type Refusal } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { newPasswordFault } from '../auth/common-passwords.ts';
import { hashPassword } from '../auth/password.ts';
import { shutOut } from '../auth/session.ts';
import { addSenderGroup, type NewSenderGroup, starterGroup } from '../senders/sender-group.command.ts';
import { lockedMember, moveAddress, orAddressTaken } from './move-address.command.ts';

export interface NewAccount {
  email: string;
  name: string;
  company: string;
  password: string;
  /** The known fields of the first group's legal profile, besides the company's name. */
  legal?: Partial<LegalProfile>;
}

/**
 * Creates an account with its first member, an admin, and its sender groups.
 * @param groups by default one group that sends from the person's own address
 * @returns the id of the account, or why it was not created
 */
export async function createAccount(
  db: Db,
  account: NewAccount,
  groups?: readonly NewSenderGroup[],
): Promise<number | Refusal> {
  const email = parseMailAddress(account.email);
  if (!email.ok) return invalidAddress(account.email);
  const name = readName('氏名', account.name);
  if (name instanceof Problem) return name;
  const company = readName('会社名', account.company);
  if (company instanceof Problem) return company;
  const problem = passwordProblem(account.password, [email.address, name, company]);
  if (problem) return problem;
  const person = { email: email.address, name, password_hash: await hashPassword(account.password) };
  const created = db.transaction().execute(async (tx) => {
    await endSetup(tx);
    const { id } = await tx.insertInto('account').values({ company }).returning('id').executeTakeFirstOrThrow();
    await addFirstMember(tx, id, person, groups ?? [starterGroup({ ...person, company, legal: account.legal ?? {} })]);
    return id;
  });
  return orAddressTaken(created, new Problem('email_taken', `${person.email} のアカウントはすでにあります。`));
}

/** Ends the link that creates the first account, and locks its row until the end of the transaction. */
export async function endSetup(tx: Tx): Promise<void> {
  await tx.updateTable('installation').set({ setup_key_hash: null, setup_expires_at: null }).execute();
}

interface FirstMember {
  readonly email: string;
  readonly name: string;
  readonly password_hash: string;
}

/** Inserts the first member of a new account, an admin, and its sender groups. */
export async function addFirstMember(
  tx: Tx,
  accountId: number,
  member: FirstMember,
  groups: readonly NewSenderGroup[],
): Promise<void> {
  await tx
    .insertInto('member')
    .values({ account_id: accountId, ...member, role: 'admin' })
    .execute();
  for (const group of groups) await addSenderGroup(tx, accountId, group);
  await recordAudit(tx, { accountId, memberId: null, kind: 'account_created', detail: { email: member.email } });
}

/**
 * Lets the real sends of a new account be undone for some seconds. An account that an operator adds has no window,
 * as before: its programs may count on mails that leave at once. A chosen window stays.
 */
export async function addUndoWindow(db: Db, account_id: number): Promise<void> {
  await db
    .insertInto('account_rule')
    .values({ account_id, undo_seconds: NEW_ACCOUNT_UNDO_SECONDS })
    .onConflict((conflict) => conflict.column('account_id').doNothing())
    .execute();
}

/** Sets a new password and ends all sessions of the member. @returns a refusal for a bad password or unknown address */
export async function setPassword(db: Db, email: string, password: string): Promise<Refusal | null> {
  const member = await findMember(db, email);
  if (!member) return unknownAddress(email);
  if (member.isFrozen) return frozenAccount(email);
  const problem = passwordProblem(password, [member.email, member.name, member.company]);
  if (problem) return problem;
  const password_hash = await hashPassword(password);
  await db.transaction().execute(async (tx) => {
    await tx
      .updateTable('member')
      .set({ password_hash, updated_at: new Date() })
      .where('account_id', '=', member.accountId)
      .where('id', '=', member.memberId)
      .execute();
    await shutOut(tx, member);
    await recordAudit(tx, {
      accountId: member.accountId,
      memberId: null,
      kind: 'password_set_by_operator',
      detail: { member_id: member.memberId },
    });
  });
  return null;
}

/**
 * Sets a member's address without a confirmation mail, and ends all its sessions and a pending change.
 * Operators use it when somebody else has changed the address, or when the mailbox is lost.
 */
export async function setEmail(db: Db, email: string, newEmail: string): Promise<Refusal | null> {
  const address = parseMailAddress(newEmail);
  if (!address.ok) return invalidAddress(newEmail);
  const member = await findMember(db, email);
  if (!member) return unknownAddress(email);
  if (member.isFrozen) return frozenAccount(email);
  return orAddressTaken(
    db.transaction().execute(async (tx) => {
      const { email: from } = await lockedMember(tx, member);
      const to = address.address;
      await moveAddress(tx, member, to);
      await recordAudit(tx, {
        accountId: member.accountId,
        memberId: null,
        kind: 'email_set_by_operator',
        detail: { member_id: member.memberId, from, to },
      });
      return null;
    }),
  );
}

interface FoundMember extends MemberKey {
  readonly email: string;
  readonly name: string;
  readonly company: string;
  readonly isFrozen: boolean;
}

const findMember = (db: Db, email: string): Promise<FoundMember | undefined> =>
  db
    .selectFrom('member')
    .innerJoin('account', 'account.id', 'member.account_id')
    .select(['account.id as accountId', 'member.id as memberId', 'member.email', 'member.name', 'account.company'])
    .select(sql<boolean>`account.frozen_at IS NOT NULL`.as('isFrozen'))
    .where((where) => where(where.fn<string>('lower', ['member.email']), '=', addressKey(email)))
    .executeTakeFirst();

export function readName(label: string, written: string): string | Refusal {
  const parsed = parseName(written);
  return parsed.ok ? parsed.name : new Problem('invalid_name', `${label}: ${NAME_MESSAGES[parsed.fault]}。`);
}

export function passwordProblem(password: string, own: readonly string[]): Refusal | null {
  const fault = newPasswordFault(password, own);
  return fault && new Problem('invalid_password', `${PASSWORD_MESSAGES[fault]}。`);
}

export const invalidAddress = (email: string) =>
  new Problem('invalid_email', `メールアドレス「${email}」を確認してください。`);

/** The answer to an operator's command for a frozen account: nothing changes until its thaw. */
export const frozenAccount = (email: string) =>
  new Problem(
    'account_frozen',
    `${email} のアカウントは、データの移行のために止まっています。account thaw で再開してから、やり直してください。`,
  );

const unknownAddress = (email: string) => new Problem('not_found', `${email} のアカウントはありません。`);
