import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { Kysely, type Transaction } from 'kysely';
import pg from 'pg';
import type { DB } from './db-types.ts';
import { HintedDialect } from './driver/hinted-driver.ts';
import type { Role } from './roles/database-roles.ts';

/** A pool or one of its transactions: the parameter of every query. */
export type Db = Kysely<DB>;
export type Tx = Transaction<DB>;

export interface Database {
  readonly db: Db;
  /** For COPY and for advisory locks of one connection, which Kysely has no API for. */
  readonly pool: pg.Pool;
  close(): Promise<void>;
}

/** Parses a bigint (ids, yen) as a number. @throws if a number cannot hold it exactly */
function parseBigint(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`bigint beyond the safe integers: ${text}`);
  return value;
}

/** Keeps a date as `YYYY-MM-DD`: node-postgres would read it as midnight in the machine's zone. */
const keepText = (text: string): string => text;

const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (oid === pg.types.builtins.INT8) return parseBigint;
    return oid === pg.types.builtins.DATE ? keepText : pg.types.getTypeParser(oid, format as 'text');
  }) as never,
};

/**
 * SQLSTATEs of a database that is read-only, out of disk or connections, or unreachable (classes 08 and 53, 57P,
 * 25006).
 */
const UNAVAILABLE = /^(08|53|57P0[1-3])|^25006$/;
/** PgBouncer's code for anything unsupported, with severity FATAL. As ERROR it is a fault of our statement. */
const PROTOCOL_VIOLATION = '08P01';
/** System calls of a failing socket. */
const SOCKET_CALLS: ReadonlySet<string | undefined> = new Set(['connect', 'read', 'write']);
/** pg's errors without a code: a connection broke, or none was available. */
const BROKEN =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect)/;

/** Checks whether the database is unavailable, so that the same request may succeed later. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof pg.DatabaseError)
    return error.code === PROTOCOL_VIOLATION ? error.severity === 'FATAL' : UNAVAILABLE.test(error.code ?? '');
  if (!(error instanceof Error)) return false;
  return SOCKET_CALLS.has((error as NodeJS.ErrnoException).syscall) || BROKEN.test(error.message);
}

const UNIQUE_VIOLATION = '23505';

/** Returns the name of the unique index that an error reports as violated; null for another error. */
export const violatedKey = (error: unknown): string | null =>
  error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION ? (error.constraint ?? '') : null;

const DISK_FULL = '53100';

/** Checks whether a disk is full: the database's, or this machine's for temporary files. */
export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === DISK_FULL || error.code === 'ENOSPC');

/** Returns the settings of every connection. Prefixes a name in the URL by ours, so that otherClients() finds it. */
function connectionConfig(url: string) {
  const config = { connectionString: url, connectionTimeoutMillis: 10_000, application_name: 'kaitaku' };
  // pg also accepts URLs that URL cannot parse: those without a host.
  if (!url.includes('application_name=') || !URL.canParse(url)) return config;
  const own = new URL(url);
  const name = own.searchParams.get('application_name');
  own.searchParams.delete('application_name');
  return { ...config, connectionString: own.href, application_name: `kaitaku ${name}` };
}

/**
 * Closes a connection whose log-in fails on our side, such as by a missing password or a wrong server proof.
 * pg would leave it open until the server's timeout of a minute, and the process could not end before.
 */
class ClosingClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    const { connection } = this as unknown as { connection: EventEmitter & { stream: Socket } };
    connection.on('error', () => connection.stream.destroy());
  }
}

/**
 * Creates the connection on which a worker listens for notifications.
 * The caller connects it. It must not be shared by a pooler.
 * @param url postgres://user:password@host:port/database
 */
export const openListeningClient = (url: string): pg.Client =>
  new ClosingClient({ ...connectionConfig(url), keepAlive: true, keepAliveInitialDelayMillis: 10_000 });

/**
 * Opens a pool on a PostgreSQL server. Nothing connects before the first query.
 * @param url postgres://user:password@host:port/database
 * @param role the role of the URL; absent: the owner of the tables, only for migrations
 */
export function openDatabase(
  url: string,
  { role, connections = 10 }: { role?: Role; connections?: number } = {},
): Database {
  const pool = new pg.Pool({
    ...connectionConfig(url),
    Client: ClosingClient,
    max: connections,
    types,
    // Not for pools that COPY: pg cannot pipeline COPY with other queries.
    pipeline: role === 'api',
  });
  // An idle connection closed by the server is replaced by the pool, and the next query reports the cause.
  pool.on('error', () => {});
  // A connection closed by the server in use fails the next query. Without a listener the event would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  const db = new Kysely<DB>({ dialect: new HintedDialect(pool) });
  // Not db.destroy(), which ends the pool only if Kysely has run a query.
  return { db, pool, close: () => pool.end() };
}

/**
 * Returns Kysely on a client in use, so that a query of another room joins its transaction.
 * It does not release the client.
 */
export function dbOn(client: pg.PoolClient): Db {
  const query = client.query.bind(client);
  const connect = async () => ({ query, pipeline: false, release: () => {} });
  return new Kysely<DB>({ dialect: new HintedDialect({ connect } as never) });
}
