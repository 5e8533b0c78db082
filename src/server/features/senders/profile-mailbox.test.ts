import { beforeEach, expect, test } from 'vitest';
import type { Role } from '#domain/account/role.ts';
import { openSession } from '#server/features/auth/session.ts';
import { confirmAddress } from '#server/features/sender-addresses/confirmed-address.queries.ts';
import { addMember } from '#test/accounts.ts';
import { type Client, clientAt, serve } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addTestMailbox } from '#test/mailboxes.ts';
import { addTenant, profileOf, type Tenant } from '#test/prospects.ts';
import { acceptRun, claimMails, countStates } from '#test/sending.ts';

const EMAIL = 'sender@example.com';

let database: TestDatabase;
let address: string;
let tenant: Tenant;
let profileId: number;

beforeEach(async () => {
  database = await emptyDatabase();
  address = await serve(database);
  tenant = await addTenant(database.db);
  profileId = await profileOf(database.db, tenant.senderId);
  await database.db.deleteFrom('confirmed_address').execute();
});

async function personOf(role: Role) {
  const memberId = await addMember(database.db, tenant.accountId, { role, name: '鈴木 彩' });
  const token = await openSession(database.login, { accountId: tenant.accountId, memberId }, Date.now());
  return { memberId, client: clientAt(address, `Bearer ${token}`) };
}

const box = (info: Parameters<typeof addTestMailbox>[2] = {}) =>
  addTestMailbox(database.db, tenant.accountId, { address: EMAIL, ...info });
const profile = async (client: Client) =>
  (
    (await client.get('/sender_profile/list')).body as {
      version: string;
      mailbox_id: number | null;
      is_confirmed: number;
    }[]
  )[0];
const put = async ({ client }: { client: Client }, update_info: object, more: object = {}) =>
  client.put(`/sender_profile/${profileId}`, { version: (await profile(client))?.version, update_info, ...more });

test('a profile sends by a checked mailbox that allows its address, without a confirmation of it', async () => {
  const sales = await personOf('sales');
  const id = await box({ owner_id: sales.memberId });
  expect(await profile(sales.client)).toMatchObject({ mailbox_id: null, is_confirmed: 0 });
  const before = (await profile(sales.client))?.version;
  expect(await put(sales, { mailbox_id: id })).toMatchObject({ status: 200, body: { is_confirmed: 1 } });
  expect(await profile(sales.client)).toMatchObject({ mailbox_id: id, is_confirmed: 1 });
  expect((await profile(sales.client))?.version).not.toBe(before);
  const [sender] = (await sales.client.get('/sender/list')).body as object[];
  expect(sender).toMatchObject({ is_confirmed: 1 });
  expect((await sales.client.get(`/sender/${tenant.senderId}`)).body).toMatchObject({
    is_confirmed: 1,
    confirmed_at: null,
  });
  // A check lets the mailbox alone send: the address itself is not confirmed.
  expect(await database.db.selectFrom('confirmed_address').selectAll().execute()).toStrictEqual([]);
  await database.db.updateTable('mailbox').set({ state: 'reconnect' }).execute();
  expect(await profile(sales.client)).toMatchObject({ is_confirmed: 0 });
  const event = await database.db
    .selectFrom('audit_event')
    .select('detail')
    .where('kind', '=', 'sender_profile_changed')
    .execute();
  expect(event).toMatchObject([{ detail: { sender_profile_id: profileId, fields: ['mailbox_id'] } }]);
});

test('an address that a check has proved is allowed too, and no other', async () => {
  const sales = await personOf('sales');
  const refused = { status: 409, body: { code: 'from_not_allowed' } };
  const id = await box({ address: 'aya@haru.example', other_from: ['info@haru.example'] });
  expect(await put(sales, { mailbox_id: id })).toMatchObject({
    ...refused,
    body: { ...refused.body, details: [{ path: 'update_info.mailbox_id' }] },
  });
  expect(await put(sales, { mailbox_id: id, email: 'INFO@haru.example' })).toMatchObject({ status: 200 });
  expect(await put(sales, { email: 'other@haru.example' })).toMatchObject({
    ...refused,
    body: { ...refused.body, details: [{ path: 'update_info.email' }] },
  });
  const { body } = await sales.client.get(`/sender/${tenant.senderId}`);
  const change = { version: (body as { version: string }).version, update_info: { email: 'other@haru.example' } };
  expect(await sales.client.put(`/sender/${tenant.senderId}`, change)).toMatchObject(refused);
  const own = { ...change, update_info: { email: 'Aya@haru.example' } };
  expect(await sales.client.put(`/sender/${tenant.senderId}`, own)).toMatchObject({ status: 200 });
});

test('the own and shared mailboxes are chosen by their member; a colleague’s by an admin alone', async () => {
  const [sales, colleague, admin] = [await personOf('sales'), await personOf('sales'), await personOf('admin')];
  const id = await box({ owner_id: colleague.memberId });
  expect(await put(sales, { mailbox_id: id })).toMatchObject({ status: 403, body: { code: 'not_allowed' } });
  expect(await put(admin, { mailbox_id: id })).toMatchObject({ status: 200 });
  expect(await put(sales, { mailbox_id: null })).toMatchObject({ status: 200 });
  await database.db.updateTable('mailbox').set({ owner_id: null }).execute();
  expect(await put(sales, { mailbox_id: id })).toMatchObject({ status: 200 });
});

test('another account’s mailbox does not exist', async () => {
  const other = await addTenant(database.db);
  const id = await addTestMailbox(database.db, other.accountId, { address: EMAIL });
  expect(await put(await personOf('admin'), { mailbox_id: id })).toMatchObject({ status: 404 });
});

test('a mailbox that is off is not chosen', async () => {
  const id = await box({ state: 'off' });
  expect(await put(await personOf('admin'), { mailbox_id: id })).toMatchObject({ body: { code: 'mailbox_off' } });
});

test('with SendGrid no mailbox is chosen', async () => {
  const mailPath = { kind: 'service', name: 'SendGrid', spfInclude: 'sendgrid.net', selectors: ['s1'] } as const;
  address = await serve({ ...database, domains: { mailPath } });
  const id = await box();
  expect(await put(await personOf('admin'), { mailbox_id: id })).toMatchObject({
    status: 409,
    body: { code: 'not_with_sendgrid' },
  });
});

test('mails that wait are asked about, and then leave by the new way', async () => {
  const sales = await personOf('sales');
  const id = await box();
  await confirmAddress(database.db, tenant.accountId, EMAIL);
  await acceptRun(database, tenant, 3);
  await claimMails(database);
  expect(await put(sales, { mailbox_id: id })).toMatchObject({
    status: 409,
    body: { code: 'has_open_mails', message: 'まだ送信していない3通も、新しいメールボックスから送信します。' },
  });
  expect(await profile(sales.client)).toMatchObject({ mailbox_id: null });
  expect(await put(sales, { mailbox_id: id }, { confirmed: 1 })).toMatchObject({ status: 200 });
  expect(await countStates(database.db)).toStrictEqual({ queued: 3 });
});
