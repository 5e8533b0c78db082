import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { StartupError } from '../startup-error.ts';
import { bundledPostgres, executable } from './binaries.ts';
import { databaseAnswers, ensureDatabase, livePostmaster, spawnPostmaster, stopPostmaster } from './postmaster.ts';
import {
  giveCommand,
  type Identity,
  makePrivateFolder,
  postgresIdentity,
  reachableDataFolder,
  takeCopied,
  usablePrograms,
} from './unprivileged.ts';

const USER = 'kaitaku';
const DATABASE = 'kaitaku';

export interface EmbeddedPostgres {
  /** postgres://… of the `kaitaku` database on 127.0.0.1. */
  readonly url: string;
  readonly dataFolder: string;
  /** Whether this start created the data folder. */
  readonly isNew: boolean;
  /** Whether the server was already running. */
  readonly adopted: boolean;
  stop(): Promise<void>;
}

/**
 * Starts the bundled PostgreSQL on `<folder>/postgres`, or adopts the one that already runs there.
 * A killed Kaitaku leaves its database running. The server listens on a free port of 127.0.0.1. Its random password is
 * in a file of mode 0600. Data is never deleted: an unusable folder is reported, not repaired.
 * @param settings further PostgreSQL settings, `name=value`
 * @throws StartupError no binary, another major version, no space, no permission
 */
export async function startEmbeddedPostgres(
  folder: string,
  settings: readonly string[] = [],
): Promise<EmbeddedPostgres> {
  const dataFolder = reachableDataFolder(join(folder, 'postgres'));
  const identity = postgresIdentity();
  const isNew = !hasData(dataFolder);
  const password = readOrMakePassword(`${dataFolder}.password`, isNew);
  const native = usablePrograms(bundledPostgres(), dirname(dataFolder));
  if (isNew) initialiseDataFolder({ native, dataFolder, identity, user: USER, password });
  else takeCopied(dataFolder, identity);
  refuseOtherMajor(dataFolder);

  const urlAt = (port: number, database: string) => urlOf(password, port, database);
  const running = livePostmaster(dataFolder);
  const adopted = running !== null && (await databaseAnswers(urlAt(running.port, 'postgres'), { timeoutMs: 10_000 }));
  const { pid, port } = adopted
    ? running
    : await spawnPostmaster({ native, dataFolder, identity, settings, urlAt: (p) => urlAt(p, 'postgres') });
  await ensureDatabase(urlAt(port, 'postgres'), DATABASE);
  const stop = () => stopPostmaster({ native, dataFolder, pid });
  return { url: urlAt(port, DATABASE), dataFolder, isNew, adopted, stop };
}

const urlOf = (password: string, port: number, database: string): string =>
  `postgres://${USER}:${password}@127.0.0.1:${port}/${database}`;

/** Returns the URL of the server that runs on `<folder>/postgres`; null: none runs. @throws StartupError */
export function runningPostgres(folder: string): string | null {
  const dataFolder = reachableDataFolder(join(folder, 'postgres'));
  const running = livePostmaster(dataFolder);
  if (running === null) return null;
  try {
    return urlOf(readFileSync(`${dataFolder}.password`, 'utf8'), running.port, DATABASE);
  } catch (error) {
    throw unusable(dirname(dataFolder), error as NodeJS.ErrnoException);
  }
}

/** Checks whether a folder contains a database. @throws StartupError if this user may not read it */
function hasData(dataFolder: string): boolean {
  try {
    return statSync(join(dataFolder, 'PG_VERSION'), { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    throw unusable(dirname(dataFolder), error as NodeJS.ErrnoException);
  }
}

/** @param isNew no database exists yet, so that any password fits */
function readOrMakePassword(path: string, isNew: boolean): string {
  try {
    if (existsSync(path)) {
      const password = readFileSync(path, 'utf8');
      chmodSync(path, 0o600);
      return password;
    }
    if (!isNew)
      throw new StartupError(
        `${path} がありません。データベースのフォルダーと一緒に、コピー元からコピーしてください。`,
      );
    mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
    const password = randomBytes(32).toString('hex');
    writeFileSync(path, password, { mode: 0o600 });
    return password;
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw unusable(dirname(path), error as NodeJS.ErrnoException);
  }
}

/** Makes the error for an unusable folder, with its remedy. */
function unusable(folder: string, { code = '', message }: NodeJS.ErrnoException): StartupError {
  const isForeign = ['EACCES', 'EPERM'].includes(code) && existsSync(folder);
  const remedy = isForeign
    ? `次のコマンドを実行してから、起動してください: ${giveCommand(folder, {})}`
    : '権限と空き容量を確認してください。';
  return new StartupError(`データフォルダー ${folder} を使えません（${message}）。${remedy}`);
}

const MAJOR = '18';

/** Refuses data of another major version, which this server cannot read. @throws StartupError */
function refuseOtherMajor(dataFolder: string): void {
  const major = readFileSync(join(dataFolder, 'PG_VERSION'), 'utf8').trim();
  if (major === MAJOR) return;
  throw new StartupError(
    `${dataFolder} はPostgreSQL ${major} のデータです（同梱は ${MAJOR}）。` +
      `PostgreSQL ${major} のpg_dumpで書き出して新しい DATA_DIR に読み込むか、DATABASE_URL でPostgreSQL ${major} のサーバーを指定してください。` +
      'データには手を加えていません。',
  );
}

interface NewDataFolder {
  native: string;
  dataFolder: string;
  identity: Identity;
  user: string;
  password: string;
}

/**
 * Creates a data folder by initdb beside its final place, then renames it. A start killed half-way leaves no incomplete
 * database.
 * @throws StartupError no space, no permission
 */
export function initialiseDataFolder({ native, dataFolder, identity, user, password }: NewDataFolder): void {
  const unfinished = `${dataFolder}.unfinished`;
  const passwordFile = `${unfinished}.password`;
  try {
    rmSync(unfinished, { recursive: true, force: true });
    makePrivateFolder(unfinished, identity);
    writeFileSync(passwordFile, password, { mode: 0o600 });
    if (identity.uid !== undefined && identity.gid !== undefined) chownSync(passwordFile, identity.uid, identity.gid);
    initdb(native, unfinished, identity, ['-U', user, `--pwfile=${passwordFile}`]);
    renameSync(unfinished, dataFolder);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    throw new StartupError(
      `データベースを ${dirname(dataFolder)} に作成できませんでした。権限と空き容量を確認してください。\n${(error as Error).message}`,
    );
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

function initdb(native: string, folder: string, identity: Identity, options: string[]): void {
  const { status, stderr, error } = spawnSync(
    executable(native, 'initdb'),
    ['-D', folder, '--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '--no-instructions', ...options],
    { ...identity, encoding: 'utf8', cwd: '/' },
  );
  if (error) throw error;
  if (status !== 0) throw new Error(stderr.trim());
}
