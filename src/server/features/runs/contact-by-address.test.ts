import { beforeEach, expect, test } from 'vitest';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addProspects, addSender, addSenderGroup, addTenant, type Tenant } from '#test/prospects.ts';
import {
  claimMails,
  countStates,
  finishDeliveries,
  markSending,
  testSink,
  testWorker,
  unbalancedRuns,
  untilSettled,
} from '#test/sending.ts';
import type { Claim } from '../delivery/leases/claim.ts';
import type { DeliveryResult } from '../delivery/leases/delivery-result.ts';

/** The re-send interval applies to an address too, whichever company of the account has it. */

let database: TestDatabase;
let tenant: Tenant;
let client: Client;
/** The same company, imported again with another place. */
let twins: readonly [number, number];

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  client = await clientOf(database, tenant.accountId);
  twins = await addTwins('info@a.example', 'INFO@a.example');
});

async function addTwins(...emails: [string, string]): Promise<[number, number]> {
  const rows = emails.map((company_email, n) => ({ company_email, address: `東京都${n}` }));
  return (await addProspects(database.db, tenant.accountId, rows)) as [number, number];
}

const send = (prospectIds: readonly number[], { senderId = tenant.senderId, test = 0 } = {}) => {
  const attack_list = prospectIds.map((prospect_id) => ({ prospect_id, company_email: 'info@a.example' }));
  return client.post(`/mail/send/${senderId}`, { test_send_mode: test, attack_list, days_from_lastday: 7 });
};

const skippedTwin = (reason: string) => ({ skipped: [{ prospect_id: twins[1], reason }] });

/** The counts of the preview's left-out reasons. */
async function leftOut(): Promise<Record<string, number>> {
  const { body } = await client.get(`/attack_list/preview?sender_group_id=${tenant.senderGroupId}`);
  const counts = (body as { left_out: Record<string, number> }).left_out;
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}

/** Sends the first twin's mail, with this outcome after its mark. */
async function finishFirst(outcome: DeliveryResult['outcome']): Promise<Claim> {
  await send([twins[0]]);
  const claims = await claimMails(database);
  await markSending(database.service.db, claims);
  const [claim] = claims as [Claim];
  await finishDeliveries(database.service.db, [{ claim, outcome }]);
  return claim;
}

test('bad-inputs 204: two companies with one address, two runs within the interval: one mail', async () => {
  const sink = await testSink();
  testWorker(database, sink);
  expect((await send([twins[0]])).body).toMatchObject({ accepted: 1 });
  await untilSettled(database.db);
  expect(await leftOut()).toStrictEqual({ recently_sent: 2 });
  expect((await send([twins[1]])).body).toMatchObject(skippedTwin('recently_sent'));
  await untilSettled(database.db);
  expect(sink.mails).toHaveLength(1);
  // The interval is a group's own.
  const group = { accountId: tenant.accountId, senderGroupId: await addSenderGroup(database.db, tenant.accountId) };
  const senderId = await addSender(database.db, group);
  expect((await send([twins[1]], { senderId })).body).toMatchObject({ accepted: 1 });
  expect(await unbalancedRuns(database.db)).toStrictEqual([]);
});

test('20 concurrent pairs of runs to two companies with one address: one mail for each address', async () => {
  const pairs = await Promise.all(
    Array.from({ length: 20 }, (_, n) => addTwins(`pair${n}@a.example`, `pair${n}@a.example`)),
  );
  const left = pairs.map(([id]) => id);
  const right = pairs.map(([, id]) => id).toReversed();
  const answers = await Promise.all([left, right, left, right].map((ids) => send(ids)));
  expect(answers.map(({ status }) => status)).toStrictEqual([200, 200, 200, 200]);
  expect(await countStates(database.db)).toMatchObject({ queued: 20 });
  const open = await database.db.selectFrom('delivery').select('address_key').where('state', '=', 'queued').execute();
  expect(new Set(open.map(({ address_key }) => address_key)).size).toBe(20);
});

test('the database refuses a second open mail to an address or a company', async () => {
  await send([twins[0]]);
  const [other] = await addProspects(database.db, tenant.accountId, [{ company_email: 'other@a.example' }]);
  const { body } = await send([other as number]);
  const addToSecondRun = (prospectId: number, address: string) =>
    database.pool.query(
      `INSERT INTO delivery (account_id, send_log_id, sender_group_id, sender_id, profile_id, test_send_mode, mail_date,
         prospect_id, row_index, company_name, person_in_charge, mail_to, state, message_id)
       SELECT account_id, send_log_id, sender_group_id, sender_id, profile_id, test_send_mode, mail_date,
         $2, row_index + 1, company_name, person_in_charge, $3, 'queued', '<second@example.com>'
       FROM delivery WHERE send_log_id = $1`,
      [(body as { send_log_id: number }).send_log_id, prospectId, address],
    );
  await expect(addToSecondRun(twins[1], 'Info@a.example')).rejects.toThrow('"delivery_open_address_key"');
  await expect(addToSecondRun(twins[0], 'third@a.example')).rejects.toThrow('"delivery_open_key"');
});

test('a claimed mail whose address was mailed since its run was accepted is cancelled', async () => {
  await send([twins[1]]);
  // By another tool, to the company that had the address before.
  await client.post('/send_log', { sender_group_id: tenant.senderGroupId, attack_list: [twins[0]] });
  expect(await claimMails(database)).toStrictEqual([]);
  const row = await database.db.selectFrom('delivery').select(['state', 'reason']).executeTakeFirstOrThrow();
  expect(row).toStrictEqual({ state: 'cancelled', reason: 'recently_sent' });
});

test('a mailed address blocks prospects imported with it later, even if the mailed one has a new address', async () => {
  const { db } = database;
  const move = (id: number, address: string) =>
    db.updateTable('prospect').set({ company_email: address, email_search: address }).where('id', '=', id).execute();
  await db.deleteFrom('prospect').where('id', '=', twins[1]).execute();
  await send([twins[0]]);
  const claims = await claimMails(database);
  await move(twins[0], 'moved@a.example');
  await addProspects(db, tenant.accountId, [{ company_email: 'info@a.example' }]);
  expect(await leftOut()).toStrictEqual({ open_delivery: 2 });
  await markSending(database.service.db, claims);
  const [claim] = claims as [Claim];
  await finishDeliveries(database.service.db, [{ claim, outcome: { kind: 'sent', reply: '250' } }]);
  const [later = 0] = await addProspects(db, tenant.accountId, [{ company_email: 'other@a.example' }]);
  expect(await leftOut()).toStrictEqual({ recently_sent: 2 });
  await move(later, 'info@a.example');
  expect(await leftOut()).toStrictEqual({ recently_sent: 3 });
  await move(later, 'other@a.example');
  expect(await leftOut()).toStrictEqual({ recently_sent: 2 });
});

test('a test mail does not count as a contact', async () => {
  await send([twins[0]], { test: 1 });
  const [claim] = (await claimMails(database)) as [Claim];
  await finishDeliveries(database.service.db, [{ claim, outcome: { kind: 'sent', reply: '250' } }]);
  expect(await leftOut()).toStrictEqual({});
});

test('an unknown mail blocks its address until it is known not to have left', async () => {
  const claim = await finishFirst({ kind: 'unknown', reply: 'silence' });
  expect(await leftOut()).toStrictEqual({ open_delivery: 2 });
  expect((await send([twins[1]])).body).toMatchObject(skippedTwin('open_delivery'));
  await finishDeliveries(database.service.db, [{ claim, outcome: { kind: 'unmarked', reply: 'nothing left' } }]);
  await client.put(`/send_log/${claim.sendLogId}`, { update_info: { state: 'cancelled' } });
  expect(await leftOut()).toStrictEqual({});
});

test.each(['sent', 'queued'] as const)(
  'a doubt that its owner ends as %s counts as a mail to its address',
  async (state) => {
    const claim = await finishFirst({ kind: 'unknown', reply: 'silence' });
    const decided = { update_info: { state }, claim_no: claim.claimNo };
    expect(await client.put(`/delivery/${claim.id}`, decided)).toMatchObject({ status: 200 });
    const [known] = await database.db.selectFrom('address_contact').selectAll().execute();
    expect(known).toMatchObject({ address_key: 'info@a.example' });
    expect(known?.last_sent_at.getTime()).toBeGreaterThan(Date.now() - 60_000);
  },
);
