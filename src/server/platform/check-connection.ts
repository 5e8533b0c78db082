import type pg from 'pg';
import { type Role, roleName } from './database-roles.ts';
import { openDatabase } from './db.ts';
import { readRoles, settingsToSet } from './role-state.ts';

/** Why the connections of a URL are not what the program needs. */
export type ConnectionFault =
  | { readonly kind: 'unusable'; readonly error: Error }
  /** Somebody else than the role, or one with more rights than it should have. */
  | { readonly kind: 'wrong role'; readonly told: string }
  | { readonly kind: 'settings'; readonly told: string }
  /**
   * A pooler hands the server's connections out by transaction: locks, LISTEN and prepared statements would be another
   * client's.
   */
  | { readonly kind: 'shared' };

/** Logs in by a URL, and looks at what comes of it. @returns null where all is well */
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
  if (user !== name || state === undefined) return { kind: 'wrong role', told: `${user} ≠ ${name}` };
  if (state.excess.length > 0) return { kind: 'wrong role', told: `${name}: ${state.excess.join(', ')}` };
  const settings = settingsToSet(state).map(([key]) => key);
  return settings.length > 0 ? { kind: 'settings', told: `${name}: ${settings.join(', ')}` } : null;
}

/**
 * Whether two clients come to share one connection of the server. The second takes a transaction: a pooler by
 * transaction gives it the connection that the first, idle one was on, or gives the first another one afterwards.
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
    // A pooler by statement knows no transactions.
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
