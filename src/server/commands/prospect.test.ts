import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { addAccount } from '#test/accounts.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { startProgram } from '#test/program.ts';
import { runCommand } from '#test/run-command.ts';
import { workbookOf } from '#test/workbook.ts';

let database: TestDatabase;
let folder: string;

beforeAll(async () => {
  database = await emptyDatabase();
  folder = await mkdtemp(join(tmpdir(), 'kaitaku-command-'));
  await addAccount(database.db, { email: 'Owner@example.com' });
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

const environment = () => ({
  DATABASE_URL: database.url,
  APP_SECRET: 'only for this test, and long enough for it',
});
const run = (...args: string[]) => runCommand(['prospect', 'import', ...args], environment());
const start = (file: string) =>
  startProgram(['prospect', 'import', file, '--account', 'owner@example.com'], environment());

async function listFile(text: string): Promise<string> {
  const path = join(folder, 'list.csv');
  await writeFile(path, text);
  return path;
}

/** Runs the command as users do, for what only the whole program shows: its end and its two streams. */
async function runAsProgram(file: string) {
  const { child, ended } = start(file);
  const printed = { out: '', err: '' };
  child.stdout?.on('data', (text) => (printed.out += text));
  child.stderr?.on('data', (text) => (printed.err += text));
  return { code: await ended, ...printed };
}

async function rowCount(table: 'prospect' | 'industry' | 'import_run'): Promise<number> {
  const { rows } = await database.pool.query<{ n: number }>(`SELECT count(*) AS n FROM ${table}`);
  return rows[0]?.n ?? -1;
}

describe('prospect import', () => {
  it('bad-inputs 95: killed in the middle of the merge: nothing of the file is there', async () => {
    const file = await listFile(
      `会社名,業種\n${Array.from({ length: 9000 }, (_, at) => `会社${at},業種${at % 9}\n`).join('')}`,
    );
    const blocker = await database.pool.connect();
    await blocker.query('BEGIN; LOCK TABLE audit_event IN SHARE MODE');
    const { child, ended } = start(file);
    const blocked = () =>
      database.pool.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ILIKE 'insert into%audit_event%'
         AND datname = current_database()`,
      );
    // All rows are inserted by now; only the last statement and the commit are missing.
    const pid = await vi.waitFor(async () => {
      const { rows } = await blocked();
      expect(rows).toHaveLength(1);
      return rows[0]?.pid;
    }, 20_000);
    child.kill('SIGKILL');
    expect(await ended).toBeNull();
    await blocker.query('ROLLBACK');
    blocker.release();
    await vi.waitFor(async () => {
      const { rowCount: alive } = await database.pool.query('SELECT FROM pg_stat_activity WHERE pid = $1', [pid]);
      expect(alive).toBe(0);
    }, 20_000);
    expect(await Promise.all([rowCount('prospect'), rowCount('industry'), rowCount('import_run')])).toEqual([0, 0, 0]);
  });

  it('tells what it did', async () => {
    const file = await listFile('会社名,メモ\n甲,x\n乙,y\n甲,z\n');
    expect(await runAsProgram(file)).toEqual({
      code: 0,
      out: expect.stringContaining(
        '3行を読み、2件を追加、0件を更新しました（変更なし0件、重複1件、取り込めない行0件）。\n取り込まなかった列: メモ',
      ),
      err: expect.stringMatching(/^重複した行 1件: .+\n {2}4行目「甲」（2行目と同じ会社）\n$/),
    });
  });

  it('fails with the reasons where rows are refused, and takes the rest where asked to', async () => {
    const file = await listFile('会社名,代表メール,設立年\n丙,x,\n丁,,0\n');
    const refused = await run(file, '--account', 'owner@example.com');
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /^取り込めない行 1件（代表メール）: .+\n {2}2行目「x」\n取り込まない値 1件（設立年）: .+\n {2}3行目「0」\n$/,
      ),
    });
    expect(refused.out).toContain('何も取り込みませんでした');
    expect(await run(file, '--account', 'owner@example.com', '--skip-refused')).toMatchObject({ code: 0 });
  });

  it('names the telephone numbers that get their first 0 back, or keeps them', async () => {
    const file = await listFile('会社名,電話番号\n頭零,312345678\n');
    const dry = [file, '--account', 'owner@example.com', '--dry-run'];
    expect(await run(...dry)).toMatchObject({
      code: 0,
      err: expect.stringMatching(/^先頭の0がない番号 1件（電話番号）: .+0を補います。\n {2}2行目「312345678」\n$/),
    });
    expect(await run(...dry, '--keep-phones')).toMatchObject({
      code: 0,
      err: expect.stringContaining('0を補いません。'),
    });
  });

  it('takes the columns that are mapped, and names what is not there', async () => {
    const file = await listFile('題名\n\n企業,本社\n対応,東京都\n');
    const named = ['--account', 'owner@example.com', '--dry-run'];
    expect(await run(file, ...named, '--map', '会社名=企業', '--map', '住所=本社')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/1行のうち1件を追加、0件を更新します（[^）]+）。\n$/),
    });
    expect(await run(file, ...named, '--map', '会社名=社名')).toMatchObject({
      code: 1,
      err: expect.stringContaining('見出し「社名」がファイルにありません'),
    });
    expect(await run(file, ...named, '--map', '名前=企業')).toMatchObject({
      code: 1,
      err: expect.stringContaining('「名前」という項目はありません'),
    });
  });

  it('gives the remarks to the group of --group, by its name or id', async () => {
    const { rows } = await database.pool.query<{ id: number }>(
      `INSERT INTO sender_group (account_id, group_name)
       SELECT account_id, '営業1課' FROM member WHERE lower(email) = 'owner@example.com' RETURNING id`,
    );
    const named = ['--account', 'owner@example.com', '--group'];
    const remarks = async () =>
      (await database.pool.query('SELECT sender_group_id, remarks FROM active_prospect')).rows;
    expect(await run(await listFile('会社名,備考\n備考社,前\n'), ...named, '営業1課')).toMatchObject({ code: 0 });
    expect(await remarks()).toEqual([{ sender_group_id: rows[0]?.id, remarks: '前' }]);
    const file = await listFile('会社名,備考\n備考社,後\n');
    expect(await run(file, ...named, '営業2課')).toMatchObject({
      code: 1,
      err: expect.stringContaining('送信者グループ「営業2課」はありません。'),
    });
    await run(file, ...named, String(rows[0]?.id));
    expect(await remarks()).toEqual([{ sender_group_id: rows[0]?.id, remarks: '後' }]);
    expect(await run(file, '--account', 'owner@example.com', '--map', '備考=備考')).toMatchObject({
      code: 1,
      err: expect.stringContaining('--group'),
    });
  });

  it('bad-inputs 224: reads the first sheet of a workbook with values, or the one of --sheet', async () => {
    const file = join(folder, 'list.xlsx');
    const sheets = [
      { name: '表紙' },
      { name: '一覧', rows: [['会社名'], ['甲社'], ['乙社']] },
      { name: '控え', rows: [['企業名'], ['丙社']] },
    ];
    await writeFile(file, workbookOf({ sheets }));
    const named = ['--account', 'owner@example.com', '--dry-run'];
    expect(await run(file, ...named)).toMatchObject({
      code: 0,
      out: expect.stringContaining('2行のうち2件を追加'),
      err: 'シート「一覧」を読みました（ほかのシート: 表紙、控え）。\n',
    });
    expect(await run(file, ...named, '--sheet', '控え', '--map', '会社名=企業名')).toMatchObject({
      out: expect.stringContaining('1行のうち1件を追加'),
    });
    expect(await run(file, ...named, '--sheet', '名簿')).toMatchObject({
      code: 1,
      err: expect.stringContaining('指定したシートがありません'),
    });
  });

  it('bad-inputs 223: says in a sentence that the connection to the database was cut', async () => {
    const file = await listFile('会社名\n切断\n');
    const blocker = await database.pool.connect();
    await blocker.query('BEGIN; LOCK TABLE audit_event IN SHARE MODE');
    const result = runAsProgram(file);
    await vi.waitFor(async () => {
      const { rowCount: cut } = await database.pool.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock'
         AND query ILIKE 'insert into%audit_event%' AND datname = current_database()`,
      );
      expect(cut).toBe(1);
    }, 20_000);
    expect(await result).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/^\nデータベースとの接続が切れました（[^\n]+\n$/),
    });
    await blocker.query('ROLLBACK');
    blocker.release();
  });

  it('changes nothing in a dry run, and says what it would', async () => {
    const before = await Promise.all([rowCount('prospect'), rowCount('industry'), rowCount('import_run')]);
    const file = await listFile('会社名,業種\n確認一,新しい業種\n確認二,新しい業種\n');
    expect(await run(file, '--account', 'owner@example.com', '--dry-run')).toMatchObject({
      code: 0,
      out: expect.stringContaining('何も変更していません。取り込むと、2行のうち2件を追加、0件を更新します'),
    });
    const faulty = await listFile('会社名,代表メール\n確認一,x\n');
    expect(await run(faulty, '--account', 'owner@example.com', '--dry-run')).toMatchObject({
      code: 1,
      err: expect.stringContaining('取り込めない行 1件（代表メール）'),
    });
    expect(await Promise.all([rowCount('prospect'), rowCount('industry'), rowCount('import_run')])).toEqual(before);
  });

  it.each([
    ['bad-inputs 223: a folder', async () => folder, 'owner@example.com', 1, 'フォルダーは取り込めません'],
    [
      'bad-inputs 223: a device without an end',
      async () => '/dev/zero',
      'owner@example.com',
      1,
      '通常のファイルではない',
    ],
    [
      'bad-inputs 223: 20 million blank lines',
      () => listFile(`会社名\n${'\n'.repeat(20_000_000)}`),
      'owner@example.com',
      1,
      '取り込む行がありません',
    ],
    ['no such account', () => listFile('会社名\n甲\n'), 'nobody@example.com', 1, 'アカウントはありません'],
    ['no such file', async () => join(folder, 'missing.csv'), 'owner@example.com', 1, 'ファイルを開けません'],
    ['no CSV', () => listFile('PK\u0003\u0004'), 'owner@example.com', 1, '壊れています'],
    ['no account named', () => listFile('会社名\n甲\n'), '', 2, '使い方'],
  ])('%s', async (_, file, account, code, message) => {
    expect(await run(await file(), '--account', account)).toMatchObject({
      code,
      err: expect.stringContaining(message),
    });
  });
});
