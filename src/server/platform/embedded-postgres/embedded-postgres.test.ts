import { spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, readlink, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { endWithUs } from '#test/reaper.ts';
import { openDatabase } from '../database/db.ts';
import { StartupError } from '../startup-error.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts';
import { sharedBuffersMb } from './postmaster.ts';
import { usablePrograms } from './unprivileged.ts';

/** Holds one data folder for all tests, because initdb takes seconds. */
let folder: string;
/** The clean-up steps of a test, run in the opposite order. */
let cleanUp: (() => Promise<unknown>)[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kaitaku-embedded-'));
  await chmod(folder, 0o755);
  return () => rm(folder, { recursive: true });
});

beforeEach(() => {
  cleanUp = [];
  return async () => {
    for (const undo of cleanUp.reverse()) await undo();
  };
});

async function start(): Promise<EmbeddedPostgres> {
  const forget = endWithUs({ postgresFolder: folder });
  const postgres = await startEmbeddedPostgres(folder);
  cleanUp.push(async () => {
    await postgres.stop();
    forget();
  });
  return postgres;
}

async function query<Row>(url: string, sql: string): Promise<Row[]> {
  const { pool, close } = openDatabase(url);
  try {
    return (await pool.query(sql)).rows as Row[];
  } finally {
    await close();
  }
}

test.each([
  [0.5, 128],
  [2, 256],
  [4, 512],
  [64, 1024],
])('of %d GB of memory it takes %d MB for its buffers', (memory, buffers) => {
  expect(sharedBuffersMb(memory * 2 ** 30)).toBe(buffers);
});

test('makes the links between its libraries where npm ran no install script', async () => {
  const native = await mkdtemp(join(tmpdir(), 'kaitaku-native-'));
  cleanUp.push(() => rm(native, { recursive: true }));
  await chmod(native, 0o755);
  await mkdir(join(native, 'lib'));
  await mkdir(join(native, 'bin'));
  await writeFile(join(native, 'lib/libpq.so.5.18'), '');
  const links = [{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }];
  await writeFile(join(native, 'pg-symlinks.json'), JSON.stringify(links));
  // The second start finds them.
  for (let round = 0; round < 2; round += 1) expect(usablePrograms(native, '/nowhere')).toBe(native);
  expect(await readlink(join(native, 'lib/libpq.so.5'))).toBe('libpq.so.5.18');
});

test('keeps the data over a restart, with fsync on', async () => {
  const first = await start();
  expect(first).toMatchObject({ adopted: false, isNew: true });
  expect(await query(first.url, 'SHOW fsync')).toStrictEqual([{ fsync: 'on' }]);
  await query(first.url, 'CREATE TABLE note AS SELECT 1 AS n');
  await first.stop();
  const second = await start();
  expect(second.isNew).toBe(false);
  expect(await query(second.url, 'SELECT n FROM note')).toStrictEqual([{ n: 1 }]);
});

test('adopts the server that a killed program left behind', async () => {
  const left = await start();
  const found = await start();
  expect(found).toMatchObject({ adopted: true, url: left.url });
});

test('recovers after the server itself was killed', async () => {
  const killed = await start();
  await query(killed.url, 'CREATE TABLE written AS SELECT 1 AS n');
  const [pid] = (await readFile(join(killed.dataFolder, 'postmaster.pid'), 'utf8')).split('\n');
  process.kill(Number(pid), 'SIGKILL');
  // PostgreSQL takes a process that we have not reaped yet for another server.
  await vi.waitFor(() => expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH'), 20_000);
  const again = await start();
  expect(again.adopted).toBe(false);
  expect(await query(again.url, 'SELECT n FROM written')).toStrictEqual([{ n: 1 }]);
});

test('the password is random and in a file that only its owner reads', async () => {
  const { url, dataFolder } = await start();
  const { mode } = await stat(`${dataFolder}.password`);
  expect(mode & 0o777).toBe(0o600);
  expect(new URL(url).password).toMatch(/^[0-9a-f]{64}$/);
  const wrong = new URL(url);
  wrong.password = 'password';
  await expect(query(wrong.href, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
});

const run = (program: string, ...args: string[]) => expect(spawnSync(program, args).status).toBe(0);

test.each([
  ['open to others', (data: string) => run('chmod', '-R', 'u=rwX,go=rX', `${data}/..`)],
  ['our own, as cp leaves it', (data: string) => run('chown', '-R', `${process.getuid?.()}`, `${data}/..`)],
  ['without its empty folders', (data: string) => run('find', data, '-type', 'd', '-empty', '-delete')],
])('bad-inputs 144: a copy that is %s is started', async (_what, change) => {
  const { dataFolder, stop, url } = await start();
  await query(url, 'CREATE TABLE IF NOT EXISTS copied AS SELECT 1 AS n');
  await stop();
  change(dataFolder);
  const again = await start();
  expect(await query(again.url, 'SELECT n FROM copied')).toStrictEqual([{ n: 1 }]);
  expect((await stat(dataFolder)).mode & 0o777).toBe(0o700);
  expect((await stat(`${dataFolder}.password`)).mode & 0o777).toBe(0o600);
});

test('a copied folder without its password is refused, and the file named', async () => {
  const { dataFolder, stop } = await start();
  await stop();
  await rename(`${dataFolder}.password`, `${dataFolder}.away`);
  cleanUp.push(() => rename(`${dataFolder}.away`, `${dataFolder}.password`));
  await expect(startEmbeddedPostgres(folder)).rejects.toThrow(/postgres\.password がありません/);
});

test.runIf(process.getuid?.() === 0)(
  "a copy of another user's is left as it is, and the command is named",
  async () => {
    const { dataFolder, stop } = await start();
    await stop();
    run('chown', '-R', '4321', dataFolder);
    const command = `chown -R 65534:65534 '${dataFolder}'`;
    await expect(startEmbeddedPostgres(folder)).rejects.toThrow(command);
    expect((await stat(join(dataFolder, 'PG_VERSION'))).uid).toBe(4321);
    run('sh', '-c', command);
    await start();
  },
);

test("bad-inputs 147: another major version's data are refused and left as they are", async () => {
  const { dataFolder, stop } = await start();
  await stop();
  await writeFile(join(dataFolder, 'PG_VERSION'), '17\n');
  await expect(startEmbeddedPostgres(folder)).rejects.toThrow(/PostgreSQL 17.*DATABASE_URL/s);
  await writeFile(join(dataFolder, 'PG_VERSION'), '18\n');
  await start();
});

test('bad-inputs 144: a folder it cannot make is named', async () => {
  await expect(startEmbeddedPostgres('/dev/null/kaitaku')).rejects.toThrow(StartupError);
  await expect(startEmbeddedPostgres('/dev/null/kaitaku')).rejects.toThrow('/dev/null/kaitaku');
});

test.runIf(process.getuid?.() === 0)(
  'bad-inputs 144: as root behind a closed folder it keeps its data where `nobody` can reach them',
  async () => {
    const closed = await mkdtemp(join(tmpdir(), 'kaitaku-embedded-'));
    cleanUp.push(() => rm(closed, { recursive: true }));
    const { url, dataFolder } = await startEmbeddedPostgres(closed).then((postgres) => {
      const { dataFolder: place } = postgres;
      for (const path of [place, `${place}.password`, `${place}.log`])
        cleanUp.push(() => rm(path, { recursive: true }));
      cleanUp.push(() => postgres.stop());
      return postgres;
    });
    expect(dataFolder.startsWith(closed)).toBe(false);
    expect(await query(url, 'SELECT 1 AS n')).toStrictEqual([{ n: 1 }]);
    expect(spawnSync('stat', ['-c', '%U', dataFolder], { encoding: 'utf8' }).stdout.trim()).toBe('nobody');
  },
);
