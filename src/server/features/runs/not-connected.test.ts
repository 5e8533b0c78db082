import { beforeEach, expect, test } from 'vitest';
import { leaveBy, sendByBox } from '#test/box-sinks.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addTestMailbox } from '#test/mailboxes.ts';
import { TEST_MAILING } from '#test/mailing.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { NO_MAIL_SERVER } from '../delivery/transports/no-mail-server.ts';
import { acceptSend } from './accept.command.ts';

let database: TestDatabase;
let tenant: Tenant;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
});

/** Orders one mail, and returns the code of its refusal; undefined: it is accepted. */
async function order({
  test_send_mode = 0 as 0 | 1,
  leavesMachine = false,
  transport = TEST_MAILING.transport,
} = {}): Promise<string | undefined> {
  const company = { company_name: '株式会社見本', company_email: `info${Math.random()}@a.example` };
  const [prospect_id = 0] = await addProspects(database.db, tenant.accountId, [company]);
  const body = {
    test_send_mode,
    attack_list: [{ prospect_id, company_email: 'test@example.com' }],
    datetime_list: null,
    days_from_lastday: 7,
  };
  const request = { senderId: tenant.senderId, body, idempotencyKey: null, ...TEST_MAILING, leavesMachine, transport };
  const answer = await acceptSend(database.account(tenant.accountId, tenant.memberId), request, Date.now());
  return 'code' in answer ? answer.code : undefined;
}

test('rule 13: before an account has a mailbox, its mails stay in the mail catcher as before', async () => {
  await addTestMailbox(database.db, tenant.accountId, { state: 'unchecked' });
  expect(await order()).toBeUndefined();
});

test.each(['ok', 'reconnect'])(
  'rule 13: once it has one (%s), real mails of a sender without a mailbox are refused, tests are not',
  async (state) => {
    await addTestMailbox(database.db, tenant.accountId, { state });
    expect(await order()).toBe('not_connected');
    expect(await order({ test_send_mode: 1 })).toBeUndefined();
    expect(await order({ leavesMachine: true })).toBeUndefined();
  },
);

test('without a mail server and a catcher no mail of a sender without a mailbox is accepted, not even a test', async () => {
  const transport = NO_MAIL_SERVER;
  expect(await order({ transport })).toBe('not_connected');
  expect(await order({ transport, test_send_mode: 1 })).toBe('not_connected');
  await sendByBox(database, tenant, 'own.example');
  expect(await order({ transport })).toBeUndefined();
  expect(await order({ transport, test_send_mode: 1 })).toBeUndefined();
});

test("another account's mailbox refuses nothing", async () => {
  await addTestMailbox(database.db, (await addTenant(database.db)).accountId);
  expect(await order()).toBeUndefined();
});

test.each([
  ['is ok', {}, undefined],
  ['must be connected again', { state: 'reconnect' }, 'sender_unconfirmed'],
  ['allows another From alone', { address: 'other@own.example' }, 'sender_unconfirmed'],
  ['has proved the From', { address: 'other@own.example', other_from: ['person@own.example'] }, undefined],
])('rule 9: an order of a sender whose mailbox %s', async (_, values, expected) => {
  await sendByBox(database, tenant, 'own.example');
  await database.db.deleteFrom('confirmed_address').execute();
  if (Object.keys(values).length > 0) await database.db.updateTable('mailbox').set(values).execute();
  expect(await order()).toBe(expected);
  expect(await order({ test_send_mode: 1 })).toBeUndefined();
});

test('a confirmed address counts for a sender without a mailbox alone', async () => {
  const id = await sendByBox(database, tenant, 'own.example', { address: 'other@own.example' });
  await leaveBy(database, tenant, id, 'sender@example.com');
  expect(await order({ leavesMachine: true })).toBe('sender_unconfirmed');
  await leaveBy(database, tenant, null);
  expect(await order({ leavesMachine: true })).toBeUndefined();
});
