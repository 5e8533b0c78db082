import { execFile } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { empty, emptyDatabase, type TestDatabase, testDatabase } from '#test/db.ts';
import { makeInstallation } from '#test/installation.ts';
import { startProgram } from '#test/program.ts';
import { addTenant } from '#test/prospects.ts';
import { runCommand } from '#test/run-command.ts';
import { eventually } from '#test/sending.ts';
import { backUpTo } from '../../features/backup/backup-folder.ts';
import { checkBackup } from '../../features/backup/check-backup.ts';
import { readTaskRuns } from '../../platform/tasks/task-runs.queries.ts';
import { BACKUP_TASK } from './periodic-tasks.ts';

let database: TestDatabase;
let place: string;
let folder: string;

beforeEach(async () => {
  database = await emptyDatabase();
  await addTenant(database.db);
  place = mkdtempSync(join(tmpdir(), 'kaitaku-nightly-'));
  folder = join(place, 'backups');
  onTestFinished(() => rmSync(place, { recursive: true }));
});

const env = (more: Record<string, string> = {}) => ({
  DATABASE_URL: database.url,
  DATA_DIR: join(place, 'data'),
  ...more,
});
const backup = (...args: string[]) => runCommand(['backup', '--to', folder, ...args], env());
const lastRun = async () => (await readTaskRuns(database.service.db)).get(BACKUP_TASK.name);
const named = /^kaitaku-\d{8}-\d{4}\.backup$/;

/** Writes a backup as of a time in Tokyo, 'YYYY-MM-DDTHH:mm'. @returns its name */
async function backUpAt(at: string, keep = { daily: 7, weekly: 4 }) {
  const options = { root: join(place, 'receipts'), onFault: () => {}, keep, now: Date.parse(`${at}:00+09:00`) };
  const { path } = await backUpTo(database.service.pool, folder, options);
  return path.slice(folder.length + 1);
}

test('writes a checked file for its owner alone, says so in one line, and records the success', async () => {
  const { code, out, err } = await backup();
  const [file = ''] = readdirSync(folder);
  expect(file).toMatch(named);
  expect([code, err]).toStrictEqual([0, '']);
  expect(out).toMatch(
    /^\/.*\/backups\/kaitaku-[\d-]+\.backup にバックアップを書き出し、確かめました（表 \d+、行 [\d,]+、送信の記録 0通、\d+ kB）。残したもの 1、消したもの 0。\n$/,
  );
  expect([folder, join(folder, file)].map((path) => (statSync(path).mode & 0o777).toString(8))).toStrictEqual([
    '700',
    '600',
  ]);
  await checkBackup(join(folder, file));
  expect(await lastRun()).toMatchObject({ fault: null });
  const tasks = await runCommand(['tasks'], env());
  expect(tasks.out).toMatch(/^正常 {2}\S+ \S+ {2}1日ごと {2}back up all accounts$/m);
});

test('deletes the expired backups of this installation, and nothing else', async () => {
  const first = await backUpAt('2024-12-01T03:00');
  const others = ['kaitaku-20241101-0300.backup', 'kaitaku-20241102-0300.backup', 'kaitaku-20241103-0300.backup', 'x'];
  const [foreign = '', broken = '', link = '', other = ''] = others;
  await sql`UPDATE installation SET id = gen_random_uuid()`.execute(database.db);
  const { rows } = await sql<{ id: string }>`SELECT id FROM installation`.execute(database.db);
  copyFileSync(join(folder, first), join(folder, foreign));
  writeFileSync(join(folder, broken), 'no backup');
  symlinkSync(join(folder, first), join(folder, link));
  writeFileSync(join(folder, other), '');
  const left = `kaitaku-20241130-0300.backup.${rows[0]?.id.slice(0, 8)}.part`;
  const [partOfOther] = [left.replace(/\.\w{8}\.part$/, '.00000000.part')];
  for (const part of [left, partOfOther]) writeFileSync(join(folder, part), 'a part');
  const keep = { daily: 2, weekly: 0 };
  for (const day of [5, 6, 7]) await backUpAt(`2024-12-0${day}T03:00`, keep);
  expect(readdirSync(folder).toSorted()).toStrictEqual(
    [...others, partOfOther, first, 'kaitaku-20241206-0300.backup', 'kaitaku-20241207-0300.backup'].toSorted(),
  );
  const { code, out } = await backup('--keep-daily', '1', '--keep-weekly', '0');
  expect(code).toBe(0);
  expect(out).toContain('残したもの 1、消したもの 2。');
  expect(out).toContain(
    `${[foreign, broken, first].join('、')} は、このKaitakuのバックアップとして読めないため、残しました。別の場所に移してください。\n`,
  );
});

test('after the clock went back an hour, the newer backup stays, and the written one too', async () => {
  const names = [];
  for (const at of ['2024-12-02T03:00', '2024-12-03T03:00', '2024-12-03T02:00'])
    names.push(await backUpAt(at, { daily: 1, weekly: 0 }));
  expect(readdirSync(folder).toSorted()).toStrictEqual([names[2], names[1]]);
});

describe('refuses with one sentence, and deletes nothing:', () => {
  const stays = async (work: () => Promise<unknown>, message: RegExp) => {
    const old = await backUpAt('2024-11-01T03:00');
    await backUpAt('2024-11-02T03:00');
    const before = readdirSync(folder);
    await expect(work()).rejects.toThrow(message);
    expect(readdirSync(folder)).toStrictEqual(before);
    expect(before).toContain(old);
    expect((await lastRun())?.fault).toMatch(message);
  };
  const strict = ['--keep-daily', '1', '--keep-weekly', '0'];

  test('a second one at once', async () => {
    const client = await database.service.pool.connect();
    try {
      await stays(async () => {
        await client.query('SELECT pg_advisory_lock(4202614)');
        await backup(...strict);
      }, /^別の backup --to が動いているため、作りませんでした。終わるのを待ってください。$/);
    } finally {
      client.release(true);
    }
    await eventually(
      () => backup().catch(({ message }: Error) => ({ code: message })),
      ({ code }) => code === 0,
    );
    // A success is recorded also within the minute after the fault.
    expect(await lastRun()).toMatchObject({ fault: null });
  });

  test('a database without an account', () =>
    stays(async () => {
      await empty(database);
      await backup(...strict);
    }, /^データベースにアカウントが1つもないため、/));

  test('a database without tables', async () => {
    const { url, prefix, drop } = await makeInstallation();
    onTestFinished(drop);
    const none = runCommand(['backup', '--to', folder], env({ DATABASE_URL: url, DATABASE_ROLE_PREFIX: prefix }));
    await expect(none).rejects.toThrow(/アカウントが1つもない/);
    expect(readdirSync(folder)).toStrictEqual([]);
  });

  test('a full disk: no file may have more than 2 kB', async () => {
    await backUpAt('2024-11-01T03:00');
    const script = `ulimit -f 2 && exec "$0" src/server/main.ts backup --to "$1" --keep-daily 1 --keep-weekly 0`;
    const ended = await promisify(execFile)('bash', ['-c', script, process.execPath, folder], {
      env: { ...process.env, ...env() },
    }).catch((error: unknown) => error);
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringMatching(/\.part に書き込めませんでした.*空き容量/) });
    expect(readdirSync(folder)).toStrictEqual(['kaitaku-20241101-0300.backup']);
    expect((await lastRun())?.fault).toMatch(/に書き込めませんでした/);
  });

  test.each(['file', 'proc'])('a folder that cannot be made: %s', async (kind) => {
    folder = kind === 'file' ? join(place, 'file', 'backups') : '/proc/kaitaku-backups';
    writeFileSync(join(place, 'file'), '');
    await expect(backup()).rejects.toThrow(
      /^フォルダー \/\S+ に書き込めません（E[^）]*）。kaitaku を動かすユーザーのフォルダーを指定するか、権限を直してください。$/,
    );
    expect(await lastRun()).toMatchObject({ fault: expect.stringContaining('に書き込めません') });
  });

  test('a file of this minute', async () => {
    expect((await backup()).code).toBe(0);
    // At the turn of a minute the second one has another name.
    const again = await backup().catch((error: Error) => error);
    if (again instanceof Error) expect(again.message).toMatch(/すでにあります。上書きはしません。/);
    expect(readdirSync(folder).filter((name) => !named.test(name))).toStrictEqual([]);
  });

  test.each([
    [['--to', 'x', '--keep-daily', '0'], '--keep-daily は1〜366の整数にしてください（今の値: 0）。'],
    [['--to', 'x', '--keep-weekly', '1.5'], '--keep-weekly は0〜520の整数にしてください（今の値: 1.5）。'],
    [['--to', 'x', '--at', '24:00'], '--at は 03:00 の形にしてください（今の値: 24:00）。'],
    [['--to='], '--to は空にできません。'],
    [[], '<ファイル> か --to <フォルダー> の、どちらか一方を指定してください。'],
    [['file', '--to', 'x'], '<ファイル> か --to <フォルダー> の、どちらか一方を指定してください。'],
    [['file', '--at', '03:00'], '<ファイル> か --to <フォルダー> の、どちらか一方を指定してください。'],
  ])('backup %j is misuse', async (args, message) => {
    const { code, err } = await runCommand(['backup', ...args], env());
    expect([code, err.trim().startsWith(message)]).toStrictEqual([2, true]);
    expect(existsSync('x')).toBe(false);
  });
});

test('with --at it makes up for a missed backup, stays, writes one line, and ends at SIGTERM', async () => {
  const own = await testDatabase();
  await addTenant(own.db);
  mkdirSync(folder);
  const url = { DATABASE_URL: own.url };
  const program = startProgram(['backup', '--to', folder, '--at', '03:00'], env(url));
  onTestFinished(() => void program.child.kill('SIGKILL'));
  await program.until('backup of all accounts written');
  const [file = ''] = readdirSync(folder);
  const lines = program.output().trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { folder, at: '3:00', msg: 'a backup will be written each day' },
    { file: join(folder, file), kept: 1, deleted: 0, foreign: [], msg: 'backup of all accounts written' },
  ]);
  program.child.kill('SIGTERM');
  expect(await program.ended, program.output()).toBe(0);
  // The night's backup is there now: a restart writes none.
  const again = startProgram(['backup', '--to', folder, '--at', '03:00'], env(url));
  onTestFinished(() => void again.child.kill('SIGKILL'));
  await again.until('a backup will be written each day');
  again.child.kill('SIGTERM');
  expect(await again.ended, again.output()).toBe(0);
  expect(readdirSync(folder)).toStrictEqual([file]);
});

test('the systemd service and its timer make up for a night in which the machine was off', () => {
  const textOf = (name: string) =>
    readFileSync(join(import.meta.dirname, '../../../../docs/deploy', `kaitaku-backup.${name}`), 'utf8');
  expect(textOf('timer')).toMatch(/^Persistent=true$/m);
  expect(textOf('service')).toMatch(
    /^ExecStart=\S+\/bin\/node --enable-source-maps node_modules\/kaitaku\/dist\/server\/main\.js backup --to \/\S+$/m,
  );
});
