import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addTenant } from '#test/prospects.ts';
import { acceptRun, countStates, finishDeliveries, markSending, unbalancedRuns } from '#test/sending.ts';
import { claimDeliveries } from './claim.queries.ts';
import type { Claim } from './claim.ts';
import { sweepLostClaims } from './finish.queries.ts';
import { mergeReceipts } from './merge-receipts.command.ts';
import { allFiles, type Receipt, readReceipts, receiptBook } from './receipts.ts';

/** What a full disk makes of the next writes: so many bytes each, or a fault. */
const short = vi.hoisted(() => ({ writes: [] as (number | string)[] }));
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const writeSync = (fd: number, bytes: NodeJS.ArrayBufferView | string, offset = 0) => {
    const most = short.writes.shift();
    if (typeof most === 'string') throw Object.assign(new Error(most), { code: most });
    const whole = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
    return most === 0 ? 0 : fs.writeSync(fd, whole, offset, most);
  };
  return { ...fs, writeSync };
});

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
  short.writes = [];
  await acceptRun(database, await addTenant(database.db), 3);
  const batch = await claimDeliveries(database.service.db, randomUUID(), { connections: 3, rows: 3 }, Date.now());
  claims = (typeof batch !== 'string' && batch?.claims) || [];
  expect(await markSending(database.service.db, claims)).toStrictEqual([true, true, true]);
});

const receiptOf = (
  { accountId, id, claimNo, messageId, attempts }: Claim,
  reply = '250 taken',
  at = Date.now(),
): Receipt => ({ accountId, id, claimNo, messageId, attempts, reply, at, contact: null });

const book = () =>
  receiptBook(
    () => folder,
    (error) => faults.push(error),
  );
const keep = (...receipts: Receipt[]) => {
  const kept = book();
  kept.keep(receipts);
  kept.close();
};
/** Those that are not merged yet. */
const files = () =>
  readdirSync(folder)
    .filter((name) => name !== 'kept')
    .map((name) => join(folder, name));
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

test('a mail that its owner has sent again is not sent twice, unless its next try has been claimed by then', async () => {
  await loseAll();
  await sql`UPDATE delivery SET state = 'queued', maybe_sent = true, finished_at = NULL`.execute(database.db);
  await sql`UPDATE delivery SET claim_no = claim_no + 1 WHERE id = ${third().id}`.execute(database.db);
  keep(...claims.map((claim) => receiptOf(claim)));
  rest();
  expect(await merge()).toBe(2);
  expect((await deliveries()).map(({ state }) => state)).toStrictEqual(['sent', 'sent', 'queued']);
  expect(await unbalancedRuns(database.db)).toStrictEqual([]);
});

test('a failed mail that its owner has tried again waits for that', async () => {
  await finishDeliveries(
    database.service.db,
    claims.map((claim) => ({ claim, outcome: { kind: 'failed', reply: '550 bounced', badAddress: false } as const })),
  );
  await sql`UPDATE delivery SET state = 'queued', attempts = 0, finished_at = NULL`.execute(database.db);
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

/** Hours from now to when it was sent, and to when its company was last mailed. */
async function hoursSince({ id, prospectId }: Claim): Promise<number[]> {
  const { rows } = await sql<{ sent: number; contacted: number }>`
    SELECT extract(epoch FROM now() - d.finished_at) / 3600 AS sent, extract(epoch FROM now() - c.last_sent_at) / 3600 AS contacted
    FROM delivery d LEFT JOIN contact_state c ON c.prospect_id = ${prospectId} WHERE d.id = ${id}`.execute(database.db);
  return rows.flatMap(({ sent, contacted }) => [sent, contacted].map((hours) => Math.round(Number(hours))));
}

const hoursAgo = (hours: number) => Date.now() - hours * 3_600_000;

test('a mail was sent, and its company mailed, when the mail server said so, and not when that was merged', async () => {
  await sql`UPDATE delivery SET created_at = now() - interval '9 hours'`.execute(database.db);
  keep(receiptOf(first(), '250', hoursAgo(5)));
  rest();
  await merge();
  await loseAll();
  keep(receiptOf(second(), '250', hoursAgo(4)), receiptOf(third(), '250', hoursAgo(3)));
  // Of this one somebody has written down a later mail: a doubt that ends takes nothing back.
  await sql`UPDATE contact_state SET last_sent_at = now() + interval '1 hour' WHERE prospect_id = ${third().prospectId}`.execute(
    database.db,
  );
  rest();
  await merge();
  expect(await Promise.all([first(), second(), third()].map(hoursSince))).toStrictEqual([
    [5, 5],
    [4, 4],
    [3, -1],
  ]);
});

test('a receipt of the first versions, which has no time, counts from when its file was written', async () => {
  await sql`UPDATE delivery SET created_at = now() - interval '9 hours'`.execute(database.db);
  const { at: _, ...untimed } = receiptOf(first());
  const file = join(folder, randomUUID());
  writeFileSync(file, `${JSON.stringify(untimed)}\n`);
  utimesSync(file, new Date(hoursAgo(5)), new Date(hoursAgo(5)));
  expect(await merge()).toBe(1);
  expect(await hoursSince(first())).toStrictEqual([5, 5]);
  expect(faults).toStrictEqual([]);
});

test('a clock that runs wild sends no mail before it was asked for', async () => {
  keep(receiptOf(first(), '250', 0), receiptOf(second(), '250', hoursAgo(-5)));
  rest();
  await merge();
  expect(await Promise.all([first(), second()].map(hoursSince))).toStrictEqual([
    [0, 0],
    [0, 0],
  ]);
});

test('a disk that takes a part of a receipt gets the rest', async () => {
  short.writes = [20, 30];
  keep(receiptOf(first()), receiptOf(second()));
  rest();
  expect(await merge()).toBe(2);
  expect([short.writes, faults]).toStrictEqual([[], []]);
});

test.each([0, 'ENOSPC'])(
  'a disk that takes a part and then no more (%s): what is torn is nobody’s receipt, what comes next is whole',
  async (end) => {
    await loseAll();
    const kept = book();
    kept.keep([receiptOf(third())]);
    short.writes = [60, end];
    kept.keep([receiptOf(first())]);
    expect(faults).toHaveLength(1);
    kept.keep([receiptOf(second())]);
    kept.close();
    rest();
    expect(await merge()).toBe(2);
    expect((await deliveries()).map(({ state }) => state)).toStrictEqual(['unknown', 'sent', 'sent']);
    expect(faults).toHaveLength(1);
  },
);

test('files do not grow for ever', () => {
  const kept = book();
  for (let n = 0; n < 10; n += 1) kept.keep([receiptOf(first(), 'x'.repeat(100_000))]);
  kept.close();
  expect(files().length).toBeGreaterThan(2);
});

test('small merged files are gathered in one, after a line that a full disk cut off', async () => {
  vi.spyOn(Date, 'now').mockReturnValue(Date.UTC(2026, 10, 23));
  for (const claim of claims) {
    keep(receiptOf(claim));
    rest();
    short.writes = claim === second() ? [20, 'ENOSPC'] : [];
    if (claim === second()) await expect(merge()).rejects.toThrow('ENOSPC');
    await merge();
  }
  const [gathered, ...none] = allFiles(folder).map(({ path }) => path);
  expect(none).toStrictEqual([]);
  const read = readReceipts(gathered ?? '', (error) => faults.push(error));
  expect(read.map(({ id }) => id)).toStrictEqual(claims.map(({ id }) => id));
  expect(faults).toHaveLength(1);
  keep(receiptOf(first(), 'x'.repeat(100_000)));
  rest();
  await merge();
  expect(allFiles(folder)).toHaveLength(2);
});

test('a folder that cannot be written keeps no mail up', () => {
  writeFileSync(join(folder, 'file'), '');
  const kept = receiptBook(
    () => join(folder, 'file', 'receipts'),
    (error) => faults.push(error),
  );
  kept.keep([receiptOf(first())]);
  kept.keep([]);
  kept.close();
  expect(faults).toHaveLength(1);
});

test('no folder: there has never been a receipt', async () => expect(await merge(join(folder, 'nowhere'))).toBe(0));
