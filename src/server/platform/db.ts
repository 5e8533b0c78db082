import { Kysely, type Transaction } from 'kysely';
import pg from 'pg';
import type { Role } from './database-roles.ts';
import type { DB } from './db-types.ts';
import { HintedDialect } from './hinted-driver.ts';

/** A pool, or a transaction of it: what every query takes. */
export type Db = Kysely<DB>;
export type Tx = Transaction<DB>;

export interface Database {
  readonly db: Db;
  /** For what Kysely does not speak: COPY, advisory locks held by one connection. */
  readonly pool: pg.Pool;
  close(): Promise<void>;
}

/** bigint (ids, yen) as a number: refused rather than rounded where it would not be exact. */
function parseBigint(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`bigint beyond the safe integers: ${text}`);
  return value;
}

const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8 ? parseBigint : pg.types.getTypeParser(oid, format as 'text')) as never,
};

/** Read-only, out of room (disk, connections), or not to be reached: SQLSTATE classes 08 and 53, 57P and 25006. */
const UNAVAILABLE = /^(08|53|57P0[1-3])|^25006$/;
/** What the socket to it says. */
const SOCKET_CALLS = ['connect', 'read', 'write'];
/** What pg says in words alone, when a connection breaks or none can be had. */
const BROKEN =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect)/;

/** Whether an error says that the database cannot do it now, and may later; no request is at fault. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return UNAVAILABLE.test(error.code ?? '');
  if (!(error instanceof Error)) return false;
  return SOCKET_CALLS.includes((error as NodeJS.ErrnoException).syscall ?? '') || BROKEN.test(error.message);
}

/** What every connection is opened with. */
const connectionConfig = (url: string) => ({
  connectionString: url,
  connectionTimeoutMillis: 10_000,
  application_name: 'kaitaku',
});

/**
 * Makes the connection on which a worker listens for notifications. It connects when told to; a pooler must not share it with others.
 * @param url postgres://user:password@host:port/database
 */
export const openListeningClient = (url: string): pg.Client =>
  new pg.Client({ ...connectionConfig(url), keepAlive: true, keepAliveInitialDelayMillis: 10_000 });

/**
 * Opens a pool on a PostgreSQL server. Nothing connects until the first query.
 * @param url postgres://user:password@host:port/database
 * @param role what the URL logs in as; without one it is the owner of the tables, for migrations alone
 */
export function openDatabase(
  url: string,
  { role, connections = 10 }: { role?: Role; connections?: number } = {},
): Database {
  const pool = new pg.Pool({
    ...connectionConfig(url),
    max: connections,
    types,
    // Only where nothing is copied: COPY cannot share the way with other queries.
    pipeline: role === 'api',
  });
  // An idle connection that the server closes is replaced at the next query, which reports what is wrong.
  pool.on('error', () => {});
  // One in use that it closes between two queries of a transaction: so does the next of these. Unheard, it would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  const db = new Kysely<DB>({ dialect: new HintedDialect(pool) });
  // Not db.destroy(): that ends a pool only after a first query of Kysely's own.
  return { db, pool, close: () => pool.end() };
}
