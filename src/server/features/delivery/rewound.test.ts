import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { pino } from 'pino';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { setAccounts } from '#test/accounts.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { TEST_MAILING } from '#test/mailing.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { runCommand } from '#test/run-command.ts';
import {
  acceptRun,
  claimMails,
  countStates,
  eventually,
  markSending,
  testSink,
  testWorker,
  unbalancedRuns,
  untilSettled,
} from '#test/sending.ts';
import type { SmtpSink } from '#test/smtp-sink.ts';
import { acceptSend } from '../runs/accept.command.ts';
import { claimDeliveries, secondsUntilDue } from './claim/claim.queries.ts';
import { allFiles, archiveMerged } from './guard/receipt-files.ts';
import { receiptGuard } from './guard/receipt-guard.ts';
import { readInstallation } from './pauses/installation.queries.ts';

let database: TestDatabase;
let tenant: Tenant;
let dataDir: string;
let sink: SmtpSink;
const logged: string[] = [];

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  dataDir = mkdtempSync(join(tmpdir(), 'kaitaku-rewound-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  sink = await testSink();
  logged.length = 0;
});

/** Starts a worker of this machine or another: each machine has a receipts folder of its own. */
function startWorker(machine = 'here') {
  return testWorker(database, sink, {
    connections: 2,
    log: pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) }),
    receiptsFolder: join(dataDir, machine, 'receipts'),
  });
}

/** Sends a run, and stops its worker when all results are written. */
async function sendRun(mails: number) {
  const run = await acceptRun(database, tenant, mails);
  const worker = startWorker();
  await untilSettled(database.db);
  await worker.stop();
  return run;
}

/** As a backup from before the mails were claimed would be. */
const forgetSending = () =>
  database.pool.query(`
    UPDATE delivery SET state = 'queued', claim_no = 0, attempts = 0, finished_at = NULL, smtp_reply = NULL,
      lease_until = NULL, worker_id = NULL, not_before = now();
    DELETE FROM address_contact; DELETE FROM contact_state`);

/** As a backup from before the run was accepted would be. */
const forgetRuns = () =>
  database.pool.query(
    'DELETE FROM delivery; DELETE FROM send_log; DELETE FROM address_contact; DELETE FROM contact_state',
  );

/** As if the time were over in which workers of other machines compare their receipts. */
const waitForOthers = () =>
  sql`UPDATE installation SET server_since = server_since - interval '6 seconds'`.execute(database.db);

const isRewound = async (): Promise<boolean> => {
  const { rewound_at } = await database.db.selectFrom('installation').select('rewound_at').executeTakeFirstOrThrow();
  return rewound_at !== null;
};
const untilRewound = () => eventually(isRewound, Boolean);

/** Waits for a line of the log with this text: what a worker commits is seen before it has logged it. @returns all */
const linesWith = (text: string) =>
  eventually(
    () => logged.filter((line) => line.includes(text)),
    ({ length }) => length > 0,
  );

/** Runs `receipts merge` or `resume` in this process; test/faults/standby.test.ts runs them as programs. */
async function receipts(...args: string[]): Promise<{ code: number; output: string }> {
  const env = { DATABASE_URL: database.url, DATA_DIR: join(dataDir, 'here') };
  const { code, out, err } = await runCommand(['receipts', ...args], env);
  return { code, output: out + err };
}

test('bad-inputs 222: a database from before the mails were sent pauses all sending, on every machine', async () => {
  await sendRun(3);
  await forgetSending();
  // It was another server process that the mails were sent from.
  await sql`UPDATE installation SET server = 'another'`.execute(database.db);
  startWorker('elsewhere');
  startWorker();
  await untilRewound();
  expect(sink.mails).toHaveLength(3);
  // A worker without these receipts heeds it as well.
  const claim = await claimDeliveries(database.service.db, crypto.randomUUID(), { connections: 1, rows: 1 });
  expect(claim).toBe('paused');
  expect(await secondsUntilDue(database.service.db, undefined)).toBe(Number.POSITIVE_INFINITY);
  expect(await linesWith('older state')).toHaveLength(1);
});

test('merge sets the mails to sent and resume lets the others go: none is doubled', async () => {
  await sendRun(3);
  await forgetSending();
  await acceptRun(database, tenant, 2);
  startWorker();
  await untilRewound();
  expect(await receipts('resume')).toMatchObject({ code: 1, output: expect.stringContaining('3通分') });
  expect(await isRewound()).toBe(true);
  expect(await receipts('merge')).toMatchObject({
    code: 0,
    output: expect.stringContaining('送信済みに直したメール: 3通'),
  });
  expect(await countStates(database.db)).toStrictEqual({ sent: 3, queued: 2 });
  expect(await receipts('resume', '--nothing-taken-back')).toMatchObject({
    code: 0,
    output: expect.stringContaining('送信を再開しました'),
  });
  await waitForOthers();
  expect(await untilSettled(database.db, 60_000)).toStrictEqual({ sent: 5 });
  expect(new Set(sink.mails.map(({ to }) => String(to))).size).toBe(5);
  expect(sink.mails).toHaveLength(5);
  expect(await unbalancedRuns(database.db)).toStrictEqual([]);
  expect(await receipts('resume')).toMatchObject({ code: 0, output: expect.stringContaining('止まっていません') });
});

test('where the runs themselves are missing, their companies and addresses count as mailed', async () => {
  const { prospectIds } = await sendRun(2);
  await forgetRuns();
  startWorker();
  await untilRewound();
  expect(await receipts('merge')).toMatchObject({ code: 0, output: expect.stringContaining('書き込んだメール: 2通') });
  const again = await acceptSend(
    database.account(tenant.accountId),
    {
      senderId: tenant.senderId,
      body: {
        test_send_mode: 0,
        attack_list: prospectIds.map((prospect_id) => ({ prospect_id, company_email: '' })),
        datetime_list: null,
        days_from_lastday: 7,
      },
      idempotencyKey: null,
      ...TEST_MAILING,
    },
    Date.now(),
  );
  expect(again).toMatchObject({
    status: 'no-added',
    skipped: [{ reason: 'recently_sent' }, { reason: 'recently_sent' }],
  });
  expect(await receipts('resume')).toMatchObject({ code: 0 });
});

test('a mail that is being sent while the database is set back is missed before its receipt is written', async () => {
  await acceptRun(database, tenant, 1);
  sink.fault = (moment) => (moment === 'dot' ? 'wait' : null);
  startWorker();
  await eventually(
    () => sink.waiting.length,
    (mails) => mails === 1,
  );
  await forgetSending();
  await sql`UPDATE installation SET server = 'another'`.execute(database.db);
  startWorker('elsewhere');
  await untilRewound();
  expect(await linesWith('"underWay":1')).toHaveLength(1);
  for (const answer of sink.waiting) answer();
  const isMerged = async () => (await receipts('merge')).output.includes('送信済みに直したメール: 1通');
  await eventually(isMerged, Boolean);
  expect(await receipts('resume')).toMatchObject({ code: 0 });
  expect(await countStates(database.db)).toStrictEqual({ sent: 1 });
  expect(sink.mails).toHaveLength(1);
});

test('kept receipts are merged again where an older state has their mails as unknown', async () => {
  await sendRun(2);
  for (const { path } of allFiles(join(dataDir, 'here', 'receipts', (await readInstallation(database.db)).id))) {
    archiveMerged(path);
  }
  await sql`UPDATE delivery SET state = 'unknown', finished_at = now()`.execute(database.db);
  startWorker();
  await eventually(
    () => countStates(database.db),
    ({ sent }) => sent === 2,
  );
  expect(await isRewound()).toBe(false);
});

test('receipts of an account that has moved deny nothing: its rows may be deleted here', async () => {
  await sendRun(3);
  await forgetRuns();
  const compare = () => {
    const log = pino({ level: 'silent' });
    const root = join(dataDir, 'here', 'receipts');
    return receiptGuard({ db: database.service.db, root, now: Date.now, log }).compare();
  };
  await database.pool.query(
    `UPDATE account SET frozen_at = now(), settled_at = now(), moved_to = 'https://new.example'`,
  );
  await compare();
  expect(await isRewound()).toBe(false);
  await setAccounts(database.db, { moved_to: null, moved_at: null, settled_at: null, frozen_at: null });
  await compare();
  expect(await isRewound()).toBe(true);
});

test('a mail in the state of an earlier try is denied as well', async () => {
  await sendRun(1);
  await forgetSending();
  await sql`UPDATE delivery SET state = 'failed', finished_at = now()`.execute(database.db);
  startWorker();
  await untilRewound();
});

test('receipts of a version before, which kept them in one folder, are merged', async () => {
  await acceptRun(database, tenant, 1);
  const [claim] = await claimMails(database, { rows: 1 });
  if (!claim) throw new Error('nothing was claimed');
  await markSending(database.service.db, [claim]);
  const { accountId, id, claimNo, messageId, attempts } = claim;
  const root = join(dataDir, 'here', 'receipts');
  mkdirSync(root, { recursive: true });
  writeFileSync(
    join(root, 'old'),
    `${JSON.stringify({ accountId, id, claimNo, messageId, attempts, reply: '250' })}\n`,
  );
  utimesSync(join(root, 'old'), new Date(), new Date(Date.now() - 10_000));
  startWorker();
  await eventually(
    () => countStates(database.db),
    ({ sent }) => sent === 1,
  );
});

test('a database that knows what was sent pauses nothing, whatever became of the mails', async () => {
  await sendRun(3);
  const [bounced, doubtful] = await database.db.selectFrom('delivery').select('id').orderBy('id').execute();
  // A bounce by event, tried again by hand; a doubt that a person has sent again.
  await sql`UPDATE delivery SET state = 'queued', attempts = 0, finished_at = NULL, not_before = 'infinity'
    WHERE id = ${bounced?.id}`.execute(database.db);
  await sql`UPDATE delivery SET state = 'queued', maybe_sent = true, finished_at = NULL, not_before = 'infinity'
    WHERE id = ${doubtful?.id}`.execute(database.db);
  // Its receipt is not merged yet: that is what counts its address as mailed.
  await sql`
    DELETE FROM address_contact
    WHERE address_key = (SELECT address_key FROM delivery WHERE id = ${doubtful?.id})`.execute(database.db);
  await acceptRun(database, tenant, 1);
  startWorker();
  await eventually(
    () => sink.mails.length,
    (mails) => mails === 4,
  );
  expect(await isRewound()).toBe(false);
});

test('a test mail is not compared: one that is sent twice harms nobody', async () => {
  await acceptRun(database, tenant, 1, { test: true });
  const worker = startWorker();
  await untilSettled(database.db);
  await worker.stop();
  await forgetSending();
  startWorker();
  await eventually(
    () => sink.mails.length,
    (mails) => mails === 2,
  );
  expect(await isRewound()).toBe(false);
});

test('receipts of another database are ignored and reported; this one starts', async () => {
  await sendRun(2);
  await forgetSending();
  await sql`UPDATE installation SET id = gen_random_uuid()`.execute(database.db);
  startWorker();
  // Receipts are written before results, but after the mail server has the mail.
  await untilSettled(database.db);
  expect(sink.mails).toHaveLength(4);
  expect(await isRewound()).toBe(false);
  expect(logged.filter((line) => line.includes('receipts of other databases'))).toHaveLength(1);
  expect(readdirSync(join(dataDir, 'here', 'receipts'))).toHaveLength(2);
});

describe('a machine without receipts', () => {
  const log = pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) });
  const told = () => logged.filter((line) => line.includes('has no receipts')).length;

  /** Compares receipts as a worker does when it starts. @param machine the name of its DATA_DIR */
  const start = (machine: string) =>
    receiptGuard({
      db: database.service.db,
      root: join(dataDir, machine, 'receipts'),
      now: Date.now,
      log,
    }).compare();

  test('says so once for its folder, and again without a lasting DATA_DIR, but not on a first start', async () => {
    await start('here');
    await sendRun(2);
    await start('here');
    expect(told()).toBe(0);
    await Promise.all([start('elsewhere'), start('elsewhere')]);
    await start('elsewhere');
    expect(told()).toBe(1);
    rmSync(join(dataDir, 'here'), { recursive: true });
    await start('here');
    expect(told()).toBe(2);
    expect(logged.at(-1)).toContain('After a restore of the database: stop all workers');
  });

  test.each([
    ['that may have left', `state = 'unknown'`, 1],
    ['that the mail server refused', `state = 'failed'`, 0],
    ['of a test run', 'test_send_mode = true', 0],
    ['that left four days ago', `finished_at = now() - interval '4 days'`, 0],
  ])('knows by a mail %s whether something left', async (_, change, lines) => {
    await sendRun(1);
    await sql`UPDATE delivery SET ${sql.raw(change)}`.execute(database.db);
    await start('elsewhere');
    expect(told()).toBe(lines);
  });

  test('sends also where its folder cannot be made', async () => {
    await acceptRun(database, tenant, 1);
    const receiptsFolder = join(dataDir, 'receipts');
    symlinkSync(join(dataDir, 'nowhere'), receiptsFolder);
    testWorker(database, sink, { connections: 1, log, receiptsFolder });
    expect(await untilSettled(database.db)).toStrictEqual({ sent: 1 });
    expect(logged.some((line) => line.includes('cannot make the receipts folder'))).toBe(true);
  });
});

test('nobody claims from another server before all machines have compared their receipts', async () => {
  await acceptRun(database, tenant, 1);
  const { db } = database.service;
  const claim = (installationState: string | null) =>
    claimDeliveries(db, crypto.randomUUID(), { connections: 1, rows: 1, installationState });
  expect(await claim('another')).toBe('unknown-server');
  expect(await secondsUntilDue(db, 'another')).toBe(0);
  const { server, state } = await readInstallation(db);
  await sql`UPDATE installation SET server = 'another', server_since = '-infinity'`.execute(database.db);
  startWorker();
  await eventually(
    () => database.db.selectFrom('installation').select('server').executeTakeFirstOrThrow(),
    (row) => row.server === server,
  );
  expect(await claim(state)).toBe('unknown-server');
  const { state: settling } = await readInstallation(db);
  expect(await claim(settling)).toBe('paused');
  const seconds = await secondsUntilDue(db, settling);
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(6);
  await waitForOthers();
  // Once more: receipts may have been written meanwhile.
  expect(await claim(settling)).toBe('unknown-server');
  expect(await untilSettled(database.db, 60_000)).toStrictEqual({ sent: 1 });
});

test('receipts go after three days, those of other databases too', async () => {
  const folders = ['one', 'one/kept', 'another/kept'].map((name) => join(dataDir, 'here', 'receipts', name));
  const fourDaysAgo = new Date(Date.now() - 4 * 24 * 3600 * 1000);
  for (const folder of folders) {
    mkdirSync(folder, { recursive: true });
    for (const name of ['old', 'young']) writeFileSync(join(folder, name), '');
    utimesSync(join(folder, 'old'), fourDaysAgo, fourDaysAgo);
  }
  await startWorker().receipts?.compare();
  const left = folders.map((folder) => readdirSync(folder).filter((name) => name !== 'kept'));
  expect(left).toStrictEqual([['young'], ['young'], ['young']]);
});
