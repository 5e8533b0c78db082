import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { prepareDatabase } from '#server/commands/open-database.ts';
import { openDatabase } from '#server/platform/database/db.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#server/platform/embedded-postgres/embedded-postgres.ts';
import { ensureDatabase, livePostmaster } from '#server/platform/embedded-postgres/postmaster.ts';
import { reachableDataFolder } from '#server/platform/embedded-postgres/unprivileged.ts';
import { atFileEnd } from '#test/file-end.ts';
import { accessTo } from '#test/open-as.ts';
import { eventually } from '#test/sending.ts';
import { startWire, throughWire, type Wire } from './wire.ts';

/**
 * A migrated PostgreSQL with an asynchronous standby, for tests that lose the primary.
 * Its processes and folders end with the test.
 */
export interface ReplicatedPostgres {
  /** Leads to the primary, and after `failOver` to the standby. */
  readonly url: string;
  /** Waits until the standby has replayed everything, then ends the replication for good. */
  cutReplication(): Promise<void>;
  /** Kills the primary, promotes the standby, and connects `url` to it. */
  failOver(): Promise<void>;
}

/** A port without a listener. */
const NOWHERE = 1;
const PROMOTE_SECONDS = 60;
/** No power failure is simulated: written data survive the end of the server. */
const SETTINGS = ['fsync=off'];

export async function startReplicatedPostgres(): Promise<ReplicatedPostgres> {
  const original = await migratedServer();
  const copy = async () => {
    const folder = await makeFolder();
    onTestFinished(() => removeServer(folder));
    copyServer(original, folder);
    return folder;
  };
  const folders = { primary: await copy(), standby: await copy() };
  const database = databaseOf(original);

  const primary = await startEmbeddedPostgres(folders.primary, SETTINGS);
  const replication = await wireTo(primary);
  const standby = await startStandby(folders.standby, throughWire(primary.url, replication));
  const wire = await wireTo(primary);
  return {
    url: throughWire(inDatabase(primary.url, database), wire),
    cutReplication: async () => {
      const { end } = await askOne<{ end: string }>(primary.url, 'SELECT pg_current_wal_flush_lsn() AS end');
      await untilReplayed(standby, end);
      lead(replication, NOWHERE);
    },
    failOver: async () => {
      lead(wire, NOWHERE);
      await crash(primary.dataFolder);
      const { promoted } = await askOne<{ promoted: boolean }>(
        standby.url,
        `SELECT pg_promote(true, ${PROMOTE_SECONDS}) AS promoted`,
      );
      if (!promoted) throw new Error(`the standby was not promoted within ${PROMOTE_SECONDS} s`);
      lead(wire, portOf(standby));
    },
  };
}

let ofFile: Promise<string> | undefined;

/** Creates the folder of a migrated, stopped server as the source of copies, once per test file. */
function migratedServer(): Promise<string> {
  if (ofFile) return ofFile;
  const folder = makeFolder().then(migrateIn);
  ofFile = folder;
  atFileEnd(async () => {
    ofFile = undefined;
    await removeServer(await folder);
  });
  return folder;
}

async function migrateIn(folder: string): Promise<string> {
  const server = await startEmbeddedPostgres(folder, SETTINGS);
  await ensureDatabase(server.url, databaseOf(folder));
  await prepareDatabase(accessTo(inDatabase(server.url, databaseOf(folder))));
  await server.stop();
  return folder;
}

/** Returns a database name unique to the test file; the folder of its workers has the same name (workers.ts). */
const databaseOf = (folder: string): string => basename(folder);

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kaitaku-standby-'));
  // Started by root, the server runs as `nobody`, who must reach its data in this folder.
  await chmod(folder, 0o755);
  return folder;
}

async function removeServer(folder: string): Promise<void> {
  const dataFolder = dataFolderOf(folder);
  await crash(dataFolder);
  for (const suffix of ['', '.password', '.log']) await rm(`${dataFolder}${suffix}`, { recursive: true, force: true });
  await rm(folder, { recursive: true });
}

/** Returns the data folder of a server, as startEmbeddedPostgres() names it. */
const dataFolderOf = (folder: string): string => reachableDataFolder(join(folder, 'postgres'));

/** Copies a stopped server: its data, and the password file beside them. */
function copyServer(from: string, to: string): void {
  const [source, copy] = [dataFolderOf(from), dataFolderOf(to)];
  mkdirSync(dirname(copy), { recursive: true, mode: 0o755 });
  for (const suffix of ['', '.password']) execFileSync('cp', ['-a', `${source}${suffix}`, `${copy}${suffix}`]);
}

/** Starts a copy of a server as its hot standby. @param url leads to the primary */
async function startStandby(folder: string, url: string): Promise<EmbeddedPostgres> {
  await writeFile(join(dataFolderOf(folder), 'standby.signal'), '');
  return startEmbeddedPostgres(folder, [...SETTINGS, `primary_conninfo=${inDatabase(url, '')}`]);
}

const portOf = ({ url }: EmbeddedPostgres): number => Number(new URL(url).port);

function inDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}

async function wireTo(server: EmbeddedPostgres): Promise<Wire> {
  const wire = await startWire(portOf(server));
  onTestFinished(() => wire.close());
  return wire;
}

/** Leads new connections to this port, and closes the open ones. */
function lead(wire: Wire, port: number): void {
  wire.target = port;
  wire.cut();
}

async function askOne<Row>(url: string, query: string): Promise<Row> {
  const { pool, close } = openDatabase(url, { connections: 1 });
  try {
    return (await pool.query(query)).rows[0] as Row;
  } finally {
    await close();
  }
}

const untilReplayed = ({ url }: EmbeddedPostgres, lsn: string) =>
  eventually(
    () => askOne<{ replayed: boolean }>(url, `SELECT pg_last_wal_replay_lsn() >= '${lsn}' AS replayed`),
    ({ replayed }) => replayed,
    60_000,
  );

/**
 * Ends the server of a data folder, if one runs, without a checkpoint or answers to its clients.
 * SIGKILL has the same effect on the data, but would leave a shared memory segment.
 */
async function crash(dataFolder: string): Promise<void> {
  const postmaster = livePostmaster(dataFolder);
  if (postmaster) process.kill(postmaster.pid, 'SIGQUIT');
  while (livePostmaster(dataFolder) !== null) await sleep(10);
}
