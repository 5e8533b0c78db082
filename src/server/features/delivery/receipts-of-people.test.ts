import { sql } from 'kysely';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addPrimary } from '#test/people.ts';
import { addReservation } from '#test/prospect-history.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { type ReceiptMachine, receiptMachine } from '#test/receipt-machine.ts';
import { attackList } from '#test/reservations.ts';
import { saveState } from '#test/saved-state.ts';
import { claimMails, finishDeliveries, markSending } from '#test/sending.ts';
import { erase } from '../personal-data/erase.command.ts';
import type { Claim } from './leases/claim.ts';
import { sweepLostClaims } from './results/sweep.queries.ts';

/** Receipts and unknown mails of a database that was set back, of mails to people (decisions/people, receipts). */

let database: TestDatabase;
let tenant: Tenant;
let machine: ReceiptMachine;
let client: Client;
let company: number;
let other: number;

const SATO = 'sato@a.example';

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  client = await clientOf(database, tenant.accountId);
  machine = await receiptMachine(database);
  onTestFinished(() => machine.remove());
  [company = 0, other = 0] = await addProspects(database.db, tenant.accountId, [
    { company_email: 'info@a.example', created_at: new Date(Date.now() - 60_000) },
    { company_email: 'info@b.example', created_at: new Date(Date.now() - 60_000) },
  ]);
  await sql`UPDATE sender_group SET created_at = now() - interval '1 hour'`.execute(database.db);
  await addPrimary(database.db, tenant, company, { email: SATO });
});

/** Accepts a mail to the person, and claims and marks it. */
async function begin(): Promise<Claim> {
  await client.post(`/mail/send/${tenant.senderId}`, {
    test_send_mode: 0,
    attack_list: attackList([company]),
    days_from_lastday: 0,
    send_to: 'primary_or_company',
  });
  const [claim = expect.unreachable()] = await claimMails(database);
  expect(claim.mailTo).toBe(SATO);
  expect(await markSending(database.service.db, [claim])).toStrictEqual([true]);
  return claim;
}

/** The mail server takes it. */
async function take(): Promise<void> {
  const claim = await begin();
  machine.keep([claim]);
  await finishDeliveries(database.service.db, [{ claim, outcome: { kind: 'sent', reply: '250 taken' } }]);
  await machine.merge();
}

async function eraseAddress(): Promise<void> {
  const { accountId, memberId } = tenant;
  const account = { ...database.account(accountId, memberId), memberId };
  expect(await erase(account, { email: SATO, record_refusal: 0 })).toMatchObject({ people: 1, companies: 0 });
  machine.endGathering();
  await machine.eraseAddresses();
  expect(machine.text()).not.toContain(SATO);
}

const contacted = async () =>
  (await database.db.selectFrom('address_contact').select('address_key').execute()).map((row) => row.address_key);

/** Reserves the other company, whose 主担当 has the address too; the database's older state knows the reservation. */
async function reserveOther(): Promise<void> {
  await addPrimary(database.db, tenant, other, { email: SATO });
  const id = await addReservation(database.db, tenant, [other], { sendAt: new Date(Date.now() + 86_400_000) });
  await sql`
    UPDATE reservation SET send_to = 'primary_or_company', created_at = now() - interval '1 minute'
    WHERE id = ${id}`.execute(database.db);
}

test('an erasure of a person that the database lacks is found, with the company whose person has the address again', async () => {
  await take();
  const setBack = await saveState(database);
  await eraseAddress();
  expect(await machine.compare()).toStrictEqual({ denied: 0, lost: [] });
  await setBack();
  // The saved state has no people: the company has them again.
  await database.db.deleteFrom('person').execute();
  await addPrimary(database.db, tenant, company, { email: SATO });
  const { lost } = await machine.compare();
  expect(lost).toMatchObject([{ accountId: tenant.accountId, prospectIds: [company] }]);
});

test('a mail to a person that the database lacks is missed by the hash of their address, and the address counts as contacted', async () => {
  const setBack = await saveState(database);
  await take();
  await eraseAddress();
  await setBack();
  await addPrimary(database.db, tenant, company, { email: SATO });
  expect(await machine.compare()).toMatchObject({ denied: 1 });
  expect(await machine.restore()).toMatchObject({ contacted: 1 });
  expect(await contacted()).toStrictEqual([SATO]);
  expect(await machine.compare()).toMatchObject({ denied: 0 });
});

test('a mail to a person that the database lacks takes the companies with the address out of reservations', async () => {
  await reserveOther();
  const setBack = await saveState(database);
  await take();
  await setBack();
  expect(await machine.compare()).toMatchObject({ denied: 1 });
  expect(await machine.restore()).toMatchObject({ contacted: 1, taken: 1 });
  expect(await contacted()).toStrictEqual([SATO]);
});

test('an unknown mail to a person that the database lacks takes them out too: it may have been to either address', async () => {
  await reserveOther();
  const setBack = await saveState(database);
  await begin();
  await sql`UPDATE delivery SET lease_until = now()`.execute(database.db);
  expect(await sweepLostClaims(database.service.db, machine.keepUnknown)).toStrictEqual({ requeued: 0, unknown: 1 });
  expect(await machine.compareUnknown()).toBe(0);
  await setBack();
  expect(await machine.compareUnknown()).toBe(1);
  expect(await machine.restore()).toMatchObject({ contacted: 1, taken: 1 });
  const mailed = await database.db.selectFrom('contact_state').select('prospect_id').execute();
  expect(mailed).toStrictEqual([{ prospect_id: company }]);
  expect(await machine.compareUnknown()).toBe(0);
});
