import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Role } from '#domain/account/role.ts';
import { addMember } from '#test/accounts.ts';
import { type Client, clientAt, serve } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addGroup, addTenant, type Tenant } from '#test/prospects.ts';
import { acceptRun, untilBlocked } from '#test/sending.ts';
import { openSession } from '../auth/session.ts';

let database: TestDatabase;
let address: string;
let tenant: Tenant;
/** A second group of the account. */
let other: Tenant;

beforeEach(async () => {
  database = await emptyDatabase();
  address = await serve(database);
  tenant = await addTenant(database.db);
  await database.db.updateTable('member').set({ name: '田中 直樹' }).execute();
  other = await addGroup(database.db, tenant);
});

interface Person {
  readonly memberId: number;
  readonly client: Client;
  readonly token: string;
}

async function personOf(role: Role, groups: readonly number[] = [], name = '鈴木 彩'): Promise<Person> {
  const memberId = await addMember(database.db, tenant.accountId, { role, name });
  for (const sender_group_id of groups) {
    const row = { account_id: tenant.accountId, member_id: memberId, sender_group_id };
    await database.db.insertInto('member_group').values(row).execute();
  }
  const token = await openSession(database.login, { accountId: tenant.accountId, memberId }, Date.now());
  return { memberId, client: clientAt(address, `Bearer ${token}`), token };
}

const meOf = async ({ client }: Person) =>
  ((await client.get(`/account/${tenant.accountId}`)).body as { member: object }).member;

describe('who asks is told what they may do', () => {
  test('groups bind the role `sales`, and no other', async () => {
    const groups = [other.senderGroupId];
    const rights = { sender_group_ids: null, may_export: 1 };
    expect(await meOf(await personOf('admin', groups))).toMatchObject({ role: 'admin', ...rights });
    expect(await meOf(await personOf('sales'))).toMatchObject({ role: 'sales', ...rights });
    expect(await meOf(await personOf('sales', groups))).toMatchObject({ sender_group_ids: groups, may_export: 1 });
    expect(await meOf(await personOf('viewer', groups))).toMatchObject({ sender_group_ids: null, may_export: 0 });
  });

  test('the list of groups begins with the own ones, unless it is paged by the id', async () => {
    const { client } = await personOf('sales', [other.senderGroupId]);
    const idsOf = async (query = '') =>
      ((await client.get(`/sender_group/list${query}`)).body as { id: number }[]).map(({ id }) => id);
    expect(await idsOf()).toStrictEqual([other.senderGroupId, tenant.senderGroupId]);
    expect(await idsOf('?limit=1')).toStrictEqual([other.senderGroupId]);
    expect(await idsOf('?where_info[id][gte]=1')).toStrictEqual([tenant.senderGroupId, other.senderGroupId]);
    const admin = await personOf('admin');
    const all = (await admin.client.get('/sender_group/list')).body as { id: number }[];
    expect(all.map(({ id }) => id)).toStrictEqual([tenant.senderGroupId, other.senderGroupId]);
  });
});

describe('a refusal names who can help', () => {
  test.each([
    [[], '管理者（田中 直樹）'],
    [['佐藤 花子', '木村 健'], '管理者（田中 直樹、佐藤 花子、木村 健）'],
    [['佐藤 花子', '木村 健', '森 一'], '管理者（田中 直樹、佐藤 花子、木村 健ほか）'],
  ])('with the admins %j besides', async (names, shown) => {
    for (const name of names) await personOf('admin', [], name);
    const { client } = await personOf('viewer');
    expect(await client.post('/prospect', { add_info: { company_name: '甲' } })).toMatchObject({
      status: 403,
      body: { code: 'not_allowed', message: `この操作はできません。${shown}に依頼してください。` },
    });
  });

  test('and the group that is not the own one', async () => {
    await database.db
      .updateTable('sender_group')
      .set({ group_name: '関西' })
      .where('id', '=', tenant.senderGroupId)
      .execute();
    const { client } = await personOf('sales', [other.senderGroupId]);
    const { id } = await acceptRun(database, tenant, 1);
    expect(await client.put(`/send_log/${id}`, { update_info: { state: 'paused' } })).toMatchObject({
      status: 403,
      body: { code: 'not_in_group', message: '「関西」では操作できません。管理者に依頼してください。' },
    });
  });

  test('of fields that need a role of their own', async () => {
    const { client } = await personOf('sales');
    const change = (update_info: object) => client.put(`/account/${tenant.accountId}`, { update_info });
    expect(await change({ name: '新しい氏名' })).toMatchObject({ status: 200 });
    expect(await change({ company: '新しい会社' })).toMatchObject({ status: 403, body: { code: 'not_allowed' } });
  });
});

describe('exports can be left to admins', () => {
  const order = { add_info: { what: 'runs', format: 'csv_utf8' } };

  test('who then neither start one nor load a file of before', async () => {
    const [admin, sales] = [await personOf('admin'), await personOf('sales')];
    expect(await sales.client.post('/export', order)).toMatchObject({ status: 200 });
    await admin.client.put('/account_rule', { update_info: { export_needs_admin: 1 } });
    expect((await sales.client.get('/account_rule')).body).toMatchObject({ export_needs_admin: 1 });
    expect(await meOf(sales)).toMatchObject({ may_export: 0 });
    expect(await sales.client.post('/export', order)).toMatchObject({ status: 403, body: { code: 'not_allowed' } });
    expect(await sales.client.get('/export/1/file')).toMatchObject({ status: 403, body: { code: 'not_allowed' } });
    expect(await admin.client.post('/export', order)).toMatchObject({ status: 200 });
  });
});

describe('an act that waited for its lock reads the member anew', () => {
  test.each([
    ['stopped', { active: false }, 401, 'unauthorized'],
    ['made a viewer', { role: 'viewer' }, 403, 'not_allowed'],
  ])('who was %s meanwhile', async (_, change, status, code) => {
    const { memberId, client } = await personOf('sales');
    const { id } = await acceptRun(database, tenant, 1);
    const holder = await database.pool.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT FROM send_log WHERE id = $1 FOR UPDATE', [id]);
    const pausing = client.put(`/send_log/${id}`, { update_info: { state: 'paused' } });
    await untilBlocked(database);
    await database.db.updateTable('member').set(change).where('id', '=', memberId).execute();
    await holder.query('COMMIT');
    holder.release();
    expect(await pausing).toMatchObject({ status, body: { code } });
    const run = await database.db.selectFrom('send_log').select('paused_by').executeTakeFirstOrThrow();
    expect(run.paused_by).toBeNull();
  });
});

describe('a request whose body took its time is judged as the member is then', () => {
  test.each([
    ['stopped', { active: false }, 401],
    ['made a viewer', { role: 'viewer' }, 403],
  ])('who was %s meanwhile', async (_, change, status) => {
    const { memberId, token } = await personOf('sales');
    const body = JSON.stringify({ add_info: { company_name: '甲' } });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = Promise.withResolvers<number | undefined>();
    const sending = request(`${address}/prospect`, { method: 'POST', headers }, (response) => {
      response.resume();
      answer.resolve(response.statusCode);
    });
    sending.write(body.slice(0, 3));
    // The session has been read; if not, the refusal comes before the body.
    await sleep(200);
    await database.db.updateTable('member').set(change).where('id', '=', memberId).execute();
    sending.end(body.slice(3));
    expect(await answer.promise).toBe(status);
  });
});

test('only an admin brings back a person who was switched off', async () => {
  const [admin, sales] = [await personOf('admin'), await personOf('sales')];
  const [person] = (await admin.client.get('/sender_profile/list')).body as { id: number }[];
  const [pair] = (await admin.client.get('/sender/list')).body as { id: number; template_id: number }[];
  const [profileId = 0, senderId = 0, templateId = 0] = [person?.id, pair?.id, pair?.template_id];
  const reads = {
    [`/sender_profile/${profileId}`]: `/sender_profile/list?where_info[id]=${profileId}`,
    [`/sender/${senderId}`]: `/sender/${senderId}`,
    [`/mail_template/${templateId}`]: `/mail_template/${templateId}`,
  };
  const put = async ({ client }: Person, path: string, update_info: object) => {
    const [{ version } = { version: '' }] = [(await client.get(reads[path] ?? '')).body].flat() as {
      version: string;
    }[];
    return client.put(path, { version, update_info });
  };
  const [profile = '', sender = '', template = ''] = Object.keys(reads);
  expect(await put(admin, profile, { active: 0 })).toMatchObject({ status: 200 });
  const content = { name: '文面', text_body: '本文', html_body: '', senders: [] };
  const acts = [
    [profile, { template_ids: [templateId] }],
    [sender, { active: 1 }],
    [template, { ...content, sender_profile_ids: [profileId] }],
  ] as const;
  for (const [path, change] of acts) {
    const refused = { status: 403, body: { code: 'not_allowed' } };
    expect([path, await put(sales, path, change)]).toMatchObject([path, refused]);
  }
  expect(await put(admin, profile, { template_ids: [templateId] })).toMatchObject({ status: 200 });
});
