import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addDelivery } from '#test/prospect-history.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { acceptRun, claimMails, countStates, finishDeliveries, markSending, unbalancedRuns } from '#test/sending.ts';
import { decideUnknown } from '../runs/decide-unknown.command.ts';
import { mergeReceipts } from './guard/merge-receipts.command.ts';
import { allFiles, archiveMerged, eachFile } from './guard/receipt-files.ts';
import { readReceipts } from './guard/receipt-lines.ts';
import { type Receipt, receiptWriter } from './guard/receipts.ts';
import type { Claim } from './leases/claim.ts';
import { sweepLostClaims } from './results/sweep.queries.ts';

// A worker keeps its modules for all files: what is replaced here is loaded again, before and after.
vi.hoisted(() => vi.resetModules());
afterAll(() => void vi.resetModules());

/** The results of the next writes: how many bytes the disk takes, the code of its error, or what happens before. */
const short = vi.hoisted(() => ({ writes: [] as (number | string | (() => void))[] }));
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const writeSync = (fd: number, bytes: NodeJS.ArrayBufferView | string, offset = 0) => {
    const next = short.writes.shift();
    if (typeof next === 'function') next();
    const most = typeof next === 'function' ? undefined : next;
    if (typeof most === 'string') throw Object.assign(new Error(most), { code: most });
    const whole = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
    return most === 0 ? 0 : fs.writeSync(fd, whole, offset, most);
  };
  return { ...fs, writeSync };
});

let database: TestDatabase;
let tenant: Tenant;
let folder: string;
let claims: readonly Claim[];
const faults: unknown[] = [];

/** Three mails whose bodies are leaving, and the receipts folder of their worker. */
beforeEach(async () => {
  database = await emptyDatabase();
  folder = mkdtempSync(join(tmpdir(), 'kaitaku-receipts-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  faults.length = 0;
  short.writes = [];
  tenant = await addTenant(database.db);
  await acceptRun(database, tenant, 3);
  claims = await claimMails(database);
  expect(await markSending(database.service.db, claims)).toStrictEqual([true, true, true]);
});

const receiptOf = (
  { accountId, id, claimNo, claimedAt, messageId, attempts }: Claim,
  reply = '250 taken',
  at = Date.now(),
): Receipt => ({ accountId, id, claimNo, claimedAt, messageId, attempts, reply, at, contact: null });

const openWriter = () => receiptWriter(() => folder, { onFault: (error) => faults.push(error) });
const keep = (...receipts: Receipt[]) => {
  const writer = openWriter();
  writer.append(receipts);
  writer.close();
};
/** The files that are not merged yet. */
const files = () =>
  readdirSync(folder)
    .filter((name) => name !== 'kept')
    .map((name) => join(folder, name));
/** Makes all files look complete. */
const ageFiles = () => {
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

/** Ends all leases and sweeps. */
async function sweepAll(): Promise<void> {
  await sql`UPDATE delivery SET lease_until = 'epoch' WHERE lease_until IS NOT NULL`.execute(database.db);
  await sweepLostClaims(database.service.db);
}

test('mails with a receipt are sent, swept or not; a mail without one stays unknown', async () => {
  keep(receiptOf(first()));
  ageFiles();
  expect(await merge()).toBe(1);
  await sweepAll();
  keep(receiptOf(second(), '250 taken too'));
  ageFiles();
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

test('several processes may merge at once', async () => {
  await sweepAll();
  keep(...claims.map((claim) => receiptOf(claim)));
  ageFiles();
  const merged = await Promise.all([merge(), merge(), merge(), merge()]);
  expect(merged.reduce((sum, count) => sum + count)).toBe(3);
  expect(await countStates(database.db)).toStrictEqual({ sent: 3 });
});

test('a receipt of another try, of another mail with that id, or of a failed mail changes nothing', async () => {
  await finishDeliveries(database.service.db, [
    { claim: first(), outcome: { kind: 'failed', reply: '550 bounced', badAddress: false } },
  ]);
  await sweepAll();
  const before = await deliveries();
  keep(
    receiptOf(first()),
    { ...receiptOf(second()), claimNo: second().claimNo - 1 },
    { ...receiptOf(third()), messageId: '<another@database>' },
  );
  ageFiles();
  expect(await merge()).toBe(0);
  expect(await deliveries()).toStrictEqual(before);
  expect(files()).toStrictEqual([]);
});

test('a mail that its owner has queued again becomes sent, unless its next try is claimed', async () => {
  await sweepAll();
  await sql`UPDATE delivery SET state = 'queued', maybe_sent = true, finished_at = NULL`.execute(database.db);
  await sql`UPDATE delivery SET claim_no = claim_no + 1 WHERE id = ${third().id}`.execute(database.db);
  keep(...claims.map((claim) => receiptOf(claim)));
  ageFiles();
  expect(await merge()).toBe(2);
  expect((await deliveries()).map(({ state }) => state)).toStrictEqual(['sent', 'sent', 'queued']);
  expect(await unbalancedRuns(database.db)).toStrictEqual([]);
});

test('a mail that waits for the new address of its company is sent to the one for which it left', async () => {
  await sweepAll();
  const [{ mail_to: old } = { mail_to: null }] = await deliveries();
  const moved = { company_email: 'moved@a.example', email_search: 'moved@a.example' };
  await database.db.updateTable('prospect').set(moved).where('id', '=', first().prospectId).execute();
  const account = database.account(tenant.accountId, tenant.memberId);
  const again = { state: 'queued', claimNo: first().claimNo } as const;
  expect(await decideUnknown(account, first().id, again, Date.now())).toStrictEqual({ status: 'updated' });
  expect((await deliveries())[0]).toMatchObject({ state: 'queued', mail_to: 'moved@a.example' });
  // By now another mail waits for the old address, which an address gets once.
  const [heir = 0] = await addProspects(database.db, tenant.accountId, [{ company_email: old }]);
  await addDelivery(database.db, tenant, heir, { state: 'queued', mailTo: old ?? '' });
  const { senderGroupId, prospectId } = first();
  keep({ ...receiptOf(first()), contact: { senderGroupId, prospectId, address: old ?? '' } });
  ageFiles();
  expect(await merge()).toBe(1);
  expect((await deliveries()).find(({ id }) => id === first().id)).toMatchObject({ state: 'sent', mail_to: old });
  const contacts = await database.db.selectFrom('address_contact').select('address_key').execute();
  expect(contacts).toStrictEqual([{ address_key: old }]);
});

test('a failed mail that its owner has queued again stays queued', async () => {
  await finishDeliveries(
    database.service.db,
    claims.map((claim) => ({ claim, outcome: { kind: 'failed', reply: '550 bounced', badAddress: false } as const })),
  );
  await sql`UPDATE delivery SET state = 'queued', attempts = 0, finished_at = NULL`.execute(database.db);
  keep(...claims.map((claim) => receiptOf(claim)));
  ageFiles();
  expect(await merge()).toBe(0);
  expect(await countStates(database.db)).toStrictEqual({ queued: 3 });
});

test('a file that may still be written to is not merged; a truncated line is no receipt', async () => {
  await sweepAll();
  keep(receiptOf(first()));
  expect(await merge()).toBe(0);
  const line = JSON.stringify(receiptOf(second()));
  appendFileSync(files()[0] ?? '', `not a receipt\n${line.slice(0, -9)}`);
  expect(files()).toHaveLength(1);
  ageFiles();
  expect(await merge()).toBe(1);
  expect(await countStates(database.db)).toStrictEqual({ sent: 1, unknown: 2 });
  // The complete line that is no receipt is reported, as its mail stays unknown.
  expect(faults).toHaveLength(1);
});

test('a failed merge removes no file', async () => {
  keep(receiptOf(first()));
  ageFiles();
  await sql`ALTER TABLE delivery ADD CONSTRAINT none_is_sent CHECK (state <> 'sent')`.execute(database.db);
  onTestFinished(async () => void (await sql`ALTER TABLE delivery DROP CONSTRAINT none_is_sent`.execute(database.db)));
  await expect(merge()).rejects.toThrow('none_is_sent');
  expect(files()).toHaveLength(1);
});

/** Hours since the mail was sent, and since its company was last contacted. */
async function hoursSince({ id, prospectId }: Claim): Promise<number[]> {
  const { rows } = await sql<{ sent: number; contacted: number }>`
    SELECT extract(epoch FROM now() - d.finished_at) / 3600 AS sent,
      extract(epoch FROM now() - c.last_sent_at) / 3600 AS contacted
    FROM delivery d LEFT JOIN contact_state c ON c.prospect_id = ${prospectId} WHERE d.id = ${id}`.execute(database.db);
  return rows.flatMap(({ sent, contacted }) => [sent, contacted].map((hours) => Math.round(Number(hours))));
}

const hoursAgo = (hours: number) => Date.now() - hours * 3_600_000;

test('mail and contact have the time of the receipt, not of the merge', async () => {
  await sql`UPDATE delivery SET created_at = now() - interval '9 hours'`.execute(database.db);
  keep(receiptOf(first(), '250', hoursAgo(5)));
  ageFiles();
  await merge();
  await sweepAll();
  keep(receiptOf(second(), '250', hoursAgo(4)), receiptOf(third(), '250', hoursAgo(3)));
  // This company has a later contact, recorded by hand, which must stay.
  await sql`
    UPDATE contact_state SET last_sent_at = now() + interval '1 hour'
    WHERE prospect_id = ${third().prospectId}`.execute(database.db);
  ageFiles();
  await merge();
  expect(await Promise.all([first(), second(), third()].map(hoursSince))).toStrictEqual([
    [5, 5],
    [4, 4],
    [3, -1],
  ]);
});

test('a receipt of the first versions, which has no time, gets that of its file', async () => {
  await sql`UPDATE delivery SET created_at = now() - interval '9 hours'`.execute(database.db);
  const { at: _, ...untimed } = receiptOf(first());
  const file = join(folder, randomUUID());
  writeFileSync(file, `${JSON.stringify(untimed)}\n`);
  utimesSync(file, new Date(hoursAgo(5)), new Date(hoursAgo(5)));
  expect(await merge()).toBe(1);
  expect(await hoursSince(first())).toStrictEqual([5, 5]);
  expect(faults).toStrictEqual([]);
});

test('a wrong clock makes no mail sent before it was accepted or after now', async () => {
  keep(receiptOf(first(), '250', 0), receiptOf(second(), '250', hoursAgo(-5)));
  ageFiles();
  await merge();
  expect(await Promise.all([first(), second()].map(hoursSince))).toStrictEqual([
    [0, 0],
    [0, 0],
  ]);
});

test('the rest of a receipt that was written in part is written', async () => {
  short.writes = [20, 30];
  keep(receiptOf(first()), receiptOf(second()));
  ageFiles();
  expect(await merge()).toBe(2);
  expect([short.writes, faults]).toStrictEqual([[], []]);
});

test.each([0, 'ENOSPC'])(
  'a disk that fails within a receipt (%s): that one is lost, the next one is whole',
  async (end) => {
    await sweepAll();
    const writer = openWriter();
    writer.append([receiptOf(third())]);
    short.writes = [60, end];
    writer.append([receiptOf(first())]);
    expect(faults).toHaveLength(1);
    writer.append([receiptOf(second())]);
    writer.close();
    ageFiles();
    expect(await merge()).toBe(2);
    expect((await deliveries()).map(({ state }) => state)).toStrictEqual(['unknown', 'sent', 'sent']);
    expect(faults).toHaveLength(1);
  },
);

test('a large file is closed, and another begun', () => {
  const writer = openWriter();
  for (let n = 0; n < 10; n += 1) writer.append([receiptOf(first(), 'x'.repeat(100_000))]);
  writer.close();
  expect(files().length).toBeGreaterThan(2);
});

test('small merged files are gathered in one file, after a line that a full disk truncated', async () => {
  vi.spyOn(Date, 'now').mockReturnValue(Date.UTC(2026, 10, 23));
  for (const claim of claims) {
    keep(receiptOf(claim));
    ageFiles();
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
  ageFiles();
  await merge();
  expect(allFiles(folder)).toHaveLength(2);
});

test('a receipt is gathered in the new file, where another process replaces the old one at that moment', async () => {
  keep(receiptOf(first()));
  archiveMerged(files()[0] ?? '');
  const [gathered = expect.unreachable()] = allFiles(folder).map(({ path }) => path);
  keep(receiptOf(second()));
  const replace = () => {
    writeFileSync(join(folder, 'new'), readFileSync(gathered));
    renameSync(join(folder, 'new'), gathered);
  };
  short.writes = [replace];
  archiveMerged(files()[0] ?? '');
  const read = readReceipts(gathered, (error) => faults.push(error));
  expect(read.map(({ id }) => id)).toStrictEqual([first().id, second().id]);
});

test('a folder that cannot be written to is reported, and delays no mail', () => {
  writeFileSync(join(folder, 'file'), '');
  const writer = receiptWriter(() => join(folder, 'file', 'receipts'), { onFault: (error) => faults.push(error) });
  writer.append([receiptOf(first())]);
  writer.append([]);
  writer.close();
  expect(faults).toHaveLength(1);
});

test('a missing folder has no receipts', async () => expect(await merge(join(folder, 'nowhere'))).toBe(0));

test('a file that another process gathers while all are read is not missed', async () => {
  keep(receiptOf(first()));
  archiveMerged(files()[0] ?? '');
  keep(receiptOf(second()));
  const older = new Date(Date.now() - 60_000);
  for (const path of files()) utimesSync(path, older, older);
  const read: number[] = [];
  await eachFile(folder, async ({ path }) => {
    read.push(...readReceipts(path, (error) => faults.push(error)).map(({ id }) => id));
    // The first file that is read is the gathered one.
    for (const unmerged of files()) archiveMerged(unmerged);
    return false;
  });
  expect(new Set(read)).toStrictEqual(new Set([first().id, second().id]));
  expect(faults).toStrictEqual([]);
});

test('a database socket that is missing is no moved file: the fault is thrown, not retried for ever', async () => {
  keep(receiptOf(first()));
  const fault = Object.assign(new Error('connect ENOENT'), { code: 'ENOENT', syscall: 'connect' });
  await expect(eachFile(folder, () => Promise.reject(fault))).rejects.toThrow('connect ENOENT');
});
