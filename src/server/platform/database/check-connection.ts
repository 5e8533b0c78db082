import type pg from 'pg';
import { openDatabase } from './db.ts';
import { type Role, roleName } from './roles/database-roles.ts';
import { readRoles, settingsToSet } from './roles/role-state.ts';

/** Why the connections of a URL cannot be used. */
export type ConnectionFault =
  | { readonly kind: 'unusable'; readonly error: Error }
  /** The URL logs in as another role, or as one with too many rights. */
  | { readonly kind: 'wrong role'; readonly details: string }
  | { readonly kind: 'settings'; readonly details: string }
  /**
   * A pooler assigns server connections per transaction.
   * Locks, LISTEN and prepared statements would then belong to another client.
   */
  | { readonly kind: 'shared' };

/** Logs in by a URL, and checks the role and the connection. @returns null if both are suitable */
export async function checkConnection(
  url: string,
  expected: { role: Role; prefix: string } | null,
): Promise<ConnectionFault | null> {
  const { pool, close } = openDatabase(url, { connections: 2 });
  try {
    if (await isShared(pool)) return { kind: 'shared' };
    return expected && (await roleFault(pool, expected));
  } catch (error) {
    return { kind: 'unusable', error: error as Error };
  } finally {
    await close();
  }
}

async function roleFault(
  pool: pg.Pool,
  { role, prefix }: { role: Role; prefix: string },
): Promise<ConnectionFault | null> {
  const name = roleName(prefix, role);
  const { rows } = await pool.query<{ user: string }>('SELECT session_user AS user');
  const user = rows[0]?.user;
  const state = (await readRoles(pool, prefix)).get(name);
  if (user !== name || state === undefined) return { kind: 'wrong role', details: `${user} ≠ ${name}` };
  if (state.excess.length > 0) return { kind: 'wrong role', details: `${name}: ${state.excess.join(', ')}` };
  const settings = settingsToSet(state).map(([key]) => key);
  return settings.length > 0 ? { kind: 'settings', details: `${name}: ${settings.join(', ')}` } : null;
}

/**
 * Checks whether two clients share one connection of the server.
 * The second client opens a transaction. A pooler in transaction mode gives it the connection of the first, idle
 * client, or gives the first another one afterwards.
 */
async function isShared(pool: pg.Pool): Promise<boolean> {
  const first = await pool.connect();
  const second = await pool.connect();
  try {
    const before = await backendOf(first);
    await second.query('BEGIN');
    const other = await backendOf(second);
    const after = await backendOf(first);
    await second.query('ROLLBACK');
    return before === other || before !== after;
  } catch (error) {
    // A pooler in statement mode refuses transactions.
    if ((error as { code?: string }).code === '08P01' && /pooling mode/.test((error as Error).message)) return true;
    throw error;
  } finally {
    first.release();
    second.release(true);
  }
}

async function backendOf(client: pg.PoolClient): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid;
}
