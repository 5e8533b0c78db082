import { sql, type UpdateObject } from 'kysely';
import type { Role } from '#domain/account/role.ts';
import { openSession } from '#server/features/auth/session.ts';
import type { MemberKey } from '#server/platform/database/account-db.ts';
import type { Db } from '#server/platform/database/db.ts';
import type { DB } from '#server/platform/database/db-types.ts';

let serial = 0;

interface Person {
  readonly email?: string;
  readonly name?: string;
  readonly passwordHash?: string;
  readonly role?: Role;
}

/** Adds an account with one member, like `account create`, but without a sender. @param db the owner's connection */
export async function addAccount(
  db: Db,
  { company = '会社', ...person }: Person & { readonly company?: string } = {},
): Promise<MemberKey> {
  const { id: accountId } = await db
    .insertInto('account')
    .values({ company })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { accountId, memberId: await addMember(db, accountId, person) };
}

/**
 * Updates all accounts with triggers off: one sets the time of a move, and refuses changes of it.
 * @param db a superuser's connection
 */
export const setAccounts = (db: Db, values: UpdateObject<DB, 'account'>): Promise<unknown> =>
  db.transaction().execute(async (tx) => {
    await sql`SET LOCAL session_replication_role = replica`.execute(tx);
    await tx.updateTable('account').set(values).execute();
  });

/** Simulates that days have passed since the moves of all accounts. @param db a superuser's connection */
export const agePastMoves = (db: Db, days: number): Promise<unknown> =>
  setAccounts(db, { moved_at: sql<Date>`moved_at - make_interval(secs => ${days * 86_400})` });

/** Adds a member to an account. @returns the member's id */
export async function addMember(
  db: Db,
  accountId: number,
  { email, name = '利用者', passwordHash = 'none', role = 'admin' }: Person = {},
): Promise<number> {
  serial += 1;
  const { id } = await db
    .insertInto('member')
    .values({
      account_id: accountId,
      email: email ?? `user${serial}@example.com`,
      name,
      password_hash: passwordHash,
      role,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Updates the only member of an account. */
export async function updateMember(
  db: Db,
  accountId: number,
  { passwordHash, ...person }: Person & { readonly email_before_confirmation?: string },
): Promise<void> {
  await db
    .updateTable('member')
    .set({ ...person, ...(passwordHash !== undefined && { password_hash: passwordHash }) })
    .where('account_id', '=', accountId)
    .execute();
}

/** Returns the address that the only member of an account logs in with. */
export async function emailOf(db: Db, accountId: number): Promise<string> {
  const { email } = await db
    .selectFrom('member')
    .select('email')
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  return email;
}

/** Opens a session for the first member of an account. @returns its bearer token */
export async function openSessionOf(login: Db, accountId: number, now: number): Promise<string> {
  const { id: memberId } = await login
    .selectFrom('member')
    .select('id')
    .where('account_id', '=', accountId)
    .orderBy('id')
    .limit(1)
    .executeTakeFirstOrThrow();
  return openSession(login, { accountId, memberId }, now);
}
