import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { pino } from 'pino';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { TEST_MAILING } from '#test/mailing.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { bounceSoftly, type ReceiptMachine, receiptMachine } from '#test/receipt-machine.ts';
import { runCommand } from '#test/run-command.ts';
import { saveState } from '#test/saved-state.ts';
import {
  acceptRun,
  claimMails,
  eventually,
  finishDeliveries,
  markSending,
  testSink,
  testWorker,
  untilBlocked,
} from '#test/sending.ts';
import { erase } from '../personal-data/erase.command.ts';
import { giveBack } from '../reservations/give-back.command.ts';
import { blankBatch } from '../retention/blank.command.ts';
import { acceptSend } from '../runs/accept.command.ts';
import { retryDelivery } from '../runs/retry.command.ts';
import { steerRun } from '../runs/run-control.command.ts';
import { closedFiles, rewriteReceipts } from './guard/receipt-files.ts';
import { receiptGuard } from './guard/receipt-guard.ts';
import { receiptOf } from './guard/receipts.ts';
import type { Claim } from './leases/claim.ts';

/** Receipts whose address is erased (decisions/receipts): they prove as much as before, and no longer name anybody. */

let database: TestDatabase;
let tenant: Tenant;
let machine: ReceiptMachine;
/** The mail of the person, and of another run of the account that nobody erases. */
let mail: Claim;
let other: Claim;

const ADDRESS = 'info0@a.example';

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  machine = await receiptMachine(database);
  onTestFinished(() => machine.remove());
  await acceptRun(database, tenant, 3);
  // An interval in which the bounced mail may be sent again.
  await sql`UPDATE send_log SET days_from_lastday = 0`.execute(database.db);
  const [first, second, third] = await claimMails(database);
  if (!first || !second || !third) expect.unreachable();
  [mail, other] = [first, second];
  // The third stays, so that the run can be paused.
  await take(mail, other);
  await sql`UPDATE delivery SET state = 'queued', lease_until = NULL WHERE id = ${third.id}`.execute(database.db);
});

/** The mail server takes the mails, and their worker writes receipts and results. */
async function take(...claims: readonly Claim[]): Promise<void> {
  expect(await markSending(database.service.db, claims)).toStrictEqual(claims.map(() => true));
  machine.keep(claims);
  const outcome = { kind: 'sent', reply: '250 taken' } as const;
  await finishDeliveries(
    database.service.db,
    claims.map((claim) => ({ claim, outcome })),
  );
  await machine.merge();
}

const ours = (of = tenant) => ({ ...database.account(of.accountId, of.memberId), memberId: of.memberId });
const eraseAddress = async (email = ADDRESS, of = tenant) =>
  expect(await erase(ours(of), { email, record_refusal: 0 })).toMatchObject({ status: 'erased' });
const rows = async (table: string) => (await database.pool.query(`SELECT * FROM ${table} ORDER BY 1, 2, 3`)).rows;
/** All that a merge may write to. */
const written = () => Promise.all(['delivery', 'contact_state', 'address_contact', 'shared_address'].map(rows));
const mailRow = () =>
  database.db.selectFrom('delivery').selectAll().where('id', '=', mail.id).executeTakeFirstOrThrow();

/** Accepts a real run to these companies. */
const acceptOf = (prospectIds: readonly number[]) =>
  acceptSend(
    ours(),
    {
      senderId: tenant.senderId,
      body: {
        test_send_mode: 0,
        attack_list: prospectIds.map((prospect_id) => ({ prospect_id, company_email: '' })),
        datetime_list: null,
        days_from_lastday: 0,
      },
      idempotencyKey: null,
      ...TEST_MAILING,
    },
    Date.now(),
  );

/** Gives the company of the mail another address. */
const moveCompany = () =>
  database.db
    .updateTable('prospect')
    .set({ company_email: 'new@a.example', email_search: 'new@a.example' })
    .where('id', '=', mail.prospectId)
    .execute();

/** The mail bounces softly, and a member sends it again while its run is paused: it waits. */
async function bounceAndRetry(): Promise<void> {
  expect(await bounceSoftly(database, mail)).toBe(true);
  expect(await steerRun(ours(), mail.sendLogId, 'paused', giveBack)).toStrictEqual({ status: 'updated' });
  await retryDelivery(ours(), mail.id, Date.now());
  expect(await mailRow()).toMatchObject({ state: 'queued', attempts: 0 });
}

/** So that the next claims are of another run. */
const cancelWaiting = () => steerRun(ours(), mail.sendLogId, 'cancelled', giveBack);

async function blank(): Promise<void> {
  await database.pool.query(`
    UPDATE delivery SET state = 'cancelled', finished_at = now() WHERE state = 'queued';
    UPDATE delivery SET finished_at = finished_at - interval '7 months';
    UPDATE send_log SET ended_at = now() - interval '7 months';
    INSERT INTO mail_retention (account_id, months) VALUES (${tenant.accountId}, 6)`);
  expect(await blankBatch(database.service.db)).toBe(3);
}

/** What became of a mail that the mail server took, before its address is erased. */
const HISTORIES: Record<string, () => Promise<unknown>> = {
  'was sent': () => Promise.resolve(),
  'bounced softly': () => bounceSoftly(database, mail),
  'bounced softly and waits in a paused run': bounceAndRetry,
  'waits in a paused run, for the new address of its company': async () => {
    await bounceAndRetry();
    await moveCompany();
  },
  'waited in a paused run, and was cancelled with it': async () => {
    await bounceAndRetry();
    await steerRun(ours(), mail.sendLogId, 'cancelled', giveBack);
  },
  'was sent, and its company moved': moveCompany,
  'was blanked': blank,
  'was blanked, and its company moved': async () => {
    await blank();
    await moveCompany();
  },
};

test.each(Object.entries(HISTORIES))(
  'an erased mail that %s is not missed, and merge writes nothing',
  async (_, live) => {
    await live();
    await eraseAddress();
    const sound = { denied: 0, lost: [] };
    expect(await machine.compare()).toStrictEqual(sound);
    const [before, text] = [await written(), machine.text()];
    expect(await machine.restore()).toStrictEqual({ sent: 0, unknown: 0, contacted: 0, taken: 0 });
    expect(await written()).toStrictEqual(before);
    machine.endGathering();
    await machine.eraseAddresses();
    expect(machine.text()).not.toBe(text);
    expect(await machine.compare()).toStrictEqual(sound);
    expect(await machine.restore()).toStrictEqual({ sent: 0, unknown: 0, contacted: 0, taken: 0 });
    expect(await written()).toStrictEqual(before);
  },
);

test('a mail that left after the erasure is missed where the database is set back', async () => {
  await eraseAddress();
  const ids = await addProspects(database.db, tenant.accountId, [{ company_name: '再登録', company_email: ADDRESS }]);
  await cancelWaiting();
  const setBack = await saveState(database);
  await acceptOf(ids);
  await take(...(await claimMails(database)));
  machine.endGathering();
  await machine.eraseAddresses();
  // The receipt of the later mail keeps its address.
  expect(machine.text().split(ADDRESS)).toHaveLength(1 + 2);
  expect(await machine.compare()).toStrictEqual({ denied: 0, lost: [] });
  await setBack();
  expect(await machine.compare()).toStrictEqual({ denied: 1, lost: [] });
  expect(await machine.restore()).toStrictEqual({ sent: 0, unknown: 0, contacted: 1, taken: 0 });
});

test('an erasure is of one account: the receipts of another keep the address, and its mails are missed', async () => {
  const second = await addTenant(database.db);
  const setBack = await saveState(database);
  await cancelWaiting();
  await acceptRun(database, second, 1);
  const claims = await eventually(
    () => claimMails(database),
    ({ length }) => length > 0,
  );
  await take(...claims);
  await eraseAddress();
  machine.endGathering();
  await machine.eraseAddresses();
  const left = machine
    .text()
    .split('\n')
    .filter((line) => line.includes(ADDRESS));
  expect(left.map((line) => JSON.parse(line).accountId)).toStrictEqual([second.accountId]);
  expect(await machine.compare()).toStrictEqual({ denied: 0, lost: [] });
  const erased = await rows('erased_address');
  await setBack();
  await database.db.insertInto('erased_address').values(erased).execute();
  expect(await machine.compare()).toStrictEqual({ denied: 1, lost: [] });
});

test('closed files lose the address and the reply that names it, and nothing else', async () => {
  await cancelWaiting();
  await acceptRun(database, tenant, 1, { test: true });
  const [test = expect.unreachable()] = await claimMails(database);
  await take(test);
  const lineOf = (id: number) =>
    machine
      .text()
      .split('\n')
      .find((line) => line.includes(`"id":${id},`));
  const [kept, name] = [lineOf(other.id), 'test+0@example.com'];
  await eraseAddress();
  await eraseAddress(name);
  // In the ten minutes of the file other processes may add to it, however long ago the last one did.
  const [gathered = expect.unreachable()] = readdirSync(machine.kept);
  const clock = vi.spyOn(Date, 'now').mockReturnValue((Number(gathered) + 0.5) * 600_000);
  utimesSync(join(machine.kept, gathered), 0, 0);
  await machine.eraseAddresses();
  expect(machine.text()).toContain(ADDRESS);
  clock.mockRestore();
  machine.endGathering();
  const filesOf = () =>
    readdirSync(machine.kept).map((file) => {
      const { mode, mtime } = statSync(join(machine.kept, file));
      return { file, mode, mtime };
    });
  const before = filesOf();
  await machine.eraseAddresses();
  expect(filesOf()).toStrictEqual(before);
  expect(machine.text()).not.toMatch(/info0|test\+0/);
  expect(lineOf(other.id)).toBe(kept);
  const { rows: hashes } = await database.pool.query(
    `SELECT encode(address_hash(${tenant.accountId}, '${ADDRESS}'), 'hex') AS "addressHash"`,
  );
  const { senderGroupId, prospectId } = mail;
  expect(JSON.parse(lineOf(mail.id) ?? '')).toStrictEqual({
    ...JSON.parse(JSON.stringify(receiptOf(mail, '', expect.any(Number)))),
    at: expect.any(Number),
    contact: { senderGroupId, prospectId, ...hashes[0] },
  });
  expect(JSON.parse(lineOf(test.id) ?? '')).toMatchObject({ reply: '', contact: null });
});

test('the addresses at which an erased company was mailed before go too', async () => {
  await moveCompany();
  await eraseAddress('new@a.example');
  machine.endGathering();
  await machine.eraseAddresses();
  expect(machine.text()).not.toContain(ADDRESS);
  expect(await machine.compare()).toStrictEqual({ denied: 0, lost: [] });
});

test('a receipt of a version before, without the time of its claim, is judged and loses its address', async () => {
  const { claimedAt: _, ...old } = receiptOf(mail, '250', Date.now());
  machine.endGathering();
  for (const file of readdirSync(machine.kept)) writeFileSync(join(machine.kept, file), `${JSON.stringify(old)}\n`);
  await bounceAndRetry();
  await eraseAddress();
  expect(await machine.compare()).toStrictEqual({ denied: 0, lost: [] });
  machine.endGathering();
  await machine.eraseAddresses();
  expect(machine.text()).toMatch(/"addressHash":"[0-9a-f]{64}"/);
  expect(machine.text()).not.toContain(ADDRESS);
});

test('a killed worker leaves the old file; the next one rewrites it, and removes the unfinished one', async () => {
  await eraseAddress();
  machine.endGathering();
  const before = machine.text();
  const unfinished = join(machine.kept, '..', 'new');
  mkdirSync(unfinished);
  writeFileSync(join(unfinished, 'half'), before.slice(0, 50));
  await machine.eraseAddresses();
  expect(machine.text()).not.toContain(ADDRESS);
  expect(machine.text().split('\n')).toHaveLength(before.split('\n').length);
  expect(readdirSync(unfinished)).toStrictEqual(['half']);
  vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 61_000);
  await machine.eraseAddresses();
  expect(readdirSync(unfinished)).toStrictEqual([]);
});

test('a file that cannot be rewritten is unchanged and reported; the next call rewrites it', async () => {
  await eraseAddress();
  machine.endGathering();
  const [before, blocked] = [machine.text(), join(machine.kept, '..', 'new')];
  symlinkSync('nowhere', blocked);
  await expect(machine.eraseAddresses()).rejects.toThrow('1 receipt files still have addresses');
  expect(machine.text()).toBe(before);
  rmSync(blocked);
  await machine.eraseAddresses();
  expect(machine.text()).not.toContain(ADDRESS);
});

test('a receipt that is added while its file is rewritten is not lost', async () => {
  await eraseAddress();
  machine.endGathering();
  const [file] = closedFiles(join(machine.kept, '..'));
  if (!file) expect.unreachable();
  const isDone = rewriteReceipts(join(machine.kept, '..'), file, async (receipts) => {
    appendFileSync(file.path, 'added\n');
    return new Map(receipts.map((receipt) => [receipt, receipt]));
  });
  expect(await isDone).toBe(false);
  expect(machine.text()).toMatch(/added\n$/);
});

test('a merge waits for the erasure of the address, and then writes nothing', async () => {
  await bounceAndRetry();
  const held = await database.pool.connect();
  onTestFinished(() => held.release(true));
  // The erasure has read its mails, and ends later.
  await held.query(`BEGIN; SELECT FROM account WHERE id = ${tenant.accountId} FOR NO KEY UPDATE;
    DELETE FROM address_contact; INSERT INTO erased_address (account_id, hash)
    SELECT id, address_hash(id, '${ADDRESS}') FROM account`);
  const merged = machine.restore();
  await untilBlocked(database);
  await held.query('COMMIT');
  expect(await merged).toStrictEqual({ sent: 0, unknown: 0, contacted: 0, taken: 0 });
  expect(await rows('address_contact')).toStrictEqual([]);
});

describe('a database from before an erasure', () => {
  /** Where the database is set back to, and what its receipt with a hash shows there. */
  const STATES = [
    { state: 'the mail had left', denied: 0, sent: 0, contacted: 0, hasCompany: true },
    { state: 'the mail waited', denied: 1, sent: 1, contacted: 0, hasCompany: true },
    { state: 'the run was missing', denied: 1, sent: 0, contacted: 1, hasCompany: true },
    { state: 'its company was missing', denied: 0, sent: 0, contacted: 0, hasCompany: false },
  ] as const;

  test.each(STATES)('in which $state: merge says which erasure to repeat', async (then) => {
    const EMAIL = 'taro@midori.example.jp';
    const states = new Map<string, () => Promise<void>>();
    const save = async (state: string) => states.set(state, await saveState(database));
    await cancelWaiting();
    await save('its company was missing');
    const [id] = await addProspects(database.db, tenant.accountId, [{ company_name: 'みどり', company_email: EMAIL }]);
    await save('the run was missing');
    await acceptOf([id ?? 0]);
    await save('the mail waited');
    await take(...(await claimMails(database)));
    await save('the mail had left');
    await eraseAddress(EMAIL);
    machine.endGathering();
    await machine.eraseAddresses();
    expect(machine.text()).not.toContain(EMAIL);
    await states.get(then.state)?.();

    const { denied, lost } = await machine.compare();
    expect(denied).toBe(then.denied);
    const prospectIds = then.hasCompany ? [id] : [];
    const addressHash = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(lost).toStrictEqual([{ accountId: tenant.accountId, addressHash, prospectIds }]);
    const env = { DATABASE_URL: database.url, DATA_DIR: machine.dataDir };
    const { out } = await runCommand(['receipts', 'merge'], env);
    expect(out).toContain(`送信済みに直したメール: ${then.sent}通`);
    expect(out).toContain(`宛先の送信日時だけを書き込んだメール: ${then.contacted}通`);
    expect(out).toContain('データベースに記録のない個人情報の消去が1件あります');
    const company = then.hasCompany ? `会社ID ${id}` : 'このアドレスの会社はありません';
    expect(out).toContain(
      `アカウントID ${tenant.accountId}: ${company}（アドレスの照合用の値 ${lost[0]?.addressHash}）`,
    );
    expect(out).not.toContain(EMAIL);
    expect((await machine.compare()).denied).toBe(0);
    expect(await rows('address_contact')).toHaveLength(2 + (then.state === 'its company was missing' ? 0 : 1));
    expect((await runCommand(['receipts', 'resume'], env)).out).toContain('個人情報の消去が1件');

    await eraseAddress(EMAIL);
    expect((await runCommand(['receipts', 'merge'], env)).out).not.toContain('消去');
    expect((await runCommand(['receipts', 'resume'], env)).out).not.toContain('消去');
  });

  test('is reported by a worker, once; it pauses nothing', async () => {
    const setBack = await saveState(database);
    await eraseAddress();
    machine.endGathering();
    await machine.eraseAddresses();
    await setBack();
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
    const root = join(machine.dataDir, 'receipts');
    const guard = receiptGuard({ db: database.service.db, root, now: Date.now, log });
    await guard.compare();
    await guard.compare();
    expect(lines.filter((line) => line.includes('erasures of personal data are missing'))).toHaveLength(1);
    expect(lines).toHaveLength(1);
    const { rewound_at } = await database.db.selectFrom('installation').select('rewound_at').executeTakeFirstOrThrow();
    expect(rewound_at).toBeNull();
  });
});

test('the task of a worker takes an erased address out of its closed files, once the database is known', async () => {
  await eraseAddress();
  machine.endGathering();
  const sink = await testSink();
  const { receipts } = testWorker(database, sink, { receiptsFolder: join(machine.dataDir, 'receipts') });
  // As long as it asks to be tried soon, the worker has not compared its receipts yet.
  await eventually(
    async () => receipts?.erase(),
    (ms) => ms === undefined,
  );
  expect(machine.text()).not.toContain(ADDRESS);
});
