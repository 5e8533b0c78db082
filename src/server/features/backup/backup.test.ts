import { execFile } from 'node:child_process';
import { createHash, randomInt, randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Role } from '#domain/account/role.ts';
import { ROLE_NAMES } from '#domain/account/role-names.ts';
import { createTestDatabase, type TestDatabase } from '#test/db.ts';
import { ask, type Installation, makeInstallation } from '#test/installation.ts';
import { addTenant } from '#test/prospects.ts';
import { runCommand } from '#test/run-command.ts';
import { addFullTenant } from '../../../../test/authorization/full-tenant.ts';
import { prepareDatabase } from '../../commands/open-database.ts';
import { openDatabase } from '../../platform/database/db.ts';
import { makeDemo } from '../demo/demo.command.ts';
import type { Head, Manifest } from './archive.ts';
import { LEFT_OUT } from './backup.command.ts';
import { checkBackup, refuseFullDisk } from './check-backup.ts';

/** An installation with all kinds of rows, and its backup. */
let database: TestDatabase;
let folder: string;
let file: string;

const inFolder = (...names: string[]) => join(folder, ...names);
const backup = (path: string, url = database.url, more: Record<string, string> = {}) =>
  runCommand(['backup', path], { DATABASE_URL: url, DATA_DIR: inFolder('here'), ...more });

/** A backup that was written: no account's audit has it, but the log. */
const WRITTEN = { code: 0, err: expect.stringMatching(/^\{"level":30.*"msg":"backup of all accounts written"\}\n$/) };

beforeAll(async () => {
  database = await createTestDatabase();
  folder = mkdtempSync(join(tmpdir(), 'kaitaku-backup-'));
  file = inFolder('good.backup');
  await makeDemo(database.service);
  for (const marker of ['one', 'two']) await addFullTenant(database.db, marker);
  await database.pool.query(`
    INSERT INTO rate_limit (key) VALUES ('k');
    INSERT INTO inbox (name) VALUES ('i');
    INSERT INTO session (token_hash, account_id, member_id)
      SELECT sha256(email::bytea), account_id, id FROM member;
    UPDATE prospect SET archived_at = now() WHERE id % 10 = 0;
    -- What COPY escapes, a line that would end the rows, and a row longer than what is read at once.
    UPDATE active_prospect SET remarks = E'x\\n\\\\.\\n\\\\N\\t"引用" 😀\\r\\n';
    INSERT INTO stored_file_piece (account_id, file_id, start, content)
      SELECT account_id, id, 1000000000,
        (SELECT string_agg(sha256(n::text::bytea), '') FROM generate_series(1, 20000) AS n)
      FROM stored_file ORDER BY id LIMIT 1;
    -- The number of a row that is gone is not given again.
    SELECT nextval('account_id_seq')`);
  expect(await backup(file)).toMatchObject(WRITTEN);
});
afterAll(async () => {
  await database.drop();
  rmSync(folder, { recursive: true });
});

/** Rows and hash of each table, as a superuser sees them. */
async function sumsOf(url: string): Promise<Record<string, string>> {
  const { pool, close } = openDatabase(url, { connections: 1 });
  try {
    const tables = await pool.query<{ query: string }>(
      `SELECT format('SELECT %L AS name, count(*) || coalesce(md5(string_agg(t::text, chr(10)
         ORDER BY t::text COLLATE "C")), $$$$) AS sum FROM %I t', relname, relname) AS query
       FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY relname`,
    );
    const queries = tables.rows.map(({ query }) => query).join(' UNION ALL ');
    const { rows } = await pool.query<{ name: string; sum: string }>(`${queries} ORDER BY 1`);
    return Object.fromEntries(rows.map(({ name, sum }) => [name, sum]));
  } finally {
    await close();
  }
}

async function emptyInstallation(): Promise<Installation> {
  const made = await makeInstallation();
  onTestFinished(made.drop);
  return made;
}

const restore = (path: string, { url, prefix }: Pick<Installation, 'url' | 'prefix'>, machine = 'there') =>
  runCommand(['restore', path], { DATABASE_URL: url, DATABASE_ROLE_PREFIX: prefix, DATA_DIR: inFolder(machine) });

/** What was open in the backup is held, or ended, which changes rows of these; the load has compared them before. */
const HELD_TABLES = ['delivery', 'send_log', 'reservation', 'notice_event', 'invitation'];

/** Foreign keys, forced row level security and triggers, as they are switched. */
const switches = (url: string) =>
  ask<{ what: string }>(
    url,
    `SELECT conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) || convalidated::text AS what
     FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype = 'f'
     UNION ALL SELECT relname || relrowsecurity::text || relforcerowsecurity::text FROM pg_class
       WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
     UNION ALL SELECT tgrelid::regclass || ' ' || tgname || tgenabled::text FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1`,
  );

/** The last number of each table, but those of the audit, which has the restore, and of events: one of what is held. */
const numbers = (url: string) =>
  ask(
    url,
    `SELECT sequencename, last_value FROM pg_sequences
     WHERE schemaname = 'public' AND sequencename NOT IN ('audit_event_id_seq', 'notice_event_id_seq') ORDER BY 1`,
  );

test('an ordinary owner gets all rows back, and nobody is logged in to them', async () => {
  const target = await emptyInstallation();
  const { code, err, out } = await restore(file, target);
  expect([code, err]).toStrictEqual([0, '']);
  const listed = await ask<{ email: string; name: string; role: Role }>(
    database.url,
    'SELECT email, name, role FROM member',
  );
  for (const { email, name, role } of listed)
    expect(out).toContain(`    ${email}、${name}、${ROLE_NAMES[role]}、有効\n`);
  // Its own numbers come after those of the backup.
  await ask(target.adminUrl, `DELETE FROM audit_event WHERE kind = 'restored'`);
  const [before, after] = [await sumsOf(database.url), await sumsOf(target.adminUrl)];
  const without = (sums: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(sums).filter(
        ([name]) => !(name in LEFT_OUT || ['installation', 'member', ...HELD_TABLES].includes(name)),
      ),
    );
  expect(without(after)).toStrictEqual(without(before));
  for (const name of ['session', 'email_change', 'password_reset', 'sender_confirmation'])
    expect([name, before[name] === '0', after[name]]).toStrictEqual([name, false, '0']);
  const invitations = 'SELECT secret_hash, expires_at <= now() AS expired FROM invitation ORDER BY id';
  expect(await ask(database.url, invitations)).toContainEqual({ secret_hash: expect.any(Buffer), expired: false });
  const { length } = await ask(database.url, invitations);
  expect(await ask(target.adminUrl, invitations)).toStrictEqual(
    Array.from({ length }, () => ({ secret_hash: null, expired: true })),
  );
  expect(await switches(target.adminUrl)).toStrictEqual(await switches(database.url));
  expect(await numbers(target.adminUrl)).toStrictEqual(await numbers(database.url));
  const members = 'SELECT id, email, password_hash, email_before_confirmation FROM member ORDER BY id';
  const pending = (rows: readonly object[]) => rows.map((row) => ({ ...row, email_before_confirmation: null }));
  expect(await ask(target.adminUrl, members)).toStrictEqual(pending(await ask(database.url, members)));
  const [installation] = await ask(
    target.adminUrl,
    `SELECT id, rewound_at IS NOT NULL AS paused, restored_from, receipts_until, setup_key_hash FROM installation`,
  );
  const { head, manifest } = contents();
  expect(installation).toStrictEqual({
    id: head.installation,
    paused: true,
    restored_from: new Date(head.at),
    receipts_until: new Date(manifest.receiptsUntil),
    setup_key_hash: null,
  });
});

/** The text of the good file, without its seal. */
function textOf(): string {
  const text = gunzipSync(readFileSync(file)).toString();
  return text.slice(0, text.lastIndexOf('{"sha256"'));
}

/** The head and the manifest of the good file. */
function contents() {
  const lines = gunzipSync(readFileSync(file)).toString().split('\n');
  return { head: JSON.parse(lines[0] ?? '') as Head, manifest: JSON.parse(lines.at(-3) ?? '') as Manifest };
}

test('every table is in a backup, or LEFT_OUT says why not; generated columns are not', async () => {
  const tables = Object.keys(await sumsOf(database.url));
  expect([...Object.keys(contents().manifest.tables), ...Object.keys(LEFT_OUT)].toSorted()).toStrictEqual(tables);
  const empty = Object.entries(contents().manifest.tables).flatMap(([name, { rows }]) => (rows === 0 ? [name] : []));
  expect(empty).toStrictEqual(['inbox_parse']);
  const text = gunzipSync(readFileSync(file)).toString();
  expect(text).toMatch(/^\{"table":"delivery","columns":\["account_id",/m);
  expect(text).not.toMatch(/^\{"table":"delivery".*address_key/m);
});

test('a backup is readable only by its owner, and names the tables that it lacks', async () => {
  const path = inFolder('named.backup');
  const sendgrid = { SENDGRID_API_KEY: 'SG.very-secret', MAIL_FROM: 'no-reply@haru.example' };
  const { out } = await backup(path, database.url, sendgrid);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(out).toMatch(/SENDGRID_API_KEY.*\n.*鍵（SECRET_KEY か .*secret\.key。.*\n.*DATA_DIR\/receipts/);
  const text = out + gunzipSync(readFileSync(path)).toString();
  expect(text).not.toContain('SG.very-secret');
  expect(text).not.toContain(new URL(database.url).password);
});

describe('a backup that cannot be made leaves nothing', () => {
  const files = () => readdirSync(folder).toSorted();

  test('an existing file stays as it is', async () => {
    const path = inFolder('taken');
    writeFileSync(path, 'mine');
    await expect(backup(path)).rejects.toThrow(/taken はすでにあります/);
    expect(readFileSync(path, 'utf8')).toBe('mine');
  });

  test('a missing folder', async () => {
    const before = files();
    await expect(backup(inFolder('no', 'where'))).rejects.toThrow(/書き込めませんでした.*権限と空き容量/s);
    expect(files()).toStrictEqual(before);
  });

  test('a full disk: no file may have more than 8 kB', async () => {
    const before = files();
    const script = 'ulimit -f 8 && exec "$0" src/server/main.ts backup "$1"';
    const args = ['-c', script, process.execPath, inFolder('full.backup')];
    const env = { ...process.env, DATABASE_URL: database.url, DATA_DIR: inFolder('here') };
    const ended = await promisify(execFile)('bash', args, { env }).catch((error: unknown) => error);
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringMatching(/full\.backup に書き込めませんでした/) });
    expect(files()).toStrictEqual(before);
  });

  test('a database without tables, without an account, or of an older version', async () => {
    const target = await emptyInstallation();
    const env = { DATABASE_URL: target.url, DATABASE_ROLE_PREFIX: target.prefix, DATA_DIR: inFolder('here') };
    const path = inFolder('nothing');
    await expect(runCommand(['backup', path], env)).rejects.toThrow(/アカウントが1つもない/);
    await runCommand(['migrate'], env);
    await expect(runCommand(['backup', path], env)).rejects.toThrow(/アカウントが1つもない/);
    // Nothing is migrated: a backup comes before an upgrade.
    await ask(target.url, 'DELETE FROM schema_migration WHERE version >= 8');
    await expect(runCommand(['backup', path], env)).rejects.toThrow(/データベースは版 \d です.*migrate/);
    expect(await ask(target.url, 'SELECT FROM schema_migration WHERE version >= 8')).toStrictEqual([]);
    expect(existsSync(path)).toBe(false);
  });
});

test('a backup of a cell is restored as that cell alone, with its range of ids', async () => {
  const [source, target] = [await makeInstallation(), await makeInstallation()];
  for (const { drop } of [source, target]) onTestFinished(drop);
  const env = ({ url, prefix }: Installation, more: Record<string, string> = {}) => ({
    DATABASE_URL: url,
    DATABASE_ROLE_PREFIX: prefix,
    DATA_DIR: inFolder('cell'),
    ...more,
  });
  const path = inFolder('cell.backup');
  await runCommand(['migrate'], env(source, { CELL: '3' }));
  const admin = openDatabase(source.adminUrl, { connections: 1 });
  await addTenant(admin.db);
  await admin.close();
  expect(await runCommand(['backup', path], env(source))).toMatchObject(WRITTEN);
  await expect(runCommand(['restore', path], env(target, { CELL: '4' }))).rejects.toThrow(/CELL=3/);
  expect(await ask(target.adminUrl, 'SELECT FROM account')).toStrictEqual([]);
  expect(await runCommand(['restore', path], env(target))).toMatchObject({ code: 0, err: '' });
  const range = `SELECT last_value, max_value FROM pg_sequences WHERE sequencename = 'account_id_seq'`;
  expect(await ask(target.adminUrl, range)).toStrictEqual(await ask(source.adminUrl, range));
});

/** Writes a changed copy of the good file's text, sealed anew. */
function changedCopy(change: (text: string) => string): string {
  const changed = change(textOf());
  const path = inFolder(randomUUID());
  const seal = JSON.stringify({ sha256: createHash('sha256').update(changed).digest('hex') });
  writeFileSync(path, gzipSync(`${changed}${seal}\n`));
  return path;
}

describe('a refused restore changes nothing', () => {
  let target: Installation;
  beforeAll(async () => {
    target = await makeInstallation();
    const env = { DATABASE_URL: target.url, DATABASE_ROLE_PREFIX: target.prefix, DATA_DIR: inFolder('there') };
    await runCommand(['migrate'], env);
    return target.drop;
  });

  /** Expects that a restore is refused, and leaves database, file and folders alone. */
  async function expectRefusal(
    path: string,
    message: RegExp,
    into: Pick<Installation, 'url' | 'prefix' | 'adminUrl'> = target,
  ) {
    const state = async () => ({
      database: [await sumsOf(into.adminUrl), await switches(into.adminUrl)],
      file: existsSync(path) && statSync(path).isFile() && readFileSync(path).toString('base64'),
      folders: new Set(readdirSync(folder, { recursive: true, encoding: 'utf8' })),
    });
    const before = await state();
    await expect(restore(path, into)).rejects.toThrow(message);
    expect(await state()).toStrictEqual(before);
  }

  test('no file, a folder, another file', async () => {
    await expectRefusal(inFolder('none'), /none というファイルはありません。$/);
    await expectRefusal(inFolder('good.backup', 'none'), /none というファイルはありません。$/);
    await expectRefusal(folder, /はフォルダーです。backup で作ったファイルを指定してください。$/);
    writeFileSync(inFolder('text'), '会社名,メール\n');
    await expectRefusal(inFolder('text'), /text はKaitakuのバックアップではありません/);
    writeFileSync(inFolder('empty'), '');
    await expectRefusal(inFolder('empty'), /のバックアップではありません/);
    writeFileSync(inFolder('json.gz'), gzipSync('{"a":1}\n'));
    await expectRefusal(inFolder('json.gz'), /のバックアップではありません/);
    writeFileSync(inFolder('zeros.gz'), gzipSync(Buffer.alloc(3_000_000)));
    await expectRefusal(inFolder('zeros.gz'), /のバックアップではありません/);
  });

  test('a version of the program that would steer the terminal', async () => {
    for (const program of ['1.0.0\u001b]0;x\u0007', '1\u009b2J', '1.0.0\n2', '', 'x'.repeat(65)]) {
      const path = changedCopy((text) => text.replace(/"program":"[^"]*"/, `"program":${JSON.stringify(program)}`));
      await expectRefusal(path, /^[^\p{Cc}]*内容が変わっています[^\p{Cc}]*$/u);
    }
    const hostile = JSON.stringify('1.1.0-dev.1\u001b]0;x\u0007');
    const path = changedCopy((text) => text.replace('"prerelease":null', `"prerelease":${hostile}`));
    await expectRefusal(path, /^[^\p{Cc}]*内容が変わっています[^\p{Cc}]*$/u);
  });

  test('a number of the format that no program has written', async () => {
    for (const format of ['-1', '0', '1.5', '"1"', 'null', '1e400'])
      await expectRefusal(
        changedCopy((text) => text.replace('"format":1', `"format":${format}`)),
        /はKaitakuのバックアップではありません/,
      );
  });

  test('a part that stands twice, in another place, or not at all', async () => {
    const [headLine = '', rest = ''] = [/^.*\n/, /(?<=^.*\n)[\s\S]*/].map((part) => part.exec(textOf())?.[0]);
    const account = /^\{"table":"account"[\s\S]*?\n\\\.\n/m.exec(rest)?.[0] ?? '';
    const receipts = /^"receipts"\n[\s\S]*?\\\.\n/m.exec(rest)?.[0] ?? '';
    const manifestLine = rest.slice(rest.lastIndexOf('{"tables"'));
    const tables = rest.slice(0, -(receipts.length + manifestLine.length));
    const order: Readonly<Record<string, readonly string[]>> = {
      'head twice': [headLine, headLine, tables, receipts, manifestLine],
      'no head': [tables, receipts, manifestLine],
      'a table twice': [headLine, tables, account, receipts, manifestLine],
      'a table after the receipts': [headLine, tables.replace(account, ''), receipts, account, manifestLine],
      'a table after the manifest': [headLine, tables.replace(account, ''), receipts, manifestLine, account],
      'receipts twice': [headLine, tables, receipts, receipts, manifestLine],
      'receipts before the tables': [headLine, receipts, tables, manifestLine],
      'no receipts': [headLine, tables, manifestLine],
      'manifest twice': [headLine, tables, receipts, manifestLine, manifestLine],
      'manifest first': [headLine, manifestLine, tables, receipts],
      'no manifest': [headLine, tables, receipts],
      'a seal within': [headLine, tables, receipts, manifestLine, '{"sha256":""}\n'],
    };
    for (const [name, parts] of Object.entries(order))
      await expect(
        restore(
          changedCopy(() => parts.join('')),
          target,
        ),
        name,
      ).rejects.toThrow(/内容が変わっています|はKaitakuのバックアップではありません/);
    // The parts themselves are right.
    await checkBackup(changedCopy(() => [headLine, tables, receipts, manifestLine].join('')));
  });

  test('bytes after the end', async () => {
    const whole = readFileSync(file);
    const text = gunzipSync(whole);
    const behind: Readonly<Record<string, Buffer>> = {
      'a byte': Buffer.concat([whole, Buffer.from('x')]),
      zeros: Buffer.concat([whole, Buffer.alloc(1)]),
      'zeros and text': Buffer.concat([whole, Buffer.from('\0\0rows')]),
      'zeros and the right length': Buffer.concat([whole, Buffer.alloc(5), whole.subarray(-4)]),
      'more text': Buffer.concat([whole, gzipSync('more')]),
      'an empty file of gzip': Buffer.concat([whole, gzipSync('')]),
      'the file again': Buffer.concat([whole, whole]),
      'two files of gzip': Buffer.concat([gzipSync(text.subarray(0, 999)), gzipSync(text.subarray(999))]),
      'text after the seal': gzipSync(Buffer.concat([text, Buffer.from('x')])),
    };
    const path = inFolder('behind');
    for (const [name, bytes] of Object.entries(behind)) {
      writeFileSync(path, bytes);
      await expect(restore(path, target), name).rejects.toThrow(/途中で切れているか、内容が変わっています/);
    }
    writeFileSync(path, gzipSync(text));
    await checkBackup(path);
  });

  test('receipts that are not as many as the manifest counts, or none', async () => {
    const receipt = JSON.stringify({ accountId: 1, id: 1, claimNo: 1, messageId: '<a>', attempts: 1, reply: '250' });
    const withReceipts = (lines: string, count: number) =>
      changedCopy((text) =>
        text.replace('"receipts"\n', () => `"receipts"\n${lines}`).replace(/"receipts":0/, `"receipts":${count}`),
      );
    const two = `${receipt}\n${receipt}\n`;
    for (const [lines, count] of [
      ['', 1],
      [two, 3],
      [two, 1],
      [two, 0],
      [`${receipt}\n\n`, 2],
      [`${receipt}\n{}\n`, 2],
      [two, -2],
    ] as const)
      await expectRefusal(withReceipts(lines, count), /内容が変わっています/);
    expect((await checkBackup(withReceipts(two, 2))).manifest.receipts).toBe(2);
  });

  test('a table that begins anew in a restored database: its rows would be log-ins', async () => {
    const columns = await ask<{ name: string }>(
      target.adminUrl,
      `SELECT attname AS name FROM pg_attribute WHERE attrelid = 'session'::regclass AND attnum > 0 ORDER BY attnum`,
    );
    const part = JSON.stringify({ table: 'session', columns: columns.map(({ name }) => name) });
    const added = (text: string) => text.replace('"receipts"\n', () => `${part}\n\\.\n"receipts"\n`);
    await expectRefusal(changedCopy(added), /内容が変わっています/);
  });

  test('a table that neither file nor manifest has', async () => {
    const without = (text: string) =>
      text.replace(/^\{"table":"suppression"[\s\S]*?\n\\\.\n/m, '').replace(/"suppression":\{[^}]*\},/, '');
    await expectRefusal(changedCopy(without), /一致しないため、取り消しました（suppression）/);
  });

  test('rows that no table takes, whose text would steer the terminal', async () => {
    const hostile = (text: string) => text.replace(/(?<=\{"table":"account",.*\n)/, '\u001b]0;x\u0007');
    await expectRefusal(changedCopy(hostile), /^[^\p{Cc}]*規則に合わないため、取り消しました（22\w{3}）[^\p{Cc}]*$/u);
    const twice = (text: string) => text.replace(/(?<=\{"table":"account",.*\n)(.*\n)/, '$1$1');
    await expectRefusal(changedCopy(twice), /取り消しました（23505 account account_pkey）/);
    const number = (text: string) => text.replace(/("account":\{[^}]*"last":)\d+/, '$1-5');
    await expectRefusal(changedCopy(number), /取り消しました（22003）/);
  });

  test('more rows than the disk of the database has room for', async () => {
    const { db, close } = openDatabase(target.adminUrl, { connections: 1 });
    onTestFinished(close);
    await expect(refuseFullDisk(db, 1e18)).rejects.toThrow(
      /空き（[\d,]+ MB）が足りません。復元には約 3,000,000,000,000 MB/,
    );
    await refuseFullDisk(db, (await checkBackup(file)).bytes);
  });

  test('a disk that gets full has its own sentence, and is no lost connection', async () => {
    await ask(
      target.adminUrl,
      `CREATE FUNCTION no_room(id bigint) RETURNS boolean LANGUAGE plpgsql AS $$
         BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$;
       ALTER TABLE account ADD CONSTRAINT no_room CHECK (no_room(id))`,
    );
    onTestFinished(() => void ask(target.adminUrl, 'DROP FUNCTION no_room CASCADE'));
    const env = {
      ...process.env,
      DATABASE_URL: target.url,
      DATABASE_ROLE_PREFIX: target.prefix,
      DATA_DIR: inFolder('there'),
    };
    const args = ['src/server/main.ts', 'restore', file];
    const ended = await promisify(execFile)(process.execPath, args, { env }).catch((error: unknown) => error);
    expect(ended).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^\nディスクに空きがないため、書き込めませんでした（could not extend file[^\n]*\n$/,
      ),
    });
  });

  test('a file of a newer program', async () => {
    await expectRefusal(
      changedCopy((text) => text.replace('"format":1', '"format":2')),
      /新しいKaitaku/,
    );
    const newer = (text: string) => text.replace(/\}\],"at"/, '},{"version":9999,"name":"later"}],"at"');
    await expectRefusal(changedCopy(newer), /新しいKaitaku/);
    const other = (text: string) => text.replace('"name":"undo_window"', '"name":"other"');
    await expectRefusal(changedCopy(other), /新しいKaitaku/);
  });

  test('a cut file, and a changed one', async () => {
    const whole = readFileSync(file);
    const path = inFolder('broken');
    writeFileSync(path, whole.subarray(0, -1));
    await expectRefusal(path, /途中で切れているか、内容が変わっています/);
    for (let n = 0; n < 40; n += 1) {
      const at = randomInt(10, whole.length);
      const flipped = Buffer.from(whole);
      flipped.writeUInt8((flipped.readUInt8(at) + 1 + randomInt(255)) % 256, at);
      for (const [kind, bytes] of Object.entries({ cut: whole.subarray(0, at), flipped })) {
        writeFileSync(path, bytes);
        // A flip in the head may name other migrations or another format, which are refused by themselves.
        const checked = checkBackup(path, { ofAnyVersion: true });
        await expect(checked, `${kind} at ${at}`).rejects.toThrow(
          /broken (は途中で|はKaitakuの|は、このプログラムより)/,
        );
      }
    }
    // The text changes and stays gzip.
    const text = gunzipSync(whole);
    writeFileSync(path, gzipSync(text.toString().replace('one', 'two')));
    await expectRefusal(path, /途中で切れているか、内容が変わっています/);
    writeFileSync(path, gzipSync(text.subarray(0, text.lastIndexOf('{"tables"'))));
    await expectRefusal(path, /途中で切れているか、内容が変わっています/);
  });

  test('rows that are not those of the manifest', async () => {
    const wrong = (text: string) => text.replace(/("prospect":\{"rows":\d+,"sha256":")../, '$1zz');
    await expectRefusal(changedCopy(wrong), /一致しないため、取り消しました（prospect）/);
    await expectRefusal(
      changedCopy((text) => text.replace('@example.com', '@example.org')),
      /一致しない/,
    );
  });

  test('tables and columns that the catalog does not have: names go into statements', async () => {
    const hostile = (text: string) => text.replace('{"table":"account"', '{"table":"account; DROP TABLE inbox"');
    await expectRefusal(changedCopy(hostile), /内容が変わっています/);
    const column = (text: string) => text.replace('"columns":["id","company"', '"columns":["company","id"');
    await expectRefusal(changedCopy(column), /内容が変わっています/);
  });

  test('a database with an account', async () => {
    await ask(target.adminUrl, `INSERT INTO account (company) VALUES ('残る会社')`);
    await expectRefusal(file, /すでにアカウントがあります.*DATA_DIR/);
    await ask(target.adminUrl, 'DELETE FROM account');
  });

  test('a database of something else', async () => {
    const other = await emptyInstallation();
    await ask(other.url, 'CREATE TABLE theirs (id integer)');
    await expectRefusal(file, /Kaitakuのものではない表があります（theirs）/, other);
    await ask(target.url, 'CREATE TABLE beside (id integer)');
    await expectRefusal(file, /Kaitakuのものではない表があります（beside）/);
    await ask(target.url, 'DROP TABLE beside');
  });

  test('a running Kaitaku, which is named, also where its URL brings an application_name', async () => {
    const url = new URL(target.access.urlOf('service'));
    url.searchParams.set('application_name', 'sales');
    const running = openDatabase(url.href, { connections: 1 });
    onTestFinished(() => running.close());
    await running.pool.query('SELECT');
    await expectRefusal(file, new RegExp(`${target.prefix}_service（127\\.0\\.0\\.1 から）.*終えてから`));
  });
});

test('a newer database without an account is replaced by the older backup', async () => {
  const target = await emptyInstallation();
  await prepareDatabase(target.access);
  await ask(
    target.url,
    `INSERT INTO schema_migration (version, name) VALUES (9999, 'later'); CREATE TABLE later (n integer);
     GRANT SELECT ON later TO ${target.prefix}_service`,
  );
  expect(await restore(file, target)).toMatchObject({ code: 0, err: '' });
  expect(Object.keys(await sumsOf(target.adminUrl))).toStrictEqual(Object.keys(await sumsOf(database.url)));
});

test('a backup of an older version becomes one of this program', async () => {
  const [old, target] = [await emptyInstallation(), await emptyInstallation()];
  await prepareDatabase(old.access, { schema: 11 });
  await ask(old.adminUrl, `INSERT INTO account (company) VALUES ('会社')`);
  const path = inFolder('old.backup');
  const env = { DATABASE_URL: old.url, DATABASE_ROLE_PREFIX: old.prefix, DATA_DIR: inFolder('old') };
  expect(await runCommand(['backup', path], env)).toMatchObject(WRITTEN);
  expect((await checkBackup(path)).head.migrations.at(-1)).toMatchObject({ version: 11 });
  expect(await restore(path, target)).toMatchObject({ code: 0, err: '' });
  const versions = 'SELECT version FROM schema_migration ORDER BY 1';
  expect(await ask(target.adminUrl, versions)).toStrictEqual(await ask(database.url, versions));
  expect(await ask(target.adminUrl, 'SELECT company FROM account')).toStrictEqual([{ company: '会社' }]);
});

test('the bundled database, without a setting', async () => {
  const env = { DATA_DIR: mkdtempSync(join(tmpdir(), 'kaitaku-bundled-')) };
  onTestFinished(() => rmSync(env.DATA_DIR, { recursive: true }));
  chmodSync(env.DATA_DIR, 0o755);
  expect(await runCommand(['restore', file], env)).toMatchObject({ code: 0 });
  const again = inFolder('again.backup');
  expect(await runCommand(['backup', again], env)).toMatchObject({ code: 0 });
  const { manifest } = await checkBackup(again);
  const changed = ['installation', 'member', 'audit_event', ...HELD_TABLES];
  const same = Object.entries(contents().manifest.tables).filter(([name]) => !changed.includes(name));
  expect(manifest.tables).toMatchObject(Object.fromEntries(same));
  expect(existsSync(join(env.DATA_DIR, 'postgres', 'postmaster.pid'))).toBe(false);
});
