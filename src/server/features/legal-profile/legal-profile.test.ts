import { beforeEach, describe, expect, test } from 'vitest';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addSenderGroup, addTenant, LEGAL_PROFILE, type Tenant } from '#test/prospects.ts';

let database: TestDatabase;
let tenant: Tenant;
let client: Client;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  client = await clientOf(database, tenant.accountId);
  await database.db.deleteFrom('legal_profile').execute();
});

const FILLED = {
  ...LEGAL_PROFILE,
  department: '営業部',
  contact_email: 'info@example.jp',
  privacy_url: 'https://a.example.jp/p',
};

const change = (update_info: object, group = tenant.senderGroupId) =>
  client.put(`/legal_profile/${group}`, { update_info });
const list = async (query = '') => (await client.get(`/legal_profile/list${query}`)).body as Record<string, unknown>[];
const codes = (answer: unknown) =>
  (answer as { faults: { code: string; level: string }[] }).faults.map(({ code, level }) => `${code} ${level}`);

test('each group of the account has a profile, blank until it is filled in', async () => {
  const other = await addSenderGroup(database.db, tenant.accountId);
  await addTenant(database.db);
  expect(await list()).toMatchObject([
    { sender_group_id: tenant.senderGroupId, official_name: '', basis: 'published', confirmed: 0, ready: 0 },
    { sender_group_id: other, official_name: '株式会社見本', confirmed: 1, ready: 1, has_public_url: 1, faults: [] },
  ]);
  expect(await list(`?where_info[sender_group_id]=${other}&columns[]=group_name`)).toStrictEqual([
    { group_name: 'グループ' },
  ]);
});

test('a profile is ready once it is filled in and confirmed; a change ends the confirmation', async () => {
  const filled = await change(FILLED);
  expect(filled).toMatchObject({ status: 200, body: { status: 'updated', ready: 0 } });
  expect(codes(filled.body)).toStrictEqual(['L4 error']);
  expect((await change({ confirmed: 1 })).body).toMatchObject({ status: 'updated', ready: 1, faults: [] });
  expect(await list()).toMatchObject([{ ...FILLED, confirmed: 1, confirmed_by: '利用者', ready: 1 }]);
  // The same content is no change.
  expect((await change(FILLED)).body).toMatchObject({ ready: 1 });
  expect(codes((await change({ department: '' })).body)).toStrictEqual(['L4 error']);
  expect(await list()).toMatchObject([{ department: '', confirmed: 0, confirmed_at: null, confirmed_by: null }]);
  expect((await change({ department: '広報部', confirmed: 1 })).body).toMatchObject({ ready: 1 });
  expect((await change({ confirmed: 0 })).body).toMatchObject({ ready: 0 });
});

test('each change is in the audit, with the names of its fields', async () => {
  await change({ official_name: '株式会社花', postal_code: '1000001' });
  await change({ official_name: '株式会社花' });
  await change({ confirmed: 1 });
  const events = await database.db
    .selectFrom('audit_event')
    .select(['kind', 'detail', 'member_id'])
    .orderBy('id')
    .execute();
  const event = { kind: 'legal_profile_changed', member_id: tenant.memberId };
  const sender_group_id = tenant.senderGroupId;
  expect(events).toStrictEqual([
    { ...event, detail: { sender_group_id, fields: ['official_name', 'postal_code'], confirmed: false } },
    { ...event, detail: { sender_group_id, fields: [], confirmed: true } },
  ]);
});

describe('the fields', () => {
  test.each([
    [{ official_name: ' 株式会社　花 ' }, { official_name: '株式会社　花' }],
    [{ official_name: '𠮷'.repeat(100) }, { official_name: '𠮷'.repeat(100) }],
    [{ official_name: '<b>{{ company_name }}' }, { official_name: '<b>{{ company_name }}' }],
    [{ postal_code: '〒１００−０００１' }, { postal_code: '100-0001' }],
    [{ postal_code: '1000001' }, { postal_code: '100-0001' }],
    [{ postal_address: '北海道札幌市中央区１−２' }, { postal_address: '北海道札幌市中央区１−２' }],
    [{ contact_phone: '（０３）００００ー０００ ０' }, { contact_phone: '(03)0000-0000' }],
    [{ contact_phone: '+81-3-0000-0000' }, { contact_phone: '+81-3-0000-0000' }],
    [{ contact_email: 'ＩＮＦＯ＠Example.JP' }, { contact_email: 'INFO@example.jp' }],
    [{ contact_url: 'https://花.example.jp/問い合わせ?a=1' }, { contact_url: 'https://花.example.jp/問い合わせ?a=1' }],
    [{ contact_url: ' ' }, { contact_url: '' }],
  ])('%j is stored as %j', async (written, stored) => {
    expect((await change(written)).status).toBe(200);
    expect(await list()).toMatchObject([stored]);
  });

  test.each([
    ['official_name', '株式会社\r\nBcc: a@example.jp'],
    ['official_name', '花'.repeat(101)],
    ['official_name', '\u202e花'],
    ['department', '花\n'.repeat(2)],
    ['postal_code', '100-00011'],
    ['postal_address', '千代田区1-2-3'],
    ['postal_address', '東京都千代田区'],
    ['postal_address', `東京都1${'あ'.repeat(200)}`],
    ['contact_phone', '03-0000'],
    ['contact_phone', '03-0000-0000 内線1'],
    ['contact_email', 'info@'],
    ['contact_url', 'http://example.jp'],
    ['contact_url', 'https://example.jp/"><script>'],
    ['contact_url', 'javascript:alert(1)'],
    ['refusal_email', 'a@example.jp, b@example.jp'],
    ['privacy_url', 'https://localhost'],
    ['basis', 'none'],
    ['confirmed', 2],
    ['account_id', 1],
  ])('%s: %j is refused at its field', async (field, value) => {
    const answer = await change({ [field]: value });
    expect(answer).toMatchObject({ status: 400 });
    expect(JSON.stringify((answer.body as { details: unknown }).details)).toContain('update_info');
    expect(await list()).toMatchObject([{ official_name: '' }]);
  });

  test('nothing to change is refused', async () => expect((await change({})).status).toBe(400));
});

test("another account's group is not found", async () => {
  const stranger = await addTenant(database.db);
  expect((await change(FILLED, stranger.senderGroupId)).status).toBe(404);
  expect((await change(FILLED, 999)).status).toBe(404);
});
