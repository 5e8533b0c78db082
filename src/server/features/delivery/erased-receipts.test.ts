import { readdirSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { bounceSoftly, type ReceiptMachine, receiptMachine } from '#test/receipt-machine.ts';
import { runCommand } from '#test/run-command.ts';
import { acceptRun, claimMails, finishDeliveries, markSending, untilBlocked } from '#test/sending.ts';
import { erase } from '../personal-data/erase.command.ts';
import { archiveBatch } from '../retention/archive.command.ts';
import { retryDelivery } from '../runs/retry.command.ts';
import { steerRun } from '../runs/run-control.command.ts';
import type { Claim } from './claim.ts';

/** Receipts whose address is erased (decision 0252): they prove as much as before, and no longer name anybody. */

let database: TestDatabase;
let tenant: Tenant;
let machine: ReceiptMachine;
/** The mail of the person, and of another run of the account that nobody erases. */
let mail: Claim;
let other: Claim;

const ADDRESS = 'info0@a.example';
const OTHERS = 'info1@a.example';

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
const written = () =>
  Promise.all(['delivery', 'archived_delivery', 'contact_state', 'address_contact', 'shared_address'].map(rows));
const mailRow = () =>
  database.db.selectFrom('delivery').selectAll().where('id', '=', mail.id).executeTakeFirstOrThrow();

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
  expect(await steerRun(ours(), mail.sendLogId, 'paused')).toStrictEqual({ status: 'updated' });
  await retryDelivery(ours(), mail.id, Date.now());
  expect(await mailRow()).toMatchObject({ state: 'queued', attempts: 0 });
}

async function archive(): Promise<void> {
  await database.pool.query(`
    UPDATE delivery SET state = 'cancelled', finished_at = now() WHERE state = 'queued';
    UPDATE delivery SET finished_at = finished_at - interval '7 months';
    UPDATE send_log SET ended_at = now() - interval '7 months';
    INSERT INTO mail_retention (account_id, months, blanks) VALUES (${tenant.accountId}, 6, false)`);
  expect(await archiveBatch(database.service.db)).toBe(3);
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
    await steerRun(ours(), mail.sendLogId, 'cancelled');
  },
  'was sent, and its company moved': moveCompany,
  'was archived': archive,
  'was archived, and its company moved': async () => {
    await archive();
    await moveCompany();
  },
};

test.each(Object.entries(HISTORIES))('an erased mail that %s is not missed, and merge writes nothing', async (_, live) => {
  await live();
  await eraseAddress();
  const sound = { denied: 0, lost: [] };
  expect(await machine.compare()).toStrictEqual(sound);
  const [before, text] = [await written(), machine.text()];
  expect(await machine.restore()).toStrictEqual({ sent: 0, contacted: 0, lost: [] });
  expect(await written()).toStrictEqual(before);
  machine.endGathering();
  await machine.eraseAddresses();
  expect(machine.text()).not.toBe(text);
  expect(await machine.compare()).toStrictEqual(sound);
  expect(await machine.restore()).toStrictEqual({ sent: 0, contacted: 0, lost: [] });
  expect(await written()).toStrictEqual(before);
});
