import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { ask, type Installation, makeInstallation } from '#test/installation.ts';
import { addReservation } from '#test/prospect-history.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { runCommand } from '#test/run-command.ts';
import { acceptRun, claimMails, eventually, markSending, testSink, testWorker, unbalancedRuns } from '#test/sending.ts';
import { accountDbOf } from '../../platform/database/account-db.ts';
import { type Database, openDatabase } from '../../platform/database/db.ts';
import { claimDeliveries } from '../delivery/claim/claim.queries.ts';
import type { Receipt } from '../delivery/guard/receipts.ts';
import { findDue } from '../reservations/due.command.ts';
import { decideUnknown } from '../runs/decide-unknown.command.ts';
import { checkBackup } from './check-backup.ts';

let database: TestDatabase;
let tenant: Tenant;
let folder: string;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  folder = mkdtempSync(join(tmpdir(), 'kaitaku-restored-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

const file = () => join(folder, 'backup');
const backup = () => runCommand(['backup', file()], { DATABASE_URL: database.url, DATA_DIR: join(folder, 'here') });

interface Restored extends Installation {
  readonly service: Database;
  /** Runs `receipts …` on it. @param machine the name of the DATA_DIR */
  readonly receipts: (machine: string, ...args: string[]) => Promise<{ code: number; text: string }>;
}

/** Restores the backup. @param machine the name of the DATA_DIR */
async function restored(machine: string): Promise<Restored> {
  const target = await makeInstallation();
  onTestFinished(target.drop);
  const env = (name: string) => ({
    DATABASE_URL: target.url,
    DATABASE_ROLE_PREFIX: target.prefix,
    DATA_DIR: join(folder, name),
  });
  expect(await runCommand(['restore', file()], env(machine))).toMatchObject({ code: 0, err: '' });
  const service = openDatabase(target.access.urlOf('service'), { role: 'service' });
  onTestFinished(() => service.close());
  const receipts = async (name: string, ...args: string[]) => {
    const { code, out, err } = await runCommand(['receipts', ...args], env(name));
    return { code, text: out + err };
  };
  return { ...target, service, receipts };
}

const states = async ({ adminUrl }: Pick<Installation, 'adminUrl'>) => {
  const rows = await ask<{ state: string }>(adminUrl, 'SELECT state FROM delivery ORDER BY id');
  return rows.map(({ state }) => state);
};

/** Sends all that is due from this machine. */
async function send(mails: number): Promise<void> {
  const sink = await testSink();
  const worker = testWorker(database, sink, { receiptsFolder: join(folder, 'here', 'receipts') });
  await eventually(
    () => states({ adminUrl: database.url }),
    (all) => all.filter((state) => state === 'sent').length === mails,
  );
  await worker.stop();
}

/** The receipt files of a machine, with what they hold. */
function receiptFiles(machine: string): Record<string, string> {
  const root = join(folder, machine, 'receipts');
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name), 'utf8')]),
  );
}

const isPaused = async ({ service }: Restored) =>
  (await claimDeliveries(service.db, crypto.randomUUID(), { connections: 1, rows: 1 })) === 'paused';

test.each([
  ['of its installation deny what it lacks', 'SELECT', /3通分あります。先に receipts merge/],
  [
    'of another one say nothing',
    'UPDATE installation SET id = gen_random_uuid()',
    /バックアップより後の送信の記録がありません/,
  ],
])('beside newer receipts sending is paused; those %s', async (_, change, refusal) => {
  await acceptRun(database, tenant, 3);
  expect(await backup()).toMatchObject({ code: 0 });
  await send(3);
  const before = receiptFiles('here');
  const target = await restored('here');
  expect(receiptFiles('here')).toStrictEqual(before);
  await ask(target.adminUrl, change);
  expect(await isPaused(target)).toBe(true);
  expect(await target.receipts('here', 'resume')).toMatchObject({ code: 1, text: expect.stringMatching(refusal) });
  expect(await isPaused(target)).toBe(true);
  expect(await states(target)).toStrictEqual(['queued', 'queued', 'queued']);
});

test('the restore and that sending was resumed stand in the audit of each account that lives there', async () => {
  const other = await addTenant(database.db);
  const gone = await addTenant(database.db);
  await ask(
    database.url,
    `UPDATE account SET frozen_at = now(), settled_at = now(), moved_to = 'https://there.example' WHERE id = ${gone.accountId}`,
  );
  await backup();
  const target = await restored('here');
  const events = () =>
    ask<{ account_id: number; kind: string; member_id: null; detail: object }>(
      target.adminUrl,
      `SELECT account_id, kind, member_id, detail FROM audit_event
       WHERE kind IN ('restored', 'sending_resumed') ORDER BY account_id, id`,
    );
  const ids = [tenant.accountId, other.accountId];
  const { head } = await checkBackup(file());
  const restoredRow = { kind: 'restored', member_id: null, detail: { backup_at: head.at } };
  expect(await events()).toStrictEqual(ids.map((account_id) => ({ account_id, ...restoredRow })));
  for (const _ of ['resumes', 'changes nothing'])
    expect(await target.receipts('here', 'resume', '--receipts-complete')).toMatchObject({ code: 0 });
  const resumed = { kind: 'sending_resumed', member_id: null, detail: {} };
  expect(await events()).toStrictEqual(
    ids.flatMap((account_id) => [
      { account_id, ...restoredRow },
      { account_id, ...resumed },
    ]),
  );
});

test('merged receipts that are newer than the backup let sending resume', async () => {
  await acceptRun(database, tenant, 3);
  await backup();
  await send(3);
  const target = await restored('here');
  await target.receipts('here', 'merge');
  const { code, text } = await target.receipts('here', 'resume');
  expect(text).toMatch(
    /^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d のバックアップ.*メール 0通、予約 0件\n送信を再開しました。\n$/,
  );
  expect(code).toBe(0);
  expect(await states(target)).toStrictEqual(['sent', 'sent', 'sent']);
  expect(await target.receipts('here', 'resume')).toStrictEqual({ code: 0, text: '送信は止まっていません。\n' });
});

test('receipts of the backup come to the machine, and are no proof that it has the later ones', async () => {
  await acceptRun(database, tenant, 3);
  await send(3);
  await backup();
  const target = await restored('new');
  const lines = (machine: string) =>
    Object.values(receiptFiles(machine))
      .join('')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Receipt)
      .toSorted((a, b) => a.id - b.id);
  expect(lines('new')).toStrictEqual(lines('here'));
  // As if these mails had left between the snapshot and the reading of the receipts.
  await ask(target.adminUrl, `UPDATE installation SET restored_from = restored_from - interval '1 hour'`);
  expect(await target.receipts('new', 'resume')).toMatchObject({ code: 1 });
  expect(await isPaused(target)).toBe(true);
  expect(await target.receipts('new', 'resume', '--receipts-complete')).toMatchObject({ code: 0 });
  const [row] = await ask(target.adminUrl, 'SELECT rewound_at, restored_from, receipts_until FROM installation');
  expect(row).toStrictEqual({ rewound_at: null, restored_from: null, receipts_until: null });
});

const MINUTE_MS = 60_000;
const fromNow = (minutes: number) => new Date(Date.now() + minutes * MINUTE_MS);

test('without receipts what was open may have left: mails are unknown, due reservations missed', async () => {
  await acceptRun(database, tenant, 3);
  const claims = await claimMails(database, { rows: 2 });
  await markSending(database.service.db, claims.slice(0, 1));
  await acceptRun(database, tenant, 1);
  await database.pool.query(`
    UPDATE send_log SET paused_by = 'user' WHERE id = (SELECT max(id) FROM send_log);
    UPDATE delivery SET not_before = 'infinity' WHERE send_log_id = (SELECT max(id) FROM send_log)`);
  const reserved = await addProspects(database.db, tenant.accountId, [{ company_name: 'A' }, { company_name: 'B' }]);
  const due = await addReservation(database.db, tenant, reserved.slice(0, 1), { sendAt: fromNow(-10) });
  const later = await addReservation(database.db, tenant, reserved.slice(1), { sendAt: fromNow(10) });
  await backup();
  const target = await restored('new');
  const owner = openDatabase(target.adminUrl);
  onTestFinished(() => owner.close());
  const { db } = target.service;
  expect(await findDue(db)).toStrictEqual([]);
  const api = openDatabase(target.access.urlOf('api'), { role: 'api' });
  onTestFinished(() => api.close());
  const account = accountDbOf(api.db)(tenant.accountId, tenant.memberId);
  await acceptRun({ ...database, db: owner.db, account: () => account }, tenant, 1);
  expect(await states(target)).toStrictEqual(['sending', 'claimed', 'queued', 'queued', 'queued']);

  expect(await target.receipts('new', 'resume')).toMatchObject({
    code: 1,
    text: expect.stringMatching(/メール 4通、予約 2件.*--receipts-complete.*--without-receipts/s),
  });
  expect(await target.receipts('new', 'resume', '--without-receipts')).toMatchObject({
    code: 0,
    text: expect.stringMatching(/「不明」にしたメール: 4通.*予約: 1件\n送信を再開しました/s),
  });
  expect(await states(target)).toStrictEqual(['unknown', 'unknown', 'unknown', 'unknown', 'queued']);
  const contacts = await ask(target.adminUrl, 'SELECT FROM contact_state');
  expect(contacts).toHaveLength(4);
  expect(await unbalancedRuns(owner.db)).toStrictEqual([]);
  const missed = await ask(target.adminUrl, 'SELECT id FROM reservation WHERE missed_at IS NOT NULL');
  expect(missed).toStrictEqual([{ id: due }]);
  expect(await findDue(db)).toStrictEqual([]);
  await owner.pool.query('UPDATE reservation SET send_at = now() WHERE id = $1', [later]);
  expect(await findDue(db)).toMatchObject([{ id: later }]);
  // Its two actions.
  const mails = await ask<{ id: number; claim_no: number }>(
    target.adminUrl,
    'SELECT id, claim_no FROM delivery ORDER BY id',
  );
  const decide = (n: number, state: 'sent' | 'queued') => {
    const { id = 0, claim_no = 0 } = mails[n] ?? {};
    return decideUnknown(account, id, { state, claimNo: claim_no }, Date.now());
  };
  expect(await decide(0, 'sent')).toStrictEqual({ status: 'updated' });
  expect(await decide(1, 'queued')).toStrictEqual({ status: 'updated' });
  expect(await states(target)).toStrictEqual(['sent', 'queued', 'unknown', 'unknown', 'queued']);
});

test('both options at once are refused', async () => {
  const { code, err } = await runCommand(['receipts', 'resume', '--receipts-complete', '--without-receipts'], {
    DATABASE_URL: database.url,
  });
  expect([code, err]).toStrictEqual([2, expect.stringContaining('どちらか一方だけ')]);
});

test('without receipts, only a database that was restored by us is resumed', async () => {
  await database.db.updateTable('installation').set({ rewound_at: new Date() }).execute();
  const env = { DATABASE_URL: database.url, DATA_DIR: join(folder, 'here') };
  expect(await runCommand(['receipts', 'resume', '--without-receipts'], env)).toMatchObject({ code: 1 });
  const { rewound_at } = await database.db.selectFrom('installation').select('rewound_at').executeTakeFirstOrThrow();
  expect(rewound_at).not.toBeNull();
  await database.db.updateTable('installation').set({ rewound_at: null }).execute();
});
