import { sql } from 'kysely';
import type pg from 'pg';
import type { Tx } from '../../../platform/database/db.ts';
import { ACCOUNT_LOCKS } from '../../../platform/database/lock-account.ts';

const { imports: IMPORT_LOCK } = ACCOUNT_LOCKS;

/** Makes imports into one account take turns, until the transaction ends. */
export async function lockImports(client: pg.PoolClient, accountId: number): Promise<void> {
  await client.query('SELECT pg_advisory_xact_lock($1, $2)', [IMPORT_LOCK, accountId]);
}

/** Keeps imports into an account from beginning, until the transaction ends. @returns false while one is running */
export async function tryLockImports(tx: Tx, accountId: number): Promise<boolean> {
  const { rows } = await sql<{ isLocked: boolean }>`
    SELECT pg_try_advisory_xact_lock_shared(${IMPORT_LOCK}::integer, ${accountId}::integer) AS "isLocked"`.execute(tx);
  return rows[0]?.isLocked ?? false;
}
