import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { pino } from 'pino';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { giveSendGridTemplates } from '#test/mails.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { runCommand } from '#test/run-command.ts';
import { testSendGrid } from '#test/sendgrid.ts';
import {
  acceptRun,
  claimMails,
  countStates,
  eventually,
  finishDeliveries,
  markSending,
  testSink,
  testWorker,
  unbalancedRuns,
  untilSettled,
  workerBy,
} from '#test/sending.ts';
import { decideUnknown } from '../runs/decide-unknown.command.ts';
import { retryFailures } from '../runs/retry.command.ts';
import { receiptGuard } from './guard/receipt-guard.ts';
import { receiptOf, receiptWriter } from './guard/receipts.ts';
import { unknownKeeper } from './guard/unknown-mails.ts';
import type { Claim, KeepUnknown } from './leases/claim.ts';
import type { DeliveryResult } from './leases/delivery-result.ts';
import { readInstallation } from './pauses/installation.queries.ts';
import { sweepInTransaction, sweepLostClaims } from './results/sweep.queries.ts';
import { sendGridTemplates, sendGridTransport } from './transports/sendgrid/sendgrid-transport.ts';

let database: TestDatabase;
let tenant: Tenant;
let dataDir: string;
const root = () => join(dataDir, 'receipts');

const onFault = (error: unknown) => {
  throw error;
};
const keep: KeepUnknown = (id, mails) => unknownKeeper(root(), { onFault })(id, mails);

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  dataDir = mkdtempSync(join(tmpdir(), 'kaitaku-unknown-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
});

const folder = async () => join(root(), (await readInstallation(database.db)).id);

/** Reads the lines of unknown mails. */
async function lines(): Promise<Record<string, unknown>[]> {
  const unknown = join(await folder(), 'unknown');
  const texts = readdirSync(unknown).map((name) => readFileSync(join(unknown, name), 'utf8'));
  return texts.flatMap((text) => text.split('\n').filter(Boolean)).map((line) => JSON.parse(line));
}

const rows = () => database.db.selectFrom('delivery').selectAll().orderBy('id').execute();
const states = async () => (await rows()).map(({ state }) => state);
const contacts = () => database.db.selectFrom('contact_state').select('prospect_id').orderBy('prospect_id').execute();
const expire = () => sql`UPDATE delivery SET lease_until = now() WHERE lease_until IS NOT NULL`.execute(database.db);
const sweep = async () => {
  await expire();
  return sweepLostClaims(database.service.db, keep);
};

/** Claims so many mails and commits their marks, as a worker does. */
async function begin(mails: number): Promise<readonly Claim[]> {
  const claims = await claimMails(database, { rows: mails });
  expect(claims).toHaveLength(mails);
  expect(await markSending(database.service.db, claims)).not.toContain(false);
  return claims;
}

/** Makes the mails of a run unknown, as the sweep does with those of a dead worker. */
async function makeUnknown(mails = 1): Promise<readonly Claim[]> {
  await acceptRun(database, tenant, mails);
  const claims = await begin(mails);
  expect(await sweep()).toStrictEqual({ requeued: 0, unknown: mails });
  return claims;
}

type Outcome = DeliveryResult['outcome'];
const finish = async (claim: Claim, outcome: Outcome) =>
  (await finishDeliveries(database.service.db, [{ claim, outcome }]))[0];

/** Results after which a mail waits again. */
const RETRIED: readonly Outcome[] = [
  { kind: 'deferred', reply: '451 later' },
  { kind: 'not-taken', reply: '400 another mail' },
  { kind: 'unmarked', reply: 'too late' },
  { kind: 'transport', reply: '401 no key' },
  { kind: 'limited', reply: '429 too many', seconds: 1 },
  { kind: 'sender-refused', reply: '403 from' },
];

const decide = ({ id, claimNo }: Claim, state: 'sent' | 'queued') =>
  decideUnknown(database.account(tenant.accountId, tenant.memberId), id, { state, claimNo }, Date.now());

/** Compares as a worker does when another server answers. @returns whether sending is paused */
async function pauses(): Promise<boolean> {
  const log = pino({ level: 'silent' });
  await receiptGuard({ db: database.service.db, root: root(), now: Date.now, log }).compare();
  const { rewound_at } = await database.db.selectFrom('installation').select('rewound_at').executeTakeFirstOrThrow();
  return rewound_at !== null;
}

async function receipts(action: string): Promise<{ code: number; output: string }> {
  const { code, out, err } = await runCommand(['receipts', action], { DATABASE_URL: database.url, DATA_DIR: dataDir });
  return { code, output: out + err };
}

/** As a backup from before the claims would be. */
const forgetSending = (more = '') =>
  database.pool.query(`
    UPDATE delivery SET state = 'queued', claim_no = 0, attempts = 0, finished_at = NULL, smtp_reply = NULL,
      lease_until = NULL, worker_id = NULL, not_before = now()${more};
    DELETE FROM address_contact; DELETE FROM contact_state`);

describe('a line is on disk', () => {
  test('before the sweep commits, with nothing of a person in it', async () => {
    const { prospectIds } = await acceptRun(database, tenant, 2);
    const [mail] = await begin(1);
    await claimMails(database, { rows: 1 });
    await expire();
    const failing = sweepLostClaims(database.service.db, () => onFault(new Error('killed at the line')));
    await expect(failing).rejects.toThrow('killed');
    expect(await states()).toStrictEqual(['sending', 'claimed']);
    expect(await sweepLostClaims(database.service.db, keep)).toStrictEqual({ requeued: 1, unknown: 1 });
    const { accountId, senderGroupId } = tenant;
    expect(await lines()).toStrictEqual([
      {
        accountId,
        id: mail?.id,
        claimNo: 1,
        claimedAt: expect.any(Number),
        messageId: mail?.messageId,
        attempts: 0,
        senderGroupId,
        prospectId: prospectIds[0],
      },
    ]);
    expect(await states()).toStrictEqual(['unknown', 'queued']);
  });

  test('where the sweep then fails, and does no harm', async () => {
    await acceptRun(database, tenant, 1);
    const [claim] = await begin(1);
    await expire();
    const failing = database.service.db.transaction().execute(async (tx) => {
      await sweepInTransaction(tx, keep);
      throw new Error('killed before the commit');
    });
    await expect(failing).rejects.toThrow('killed');
    expect(await lines()).toHaveLength(1);
    expect(await pauses()).toBe(false);
    // Its worker was only late: whatever the mail server has answered, the database is sound.
    for (const outcome of RETRIED) {
      expect(await finish(claim as Claim, outcome)).toBe(true);
      expect(await states(), outcome.kind).toStrictEqual(['queued']);
      expect(await pauses(), outcome.kind).toBe(false);
      await database.pool.query(
        `UPDATE delivery SET state = 'sending', claim_no = 1, attempts = 0, lease_until = now()`,
      );
    }
  });

  test('after a connection that is lost behind the final dot', async () => {
    await acceptRun(database, tenant, 2);
    const sink = await testSink();
    sink.fault = (moment) => (moment === 'dot' ? 'close' : null);
    testWorker(database, sink, { connections: 1, receiptsFolder: root() });
    expect(await untilSettled(database.db)).toStrictEqual({ unknown: 2 });
    expect(await lines()).toMatchObject((await rows()).map(({ id, message_id }) => ({ id, messageId: message_id })));
  });

  test('after an answer of SendGrid that leaves the mails open, one for each', async () => {
    const fake = await testSendGrid();
    fake.fault = () => ({ status: 502 });
    await giveSendGridTemplates(database.db);
    await acceptRun(database, tenant, 3, { transport: sendGridTemplates });
    workerBy(database, sendGridTransport(fake), { connections: 1, receiptsFolder: root() });
    expect(await untilSettled(database.db)).toStrictEqual({ unknown: 3 });
    expect(new Set((await lines()).map(({ id }) => id)).size).toBe(3);
  });

  test('of no test mail, and of no decision of a member', async () => {
    await acceptRun(database, tenant, 1, { test: true });
    await begin(1);
    expect(await sweep()).toStrictEqual({ requeued: 0, unknown: 1 });
    expect(readdirSync(dataDir)).toStrictEqual([]);
    const mails = await makeUnknown(2);
    for (const [index, state] of (['sent', 'queued'] as const).entries()) await decide(mails[index] as Claim, state);
    expect(await lines()).toHaveLength(2);
  });
});

describe('a database that lacks that a mail became unknown', () => {
  test('pauses all sending; merge makes the mail unknown, and nobody is mailed again', async () => {
    const { length } = await makeUnknown(2);
    await forgetSending();
    expect(await pauses()).toBe(true);
    expect(await receipts('resume')).toMatchObject({ code: 1, output: expect.stringContaining('2通分') });
    const merged = await receipts('merge');
    expect(merged).toMatchObject({ code: 0, output: expect.stringContaining('「不明」に直したメール: 2通') });
    expect(await rows()).toMatchObject(
      Array.from({ length }, () => ({ state: 'unknown', claim_no: 1, attempts: 1, reason: null, lease_until: null })),
    );
    expect(await contacts()).toHaveLength(2);
    expect(await unbalancedRuns(database.db)).toStrictEqual([]);
    expect(await receipts('merge')).toMatchObject({ output: expect.stringContaining('「不明」に直したメール: 0通') });
    expect(await receipts('resume')).toMatchObject({ code: 0 });
    expect(await pauses()).toBe(false);
    expect(await claimMailsAtOnce()).toHaveLength(0);
  });

  test.each([
    ['claimed, as while it waited for a connection', `state = 'claimed', claim_no = 1, lease_until = now()`],
    ['queued again from that claim, as after a restore', `state = 'queued', claim_no = 1`],
    ['in a paused run', `state = 'queued', claim_no = 0, not_before = 'infinity'`],
    ['held while an answer is in doubt', `state = 'queued', not_before = 'infinity', reason = 'maybe_refused'`],
    ['in the run of a person who sent it again before', `state = 'queued', claim_no = 0, maybe_sent = true`],
  ])('has it %s', async (_, change) => {
    await makeUnknown();
    await forgetSending();
    await database.pool.query(`UPDATE delivery SET ${change}`);
    expect(await pauses()).toBe(true);
    await receipts('merge');
    expect(await rows()).toMatchObject([{ state: 'unknown', reason: null, lease_until: null }]);
    expect(Number.isFinite((await rows())[0]?.not_before.getTime())).toBe(true);
    expect(await contacts()).toHaveLength(1);
    expect(await receipts('resume')).toMatchObject({ code: 0 });
  });

  test('and has no row of it: its company counts as contacted, a later one of that number does not', async () => {
    const [mail, other] = await makeUnknown(2);
    await database.pool.query('DELETE FROM delivery; DELETE FROM send_log; DELETE FROM contact_state');
    await database.pool.query(`UPDATE prospect SET created_at = now() + interval '1 hour' WHERE id = $1`, [
      other?.prospectId,
    ]);
    expect(await pauses()).toBe(true);
    expect(await receipts('merge')).toMatchObject({ output: expect.stringContaining('書き込んだメール: 1通') });
    expect(await contacts()).toStrictEqual([{ prospect_id: mail?.prospectId }]);
    expect(await receipts('resume')).toMatchObject({ code: 0 });
  });

  test('and has an earlier failure of it: the failure stays, the company counts as contacted', async () => {
    await makeUnknown();
    await forgetSending();
    await database.pool.query(`UPDATE delivery SET state = 'failed', finished_at = now()`);
    expect(await pauses()).toBe(true);
    await receipts('merge');
    expect([await states(), (await contacts()).length]).toStrictEqual([['failed'], 1]);
    expect(await receipts('resume')).toMatchObject({ code: 0 });
  });

  test('and that a later try was taken: the receipt wins', async () => {
    const [claim] = await makeUnknown();
    await decide(claim as Claim, 'queued');
    const [again] = await begin(1);
    const id = await folder();
    receiptWriter(() => id, { onFault }).append([receiptOf(again as Claim, '250', Date.now())]);
    await forgetSending(', maybe_sent = false, requeued_at = NULL');
    await receipts('merge');
    expect(await rows()).toMatchObject([{ state: 'sent', claim_no: 2 }]);
    expect(await receipts('resume')).toMatchObject({ code: 0 });
  });

  test('and became unknown twice: the last time counts', async () => {
    const [claim] = await makeUnknown();
    await decide(claim as Claim, 'queued');
    await begin(1);
    await sweep();
    await forgetSending(', maybe_sent = false, requeued_at = NULL');
    await receipts('merge');
    expect(await rows()).toMatchObject([{ state: 'unknown', claim_no: 2, attempts: 2 }]);
  });
});

describe('a database that knows it pauses nothing', () => {
  test.each<[string, (claim: Claim) => Promise<unknown>]>([
    ['while it is unknown', async () => undefined],
    ['after a member has counted it as sent', (claim) => decide(claim, 'sent')],
    ['after a member has queued it again', (claim) => decide(claim, 'queued')],
    ['while it is claimed again', (claim) => decide(claim, 'queued').then(() => claimMailsAtOnce())],
    ['after a late acceptance', (claim) => finish(claim, { kind: 'sent', reply: '250' })],
    ['after a late rejection', (claim) => finish(claim, { kind: 'failed', reply: '550', badAddress: false })],
    [
      'after a late rejection that a member retries',
      async (claim) => {
        await finish(claim, { kind: 'failed', reply: '550', badAddress: false });
        const queued = await retryFailures(
          database.account(tenant.accountId, tenant.memberId),
          claim.sendLogId,
          Date.now(),
        );
        expect(queued).toMatchObject({ accepted: 1 });
      },
    ],
    ['after the word that no byte of it had left', (claim) => finish(claim, { kind: 'not-taken', reply: '400' })],
    ['after its account has moved', () => moveAway()],
    [
      'after that word, where its run is cancelled',
      async (claim) => {
        await database.pool.query('UPDATE send_log SET cancelled = true');
        await finish(claim, { kind: 'not-taken', reply: '400' });
      },
    ],
  ])('%s', async (_, act) => {
    const [claim] = await makeUnknown();
    await act(claim as Claim);
    expect(await pauses()).toBe(false);
    const before = await rows();
    expect(await receipts('merge')).toMatchObject({ output: expect.stringContaining('「不明」に直したメール: 0通') });
    expect(await rows()).toStrictEqual(before);
  });
});

/** Its rows may be deleted here. */
const moveAway = () =>
  database.pool.query(`
    UPDATE account SET frozen_at = now(), settled_at = now(), moved_to = 'https://new.example', moved_at = now();
    DELETE FROM delivery; DELETE FROM contact_state`);

/** Claims what is due, even while workers of other machines would still compare. */
async function claimMailsAtOnce(): Promise<readonly Claim[]> {
  await sql`UPDATE installation SET server_since = '-infinity'`.execute(database.db);
  return claimMails(database);
}

test('a new machine that sweeps before it compares still says that it has no receipts, once', async () => {
  await makeUnknown();
  const logged: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) });
  const compare = () => receiptGuard({ db: database.service.db, root: root(), now: Date.now, log }).compare();
  await Promise.all([compare(), compare()]);
  await compare();
  expect(logged.filter((line) => line.includes('has no receipts'))).toHaveLength(1);
});

test('a standby that lacks the line of a lost connection pauses before it sends the mail again', async () => {
  await acceptRun(database, tenant, 1);
  const sink = await testSink();
  sink.fault = (moment) => (moment === 'dot' ? 'close' : null);
  const worker = testWorker(database, sink, { connections: 1, receiptsFolder: root() });
  expect(await untilSettled(database.db)).toStrictEqual({ unknown: 1 });
  await worker.stop();
  await forgetSending();
  await sql`UPDATE installation SET server = 'another'`.execute(database.db);
  sink.fault = () => null;
  testWorker(database, sink, { connections: 1, receiptsFolder: root() });
  await eventually(pauses, Boolean);
  expect(await countStates(database.db)).toStrictEqual({ queued: 1 });
  expect(sink.mails).toHaveLength(1);
});
