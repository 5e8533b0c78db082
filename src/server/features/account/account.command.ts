import { sql } from 'kysely';
import { MAX_NAME_LENGTH, MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '#domain/limits.ts';
import { parseMailAddress } from '#domain/mail-address.ts';
import type { Db } from '../../platform/db.ts';
import { Refusal } from '../../platform/refusal.ts';
import { hashPassword } from '../auth/password.ts';
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
  if (!email.ok) return new Refusal(400, 'invalid_email', `メールアドレス「${account.email}」を確認してください。`);
  for (const [label, value] of [
    ['氏名', account.name],
    ['会社名', account.company],
  ] as const) {
    if (value.trim() === '' || value.length > MAX_NAME_LENGTH) {
      return new Refusal(400, 'invalid_name', `${label}は1〜${MAX_NAME_LENGTH}文字で入力してください。`);
    }
  }
  const refused = refusePassword(account.password);
  if (refused) return refused;
  const row = {
    email: email.address,
    name: account.name.trim(),
    company: account.company.trim(),
    password_hash: await hashPassword(account.password),
  };
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
  const refused = refusePassword(password);
  if (refused) return refused;
  const password_hash = await hashPassword(password);
  return db.transaction().execute(async (tx) => {
    const account = await tx
      .updateTable('account')
      .set({ password_hash, updated_at: new Date() })
      .where((where) => where(where.fn<string>('lower', ['email']), '=', email.toLowerCase()))
      .returning('id')
      .executeTakeFirst();
    if (!account) return new Refusal(404, 'not_found', `${email} のアカウントはありません。`);
    await tx.deleteFrom('session').where('account_id', '=', account.id).execute();
    return null;
  });
}

function refusePassword(password: string): Refusal | null {
  const { length } = password;
  if (length >= MIN_PASSWORD_LENGTH && length <= MAX_PASSWORD_LENGTH) return null;
  return new Refusal(
    400,
    'invalid_password',
    `パスワードは${MIN_PASSWORD_LENGTH}〜${MAX_PASSWORD_LENGTH}文字で入力してください。`,
  );
}
