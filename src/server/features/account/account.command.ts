import { sql } from 'kysely';
import { NAME_MESSAGES } from '#contract/account.ts';
import { PASSWORD_MESSAGES } from '#contract/auth.ts';
import { addressKey } from '#domain/address-key.ts';
import { parseMailAddress } from '#domain/mail-address.ts';
import { passwordFault } from '#domain/password-rule.ts';
import { parseName } from '#domain/person-name.ts';
import type { Db } from '../../platform/db.ts';
import { Refusal } from '../../platform/refusal.ts';
import { hashPassword } from '../auth/password.ts';
import { closeSessionsOf } from '../auth/session.ts';
import { lockedAddress, moveAddress, refuseTaken } from '../email-change/move-address.command.ts';
import { addSenderGroup, type NewSenderGroup, starterGroup } from '../senders/sender-group.command.ts';

export interface NewAccount {
  email: string;
  name: string;
  company: string;
  password: string;
}

/**
 * An account with what it can send from at once: the groups given, or one that sends from the person's own address.
 * @returns its id, or why there is none
 */
export async function createAccount(
  db: Db,
  account: NewAccount,
  groups?: readonly NewSenderGroup[],
): Promise<number | Refusal> {
  const email = parseMailAddress(account.email);
  if (!email.ok) return invalidAddress(account.email);
  const name = readName('氏名', account.name);
  if (name instanceof Refusal) return name;
  const company = readName('会社名', account.company);
  if (company instanceof Refusal) return company;
  const refused = refusePassword(account.password, [email.address, name, company]);
  if (refused) return refused;
  const row = { email: email.address, name, company, password_hash: await hashPassword(account.password) };
  return db.transaction().execute(async (tx) => {
    const created = await tx
      .insertInto('account')
      .values(row)
      .onConflict((conflict) => conflict.expression(sql`lower(email)`).doNothing())
      .returning('id')
      .executeTakeFirst();
    if (!created) return new Refusal(409, 'email_taken', `${row.email} のアカウントはすでにあります。`);
    for (const group of groups ?? [starterGroup(row)]) await addSenderGroup(tx, created.id, group);
    return created.id;
  });
}

/** Sets a new password and ends every session of the account. @returns a refusal when the password or the address is no good */
export async function setPassword(db: Db, email: string, password: string): Promise<Refusal | null> {
  const account = await findAccount(db, email);
  if (!account) return unknownAddress(email);
  const refused = refusePassword(password, [account.email, account.name, account.company]);
  if (refused) return refused;
  const password_hash = await hashPassword(password);
  await db.transaction().execute(async (tx) => {
    await tx
      .updateTable('account')
      .set({ password_hash, updated_at: new Date() })
      .where('id', '=', account.id)
      .execute();
    await closeSessionsOf(tx, account.id);
    await tx.insertInto('audit_event').values({ account_id: account.id, kind: 'password_set_by_operator' }).execute();
  });
  return null;
}

/**
 * Gives an account another address without asking its mailbox: the way back when somebody else has changed it, or the mailbox is
 * gone. Ends every session and a change that is under way.
 */
export async function setEmail(db: Db, email: string, newEmail: string): Promise<Refusal | null> {
  const address = parseMailAddress(newEmail);
  if (!address.ok) return invalidAddress(newEmail);
  const account = await findAccount(db, email);
  if (!account) return unknownAddress(email);
  return refuseTaken(
    db.transaction().execute(async (tx) => {
      const from = await lockedAddress(tx, account.id);
      await moveAddress(tx, account.id, { from, to: address.address }, 'email_set_by_operator');
      return null;
    }),
  );
}

const findAccount = (db: Db, email: string) =>
  db
    .selectFrom('account')
    .select(['id', 'email', 'name', 'company'])
    .where((where) => where(where.fn<string>('lower', ['email']), '=', addressKey(email)))
    .executeTakeFirst();

function readName(label: string, written: string): string | Refusal {
  const parsed = parseName(written);
  return parsed.ok ? parsed.name : new Refusal(400, 'invalid_name', `${label}: ${NAME_MESSAGES[parsed.fault]}。`);
}

function refusePassword(password: string, own: readonly string[]): Refusal | null {
  const fault = passwordFault(password, own);
  return fault && new Refusal(400, 'invalid_password', `${PASSWORD_MESSAGES[fault]}。`);
}

const invalidAddress = (email: string) =>
  new Refusal(400, 'invalid_email', `メールアドレス「${email}」を確認してください。`);

const unknownAddress = (email: string) => new Refusal(404, 'not_found', `${email} のアカウントはありません。`);
