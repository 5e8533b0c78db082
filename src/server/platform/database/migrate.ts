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

/** Advisory lock (any fixed number): processes that start together migrate one after the other. */
export const MIGRATION_LOCK = 4_202_611;
/** How long a start may hold the lock without a migration. A longer wait means that another process migrates. */
const SHORT_WAIT_MS = 2000;

/** A migration failed and was rolled back; the ones before it stay. */
export class MigrationFault extends Error {
  override readonly name = 'MigrationFault';
}

export interface Applied {
  readonly version: number;
  readonly name: string;
  /** SHA-256 of its file. null: that of a release, or unknown. */
  readonly hash?: string | null | undefined;
  /** The pre-release that wrote the hash down. */
  readonly prerelease?: string | null | undefined;
}

interface Migration extends Applied {
  readonly hash: string;
  readonly sql: string;
}

const versionOf = (name: string) => Number(name.slice(0, 4));

/**
 * Lists the migrations of a folder.
 * @throws MigrationFault when two share a number: once the first is applied, the second never would be
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

/** The name of the first migration. Databases that were made before the first release have another. */
const BASELINE = 'baseline';

/** Checks whether migrations are the first ones of others: a database that has them becomes one that has all. */
export const isBeginning = (some: readonly Applied[], all: readonly Applied[]): boolean =>
  some.every((one, n) => {
    const other = all[n];
    return other?.version === one.version && other.name === one.name && !hasOtherFile(one, other);
  });

const hasOtherFile = (one: Applied, other: Applied): boolean =>
  typeof one.hash === 'string' && typeof other.hash === 'string' && one.hash !== other.hash;

/**
 * Refuses what a pre-release migrated with other files than those of this program.
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
 * Reads the migrations that were applied to a database, in order. None before the first one has made the table and lets
 * this role read it.
 */
export async function readApplied(db: Pick<pg.Pool, 'query'>): Promise<readonly Applied[]> {
  try {
    // As JSON: a database of an older version has no such columns.
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
 * @param program the version that the program needs; a newer database may permit it beside its own programs
 * @throws StartupError when the database permits newer programs alone, or is from before the first release: its
 * versions counted other migrations, so they are not compared
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
 * Returns the version of the schema that a program must need, at least, to run beside what the database has now.
 * By name: the column is of a later migration than the first.
 */
export async function oldestProgram(db: Db): Promise<number> {
  const { rows } = await sql<{ oldest: number }>`
    SELECT max(coalesce((to_jsonb(schema_migration) ->> 'oldest_program')::integer, version - 1)) AS oldest
    FROM schema_migration`.execute(db);
  return onlyRow(rows).oldest;
}

/**
 * Migrates the database to the newest schema; does nothing if it is up to date, or newer and permits this program.
 * Forward only, one transaction for each migration, its number written first.
 * @param to the version to stop at
 * @param rolePrefix prefix of the names of the roles in the migrations
 * @param program the version of this program: a pre-release writes down the hashes of its files
 * @param onWait called once when another process has held the lock for two seconds; the wait continues
 * @returns the versions applied
 * @throws StartupError when this program cannot use the database; MigrationFault
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
    for (const migration of pending) await apply(client, migration, rolePrefix);
    if (program.includes('-')) await writeHashes(client, program, migrations);
    return pending.map(({ version }) => version);
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => {});
    client.release();
  }
}

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

/** Writes down the files that a pre-release has applied: until the release they may change. */
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
