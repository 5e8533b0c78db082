import { sql } from 'kysely';
import type { Tx } from './db.ts';

/** Locks the account's row until the end of the transaction, so that names stay unique and limits are kept. */
export async function lockAccount(tx: Tx, accountId: number): Promise<void> {
  await tx.selectFrom('account').select('id').where('id', '=', accountId).forNoKeyUpdate().execute();
}

/** Blocks transactions that lock the account's row. Callers of this function do not block each other. */
export async function shareAccount(tx: Tx, accountId: number): Promise<void> {
  await tx.selectFrom('account').select('id').where('id', '=', accountId).forShare().execute();
}

/**
 * Locks the sender group of a sender, profile, reservation or run until the end of the transaction.
 * Orders and reservations lock the group before any other row, so that each sees the others' targets.
 * @returns whether the account has that row
 */
export async function lockGroupOf(
  tx: Tx,
  accountId: number,
  table: 'sender' | 'sender_profile' | 'reservation' | 'send_log',
  id: number,
): Promise<boolean> {
  const group = await tx
    .selectFrom('sender_group')
    .select('sender_group.id')
    .where('sender_group.account_id', '=', accountId)
    .where('sender_group.id', '=', ({ selectFrom }) =>
      selectFrom(table).select('sender_group_id').where('account_id', '=', accountId).where('id', '=', id),
    )
    .forNoKeyUpdate()
    .executeTakeFirst();
  return group !== undefined;
}

/**
 * Locks one or all sender groups of an account: earlier orders have committed, and later ones wait.
 * @returns their ids
 */
export async function lockGroups(tx: Tx, accountId: number, only: number | null = null): Promise<number[]> {
  const groups = await tx
    .selectFrom('sender_group')
    .select('id')
    .where('account_id', '=', accountId)
    .$if(only !== null, (query) => query.where('id', '=', only as number))
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  return groups.map(({ id }) => id);
}

/**
 * First keys of advisory locks within an account, whose id is the second key. They do not block other changes of the
 * account. `imports`: one import at a time. `limits`: of files and waiting jobs. `parts`: one part of an upload at a
 * time.
 */
export const ACCOUNT_LOCKS = { imports: 4_202_614, limits: 4_202_615, parts: 4_202_616 } as const;

/**
 * The second key of the lock: an `integer`, while ids of later cells are larger. Accounts whose ids are far apart may
 * therefore share a lock.
 */
export const lockKeyOf = (accountId: number): number => accountId % (2 ** 31 - 1);

const keysOf = (lock: keyof typeof ACCOUNT_LOCKS, accountId: number) =>
  sql`${ACCOUNT_LOCKS[lock]}::integer, ${lockKeyOf(accountId)}::integer`;

/** Waits for such a lock, which is held until the end of the transaction. */
export async function lockWithin(tx: Tx, lock: keyof typeof ACCOUNT_LOCKS, accountId: number): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${keysOf(lock, accountId)})`.execute(tx);
}

/** Takes such a lock. @returns false at once if another transaction holds it */
export async function tryLockWithin(tx: Tx, lock: keyof typeof ACCOUNT_LOCKS, accountId: number): Promise<boolean> {
  const { rows } = await sql<{ isLocked: boolean }>`
    SELECT pg_try_advisory_xact_lock(${keysOf(lock, accountId)}) AS "isLocked"`.execute(tx);
  return rows[0]?.isLocked ?? false;
}
