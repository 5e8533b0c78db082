import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import type pg from 'pg';
import { PACKAGE, VERSION } from '../package.ts';
import { StartupError } from '../startup-error.ts';
import { type Db, dbOn } from './db.ts';
import { onlyRow } from './only-row.ts';
import { withRolePrefix } from './roles/database-roles.ts';

/** The key of an advisory lock (any number), so that processes that start together migrate one after the other. */
export const MIGRATION_LOCK = 4_202_611;
/** How often a migration is tried that PostgreSQL ends, because it and an old program wait for each other's locks. */
const TRIES = 5;
const DEADLOCK = '40P01';
/** How long a start may hold the lock without migrating. A longer wait means that another process migrates. */
const SHORT_WAIT_MS = 2000;

/** A migration failed and was rolled back; earlier ones are kept. */
export class MigrationFault extends Error {
  override readonly name = 'MigrationFault';
}

export interface Applied {
  readonly version: number;
  readonly name: string;
  /** SHA-256 of its file; null: of a release, or unknown. */
  readonly hash?: string | null | undefined;
  /** The pre-release that recorded the hash. */
  readonly prerelease?: string | null | undefined;
}

interface Migration extends Applied {
  readonly hash: string;
  readonly sql: string;
}

const versionOf = (name: string) => Number(name.slice(0, 4));

/**
 * Lists the migrations of a folder.
 * @throws MigrationFault if two share a number: after the first, the second would never be applied
 */
async function namesIn(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_\w+\.sql$/.test(name)).sort();
  for (const [at, name] of names.entries()) {
    const before = names[at - 1] ?? '';
    if (before !== '' && versionOf(before) === versionOf(name))
      throw new MigrationFault(`${before} and ${name} have the same number`);
  }
  return names;
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const names = await namesIn(folder);
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(folder, name), 'utf8');
      const hash = createHash('sha256').update(text).digest('hex');
      return { version: versionOf(name), name: name.slice(5, -4), hash, sql: text };
    }),
  );
}

/** Returns the version of the schema that this program needs. */
export const newestVersion = async (folder = PACKAGE.migrations): Promise<number> =>
  versionOf((await namesIn(folder)).at(-1) ?? '0');

/** The name of the first migration. Databases from before the first release have another. */
const BASELINE = 'baseline';

/** Checks whether migrations are the first ones of a list, so that the rest can be applied. */
export const isBeginning = (some: readonly Applied[], all: readonly Applied[]): boolean =>
  some.every((one, n) => {
    const other = all[n];
    return other?.version === one.version && other.name === one.name && !hasOtherFile(one, other);
  });

const hasOtherFile = (one: Applied, other: Applied): boolean =>
  typeof one.hash === 'string' && typeof other.hash === 'string' && one.hash !== other.hash;

/**
 * Refuses a database that a pre-release migrated with other files than this program's.
 * @param what has these migrations, for the message
 * @throws StartupError
 */
export function refuseOtherFiles(what: string, applied: readonly Applied[], known: readonly Applied[]): void {
  const byVersion = new Map(known.map((one) => [one.version, one]));
  const other = applied.find((one) => hasOtherFile(one, byVersion.get(one.version) ?? one));
  if (other === undefined) return;
  throw new StartupError(
    `${what}は、リリース前の版 ${other.prerelease} が作った形のもので、この版のKaitakuでは使えません（マイグレーション ${other.version}）。` +
      `${other.prerelease} で見込み客リストをCSVに書き出し、新しいデータベースに取り込んでください。データには手を加えていません。`,
  );
}

/** Lists the migrations of this program. */
export const knownMigrations = (folder = PACKAGE.migrations): Promise<readonly Applied[]> => readMigrations(folder);

/**
 * Reads the migrations applied to a database, in order. Empty before the first one has created the table and its grant.
 */
export async function readApplied(db: Pick<pg.Pool, 'query'>): Promise<readonly Applied[]> {
  try {
    // As JSON, because a database of an older version lacks some columns.
    const { rows } = await db.query<Applied>(
      `SELECT version, name, to_jsonb(m) ->> 'hash' AS hash, to_jsonb(m) ->> 'prerelease' AS prerelease
       FROM schema_migration AS m ORDER BY version`,
    );
    return rows;
  } catch (error) {
    if (['42P01', '42501'].includes((error as { code?: string }).code ?? '')) return [];
    throw error;
  }
}

/**
 * Returns the version of a database; 0 before the first migration.
 * @param program the version that the program needs; a newer database may permit it too
 * @throws StartupError if the database permits only newer programs, or is from before the first release, whose versions
 * counted other migrations
 */
export async function checkVersion(db: Db, applied: readonly Applied[], program: number): Promise<number> {
  if (applied.some(({ version, name }) => version === 1 && name !== BASELINE)) {
    throw new StartupError(
      'このデータベースは、最初の公開より前のKaitakuが作ったもので、この版では使えません。' +
        'DATA_DIR に別のフォルダーを指定するか、DATABASE_URL に空のデータベースを指定してください。' +
        '見込み客リストは、元の版でCSVに書き出し、この版で取り込めます。',
    );
  }
  const version = applied.at(-1)?.version ?? 0;
  if (version <= program || (await oldestProgram(db)) <= program) return version;
  throw new StartupError(
    `データベースはこのプログラムより新しい版です（データベース ${version}、プログラム ${program}）。新しい版のKaitakuで起動してください。`,
  );
}

/**
 * Returns the oldest schema version that a program may need to run on the present database.
 * The column is read by name, because a later migration added it.
 */
export async function oldestProgram(db: Db): Promise<number> {
  const { rows } = await sql<{ oldest: number }>`
    SELECT max(coalesce((to_jsonb(schema_migration) ->> 'oldest_program')::integer, version - 1)) AS oldest
    FROM schema_migration`.execute(db);
  return onlyRow(rows).oldest;
}

/**
 * Migrates the database to the newest schema; does nothing if it is current, or newer and permits this program. Forward
 * only, one transaction per migration, whose number is written first.
 * @param to the version to stop at
 * @param rolePrefix prefix of the role names in the migrations
 * @param program the version of this program: a pre-release records the hashes of its files
 * @param onWait called once when another process has held the lock for two seconds; the wait continues
 * @returns the applied versions
 * @throws StartupError if this program cannot use the database; MigrationFault
 */
export async function migrate(
  pool: pg.Pool,
  {
    folder = PACKAGE.migrations,
    rolePrefix = 'kaitaku',
    onWait = () => {},
    to = Number.POSITIVE_INFINITY,
    program = VERSION,
  } = {},
): Promise<number[]> {
  const migrations = await readMigrations(folder);
  const client = await pool.connect();
  try {
    const waiting = setTimeout(onWait, SHORT_WAIT_MS);
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]).finally(() => clearTimeout(waiting));
    await client.query(
      `CREATE TABLE IF NOT EXISTS schema_migration (
         version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`,
    );
    const applied = await readApplied(client);
    const newest = await checkVersion(dbOn(client), applied, migrations.at(-1)?.version ?? 0);
    refuseOtherFiles('このデータベース', applied, migrations);
    const versions = new Set(applied.map(({ version }) => version));
    const late = migrations.find(({ version }) => version < newest && !versions.has(version));
    if (late)
      throw new MigrationFault(`migration ${late.version}_${late.name} is older than ${newest}, which is applied`);
    const pending = migrations.filter(({ version }) => version > newest && version <= to);
    for (const migration of pending) await applyThrough(client, migration, rolePrefix);
    if (program.includes('-')) await writeHashes(client, program, migrations);
    return pending.map(({ version }) => version);
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => {});
    client.release();
  }
}

/** Applies a migration, and again after each deadlock, which has changed nothing. */
async function applyThrough(client: pg.PoolClient, migration: Migration, prefix: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await apply(client, migration, prefix);
    } catch (error) {
      if (tries === TRIES || !isDeadlock(error)) throw error;
    }
  }
}

/** A lost connection is no MigrationFault: its rollback fails. */
const isDeadlock = (error: unknown): boolean =>
  error instanceof MigrationFault && (error.cause as { code?: string } | undefined)?.code === DEADLOCK;

async function apply(client: pg.PoolClient, { version, name, sql }: Migration, prefix: string): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query('INSERT INTO schema_migration (version, name) VALUES ($1, $2)', [version, name]);
    await client.query(withRolePrefix(sql, prefix));
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw new MigrationFault(`migration ${version}_${name}: ${(error as Error).message}`, { cause: error });
  }
}

/** Records the hashes of the files that a pre-release has applied: they may change until the release. */
async function writeHashes(client: pg.PoolClient, program: string, migrations: readonly Migration[]): Promise<void> {
  const { rowCount } = await client.query(
    `SELECT FROM pg_attribute WHERE attrelid = 'schema_migration'::regclass AND attname = 'hash'`,
  );
  if (rowCount === 0) return;
  await client.query(
    `UPDATE schema_migration AS applied SET prerelease = $1, hash = file.hash
     FROM unnest($2::integer[], $3::text[]) AS file (version, hash)
     WHERE applied.version = file.version AND applied.hash IS NULL`,
    [program, migrations.map(({ version }) => version), migrations.map(({ hash }) => hash)],
  );
}
