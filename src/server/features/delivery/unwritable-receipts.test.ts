import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { pino } from 'pino';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { noticesOf } from '#test/notices.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { acceptRun, claimMails, eventually, markSending, testSink, testWorker, untilSettled } from '#test/sending.ts';
import { createMetrics, type Metrics } from '../../platform/metrics/metrics.ts';
import { receiptWatch } from './guard/receipt-watch.command.ts';
import { unknownKeeper } from './guard/unknown-mails.ts';
import { sweepLostClaims } from './results/sweep.queries.ts';

let database: TestDatabase;
let tenant: Tenant;
let metrics: Metrics;
/** `DATA_DIR/receipts` and what it leads to, which is missing: nothing can be written. */
let root: string;
let disk: string;

const log = pino({ level: 'silent' });
const gauge = async () => (await metrics.receiptsUnwritable.get()).values[0]?.value;
const told = async ({ memberId } = tenant) =>
  (await noticesOf(database, memberId)).filter(({ kind }) => kind === 'receipts_unwritable').length;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  metrics = createMetrics();
  const folder = mkdtempSync(join(tmpdir(), 'kaitaku-unwritable-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  [root, disk] = [join(folder, 'receipts'), join(folder, 'disk')];
  symlinkSync(disk, root);
});

test('mails leave without receipts: the gauge is 1 until one is written, and their account is told', async () => {
  const tester = await addTenant(database.db);
  await acceptRun(database, tester, 1, { test: true });
  await acceptRun(database, tenant, 2);
  const sink = await testSink();
  expect(await gauge()).toBe(0);
  testWorker(database, sink, { receiptsFolder: root, metrics });
  expect(await untilSettled(database.db)).toStrictEqual({ sent: 3 });
  expect(await gauge()).toBe(1);
  await eventually(told, (notices) => notices === 1);
  expect(await told(tester)).toBe(0);
  mkdirSync(disk);
  await acceptRun(database, tenant, 1);
  expect(await untilSettled(database.db)).toStrictEqual({ sent: 4 });
  expect(await gauge()).toBe(0);
});

test('mails that become unknown without a line count too', async () => {
  await acceptRun(database, tenant, 1);
  await markSending(database.service.db, await claimMails(database));
  await sql`UPDATE delivery SET lease_until = now() - interval '1 second'`.execute(database.db);
  const watch = receiptWatch({ db: database.service.db, log, metrics });
  expect(await sweepLostClaims(database.service.db, unknownKeeper(root, watch))).toMatchObject({ unknown: 1 });
  expect(await gauge()).toBe(1);
  await watch.tellAccounts();
  expect(await told()).toBe(1);
});

test('an account is notified once a day, whichever worker cannot write', async () => {
  const fail = async () => {
    const watch = receiptWatch({ db: database.service.db, log });
    watch.onFault(new Error('disk full'), [{ accountId: tenant.accountId, id: 1 }]);
    await watch.tellAccounts();
    await watch.tellAccounts();
  };
  await Promise.all([fail(), fail(), fail()]);
  expect(await noticesOf(database, tenant.memberId)).toStrictEqual([
    { kind: 'receipts_unwritable', count: 1, percent: null, subjects: [] },
  ]);
  await fail();
  await sql`UPDATE notice SET read_at = now(), first_at = first_at - interval '23 hours',
    last_at = last_at - interval '23 hours'`.execute(database.db);
  await fail();
  expect(await told()).toBe(1);
  await sql`UPDATE notice SET last_at = last_at - interval '2 hours'`.execute(database.db);
  await fail();
  expect(await told()).toBe(2);
});
