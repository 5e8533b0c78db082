import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addTenant } from '#test/prospects.ts';
import { acceptRun, countStates, finishDeliveries, markSending, unbalancedRuns } from '#test/sending.ts';
import { type Claim, claimDeliveries } from './claim.queries.ts';
import { sweepLostClaims } from './finish.queries.ts';
import { mergeReceipts } from './merge-receipts.command.ts';
import { type Receipt, receiptBook } from './receipts.ts';

let database: TestDatabase;
let folder: string;
let claims: readonly Claim[];
const faults: unknown[] = [];

/** Three mails that are leaving, and the folder of their worker. */
beforeEach(async () => {
  database = await emptyDatabase();
  folder = mkdtempSync(join(tmpdir(), 'kaitaku-receipts-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  faults.length = 0;
  await acceptRun(database, await addTenant(database.db), 3);
  const batch = await claimDeliveries(database.service.db, randomUUID(), { connections: 3, rows: 3 }, Date.now());
  claims = (batch !== 'paused' && batch?.claims) || [];
  expect(await markSending(database.service.db, claims)).toStrictEqual([true, true, true]);
});

const receiptOf = ({ accountId, id, claimNo, messageId, attempts }: Claim, reply = '250 taken'): Receipt => ({
  accountId,
  id,
  claimNo,
  messageId,
  attempts,
  reply,
});

const book = () => receiptBook(folder, (error) => faults.push(error));
const keep = (...receipts: Receipt[]) => {
  const kept = book();
  kept.keep(receipts);
  kept.close();
};
const files = () => readdirSync(folder).map((name) => join(folder, name));
/** As if some seconds had passed. */
const rest = () => {
  for (const file of files()) utimesSync(file, new Date(0), new Date(0));
};
const merge = (from = folder) =>
  mergeReceipts(database.service.db, from, Date.now(), (error) => void faults.push(error));
const deliveries = () => database.db.selectFrom('delivery').selectAll().orderBy('row_index').execute();
const [first, second, third] = [0, 1, 2].map((n) => () => claims[n] as Claim) as [
  () => Claim,
  () => Claim,
  () => Claim,
];

async function loseAll(): Promise<void> {
  await sql`UPDATE delivery SET lease_until = 'epoch' WHERE lease_until IS NOT NULL`.execute(database.db);
  await sweepLostClaims(database.service.db);
}

test('a mail that was swept to unknown, and one that was not yet, are sent, with the reply; the third stays unknown', async () => {
  keep(receiptOf(first()));
  rest();
  expect(await merge()).toBe(1);
  await loseAll();
  keep(receiptOf(second(), '250 taken too'));
  rest();
  expect(await merge()).toBe(1);
  expect(await deliveries()).toMatchObject([
    { state: 'sent', smtp_reply: '250 taken', attempts: 1, lease_until: null },
    { state: 'sent', smtp_reply: '250 taken too', attempts: 1, lease_until: null },
    { state: 'unknown', attempts: 1 },
  ]);
  expect(await database.db.selectFrom('contact_state').selectAll().execute()).toHaveLength(3);
  expect(await unbalancedRuns(database.db)).toStrictEqual([]);
  expect([files(), faults]).toStrictEqual([[], []]);
});

test('several processes merge at once, again and again: the same', async () => {
  await loseAll();
  keep(...claims.map((claim) => receiptOf(claim)));
  rest();
  const merged = await Promise.all([merge(), merge(), merge(), merge()]);
  expect(merged.reduce((sum, count) => sum + count)).toBe(3);
  expect(await countStates(database.db)).toStrictEqual({ sent: 3 });
});

test('it says nothing of another try, of another mail by the same number, or of what is settled', async () => {
  await finishDeliveries(database.service.db, [
    { claim: first(), outcome: { kind: 'failed', reply: '550 bounced', badAddress: false } },
  ]);
  await loseAll();
  const before = await deliveries();
  keep(
    receiptOf(first()),
    { ...receiptOf(second()), claimNo: second().claimNo - 1 },
    { ...receiptOf(third()), messageId: '<another@database>' },
  );
  rest();
  expect(await merge()).toBe(0);
  expect(await deliveries()).toStrictEqual(before);
  expect(files()).toStrictEqual([]);
});

test('a mail that its owner has sent again waits for that, whatever its last try was told', async () => {
  await loseAll();
  await sql`UPDATE delivery SET state = 'queued', maybe_sent = true, finished_at = NULL`.execute(database.db);
  keep(...claims.map((claim) => receiptOf(claim)));
  rest();
  expect(await merge()).toBe(0);
  expect(await countStates(database.db)).toStrictEqual({ queued: 3 });
});

test('a file that may still be written to is left alone; what was cut off in it is no receipt', async () => {
  await loseAll();
  keep(receiptOf(first()));
  expect(await merge()).toBe(0);
  const line = JSON.stringify(receiptOf(second()));
  appendFileSync(files()[0] ?? '', `not a receipt\n${line.slice(0, -9)}`);
  expect(files()).toHaveLength(1);
  rest();
  expect(await merge()).toBe(1);
  expect(await countStates(database.db)).toStrictEqual({ sent: 1, unknown: 2 });
  // The whole line that is none is told, as its mail stays unknown.
  expect(faults).toHaveLength(1);
});

test('without a database nothing is removed', async () => {
  keep(receiptOf(first()));
  rest();
  await sql`ALTER TABLE delivery ADD CONSTRAINT none_is_sent CHECK (state <> 'sent')`.execute(database.db);
  onTestFinished(async () => void (await sql`ALTER TABLE delivery DROP CONSTRAINT none_is_sent`.execute(database.db)));
  await expect(merge()).rejects.toThrow('none_is_sent');
  expect(files()).toHaveLength(1);
});

test('files do not grow for ever', () => {
  const kept = book();
  for (let n = 0; n < 10; n += 1) kept.keep([receiptOf(first(), 'x'.repeat(100_000))]);
  kept.close();
  expect(files().length).toBeGreaterThan(2);
});

test('a folder that cannot be written keeps no mail up', () => {
  writeFileSync(join(folder, 'file'), '');
  const kept = receiptBook(join(folder, 'file', 'receipts'), (error) => faults.push(error));
  kept.keep([receiptOf(first())]);
  kept.keep([]);
  kept.close();
  expect(faults).toHaveLength(1);
});

test('no folder: there has never been a receipt', async () => expect(await merge(join(folder, 'nowhere'))).toBe(0));
