import { beforeEach, describe, expect, test } from 'vitest';
import type { CompanyDetail, TimelineEvent } from '#contract/companies/companies.ts';
import { updateMember } from '#test/accounts.ts';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addDelivery, addReservation } from '#test/prospect-history.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';

let database: TestDatabase;
let tenant: Tenant;
let client: Client;
beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  client = await clientOf(database, tenant.accountId);
});

const add = (add_info: object, more: object = {}, headers?: Record<string, string>) =>
  client.post('/prospect', { add_info, ...more }, headers);
const addOne = async (add_info: object): Promise<{ id: number; version: string }> =>
  (await add(add_info)).body as { id: number; version: string };
const detail = async (id: number) => (await client.get(`/prospect/${id}`)).body as CompanyDetail;
const save = (id: number, version: string, update_info: object, more: object = {}) =>
  client.put(`/prospect/${id}`, { version, update_info, ...more });
const check = async (query: Record<string, string>) =>
  (await client.get(`/prospect/check?${new URLSearchParams(query)}`)).body;
const timeline = async (id: number) => (await client.get(`/prospect/${id}/timeline`)).body as TimelineEvent[];
const view = async (query = '') =>
  (
    (await client.get(`/prospect/view?sender_group_id=${tenant.senderGroupId}${query}`)).body as {
      rows: { id: number }[];
    }
  ).rows.map(({ id }) => id);

describe('adding a company', () => {
  test('reads values as an import does, and shows the company as it is stored', async () => {
    const { status, body } = await add({
      company_name: ' 株式会社みどり ',
      company_email: 'Ｉｎｆｏ@Midori.example.jp',
      ceo: '代表取締役 藤田 陽子',
      included_industry_type: '金属加工、板金',
      amount_of_sales: '1.2億',
      capital: 10_000_000,
      number_of_employees: '48名',
      year_of_establishment: '平成3年',
      company_url: 'midori.example.jp',
      ordinary_profit: '非公開',
      phone: '０３ー００００ー００００（代表）',
    });
    expect([status, body]).toMatchObject([200, { status: 'added' }]);
    const { id, version } = body as { id: number; version: string };
    expect(await detail(id)).toMatchObject({
      id,
      version,
      company_name: '株式会社みどり',
      company_email: 'Info@midori.example.jp',
      addressee: '代表取締役 藤田 陽子 様',
      amount_of_sales: 120_000_000,
      capital: 10_000_000,
      number_of_employees: 48,
      year_of_establishment: 1991,
      company_url: 'https://midori.example.jp',
      ordinary_profit: null,
      phone: '03-0000-0000(代表)',
      archived: 0,
      suppressed: null,
      groups: [
        {
          sender_group_id: tenant.senderGroupId,
          active: 1,
          remarks: '',
          status: 'unsent',
          sent_at: null,
          send_at: null,
          reservation_id: null,
        },
      ],
    });
    expect(await view('&search=ミドリ&included_industry_type=板金')).toStrictEqual([]);
    expect(await view('&search=みどり&included_industry_type=板金')).toStrictEqual([id]);
  });

  test('and reserving it names its reservation in the group', async () => {
    const { id } = await addOne({ company_name: '予約商事', company_email: 'a@yoyaku.example.jp' });
    const reservation_id = await addReservation(database.db, tenant, [id], {
      sendAt: new Date('2099-12-01T00:00:00Z'),
    });
    expect((await detail(id)).groups).toMatchObject([{ status: 'reserved', reservation_id }]);
  });

  test('refuses each value that cannot be read at its field', async () => {
    const faulty = { company_name: '-', company_email: 'a@@b', amount_of_sales: 'たくさん', phone: '0'.repeat(101) };
    const { status, body } = await add(faulty);
    expect(status).toBe(400);
    const { code, details } = body as { code: string; details: { path: string }[] };
    expect(code).toBe('invalid_company');
    expect(details.map(({ path }) => path)).toStrictEqual([
      'add_info.company_name',
      'add_info.company_email',
      'add_info.amount_of_sales',
      'add_info.phone',
    ]);
    expect(details).toContainEqual({ path: 'add_info.company_name', message: '会社名が入力されていません。' });
  });

  test('happens once for each key, also for two requests at once', async () => {
    const headers = { 'idempotency-key': 'add-a-company-1' };
    const answers = await Promise.all([1, 2].map(() => add({ company_name: '一度' }, {}, headers)));
    expect(answers[0]).toStrictEqual(answers[1]);
    expect(await view()).toHaveLength(1);
  });

  test('of one name and place is refused, of one name only once it is acknowledged', async () => {
    const { id } = await addOne({ company_name: '株式会社みどり', address: '東京都港区1' });
    expect(await add({ company_name: '㈱みどり', address: '東京都港区１' }, { acknowledged: 1 })).toMatchObject({
      status: 409,
      body: { code: 'same_company' },
    });
    expect(await add({ company_name: '(株) みどり', address: '大阪市' })).toMatchObject({
      status: 409,
      body: { code: 'similar_company' },
    });
    expect(await check({ company_name: '(株)みどり', address: '大阪市' })).toMatchObject({
      similar: [{ id, company_name: '株式会社みどり', is_same: 0, archived: 0 }],
    });
    await client.post(`/prospect/${id}/archive`, {});
    expect(await check({ company_name: '(株)みどり', address: '東京都港区1' })).toMatchObject({
      similar: [{ id, is_same: 1, archived: 1 }],
    });
    expect(await add({ company_name: '(株) みどり', address: '大阪市' }, { acknowledged: 1 })).toMatchObject({
      status: 200,
    });
  });

  test('twenty at once with the same name and place leave one', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => add({ company_name: '同じ' }, { acknowledged: 1 })),
    );
    expect(answers.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1);
    expect(await view()).toHaveLength(1);
  });

  test.each(['𠮷'.repeat(100), '<script>alert(1)</script>', 'ｶﾞｲﾄﾞ商会'])(
    'bad-inputs 246: the name %s is stored as written',
    async (company_name) => {
      const { id } = await addOne({ company_name });
      expect(await detail(id)).toMatchObject({ company_name });
    },
  );

  test('bad-inputs 246: a name that reverses its direction, or is too long, is refused at its field', async () => {
    for (const company_name of ['株式会社\u202eりどみ', '𠮷'.repeat(101)]) {
      expect(await add({ company_name })).toMatchObject({
        status: 400,
        body: { details: [{ path: 'add_info.company_name' }] },
      });
    }
  });
});

describe('editing a company', () => {
  test('reads words for no value, and ="…", as the import does', async () => {
    const { id, version } = await addOne({ company_name: '="株式会社みどり"', ceo: 'NULL', address: '#REF!' });
    expect(await detail(id)).toMatchObject({
      company_name: '株式会社みどり',
      ceo: null,
      address: null,
      addressee: 'ご担当者様',
    });
    await save(id, version, { ceo: '山田 太郎 殿', address: '（未登録）' });
    expect(await detail(id)).toMatchObject({ ceo: '山田 太郎 殿', addressee: '山田 太郎 殿', address: null });
  });

  test('changes what is written, and is undone by the old values', async () => {
    const { id, version } = await addOne({ company_name: '株式会社みどり', address: '東京', amount_of_sales: '1億' });
    const saved = await save(id, version, { address: '大阪', amount_of_sales: null });
    expect(await detail(id)).toMatchObject({ company_name: '株式会社みどり', address: '大阪', amount_of_sales: null });
    expect([await view('&address=大阪'), await view('&address=東京')]).toStrictEqual([[id], []]);
    const next = (saved.body as { version: string }).version;
    expect(await save(id, next, { address: '東京', amount_of_sales: 100_000_000 })).toMatchObject({
      status: 200,
      body: { version },
    });
  });

  test('that somebody else has changed tells who and when, and changes nothing', async () => {
    await updateMember(database.db, tenant.accountId, { name: '山田 太郎' });
    const { id, version } = await addOne({ company_name: '株式会社みどり' });
    await save(id, version, { ceo: '先の人' });
    expect(await save(id, version, { ceo: '後の人' })).toMatchObject({
      status: 409,
      body: {
        code: 'company_changed',
        message: expect.stringMatching(/^山田 太郎さんが\d+\/\d+（.）\d+:\d\dに変更しました。/),
      },
    });
    // A client that lost the first answer repeats its request.
    expect(await save(id, version, { ceo: '先の人' })).toMatchObject({ status: 200 });
    expect(await detail(id)).toMatchObject({ ceo: '先の人', changed_by: '山田 太郎' });
  });

  test('of ten at once, one is saved', async () => {
    const { id, version } = await addOne({ company_name: '株式会社みどり' });
    const all = await Promise.all(Array.from({ length: 10 }, (_, n) => save(id, version, { ceo: `代表${n}` })));
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await timeline(id)).map(({ kind }) => kind)).toStrictEqual(['edited', 'added']);
  });

  test('to the name and place of another one is refused', async () => {
    await addOne({ company_name: 'あおば', address: '東京' });
    const { id, version } = await addOne({ company_name: 'みどり', address: '東京' });
    expect(await save(id, version, { company_name: 'あおば' })).toMatchObject({ body: { code: 'same_company' } });
    expect(await save(id, version, { company_name: 'あおば', address: '大阪' })).toMatchObject({
      body: { code: 'similar_company' },
    });
    const known = { company_name: 'あおば', address: '大阪' };
    expect(await save(id, version, known, { acknowledged: 1 })).toMatchObject({ status: 200 });
  });
});

test('the check tells who shares the address, whether it is suppressed, and what a new one concerns', async () => {
  const { db } = database;
  const [one = 0, other = 0] = await addProspects(db, tenant.accountId, [
    { company_name: '一', company_email: 'Info@x.jp' },
    { company_name: '二', company_email: 'info@X.jp' },
  ]);
  for (const state of ['queued', 'claimed', 'failed']) {
    await addDelivery(db, tenant, one, { state, mailTo: `${state}@x.jp`, test: state === 'claimed' });
  }
  await addReservation(db, tenant, [one], { sendAt: new Date(Date.UTC(2030, 0)) });
  await addReservation(db, tenant, [one], { sendAt: new Date(Date.UTC(2030, 1)), test: true });
  const row = { account_id: tenant.accountId, kind: 'domain', value: 'x.jp', reason: '550 no' };
  await db.insertInto('suppression').values(row).execute();
  expect(await check({ id: String(one), company_email: 'ＩＮＦＯ@x.jp', ceo: '田中' })).toStrictEqual({
    addressee: '田中 様',
    similar: [],
    sharing: [{ id: other, company_name: '二', address: null, archived: 0 }],
    sharing_total: 1,
    suppressed: {
      id: expect.any(Number),
      kind: 'domain',
      class: 'undeliverable',
      source: 'smtp',
      reason: '550 no',
      created_at: expect.stringMatching(/^\d{4}\//),
    },
    affected: { reserved: 1, queued: 1, sending: 0, failed: 1 },
  });
});

test('the history holds mails, edits, the import and the archive, newest first and by pages', async () => {
  const { id, version } = await addOne({ company_name: '株式会社みどり', address: '旧' });
  await save(id, version, { address: '新' });
  const send_log_id = await addDelivery(database.db, tenant, id, { state: 'failed', mailTo: 'a@x.jp' });
  for (const act of ['archive', 'archive', 'restore']) await client.post(`/prospect/${id}/${act}`, {});
  const events = await timeline(id);
  expect(events.map(({ kind }) => kind)).toStrictEqual(['restored', 'archived', 'mail', 'edited', 'added']);
  expect(events[2]).toMatchObject({
    send_log_id,
    state: 'failed',
    mail_to: 'a@x.jp',
    subject: '件名',
    test_send_mode: 0,
  });
  expect(events[3]).toMatchObject({ changes: [{ field: 'address', old: '旧', new: '新' }], member_name: '利用者' });
  const page = await client.get(`/prospect/${id}/timeline?limit=2&offset=3`);
  expect((page.body as TimelineEvent[]).map(({ kind }) => kind)).toStrictEqual(['edited', 'added']);
});

test('a company that is archived is in no list, cannot be mailed, and comes back as it was', async () => {
  const [id = 0, other = 0] = await addProspects(database.db, tenant.accountId, [
    { company_email: 'a@x.jp' },
    { company_email: 'b@x.jp' },
  ]);
  expect(await client.post(`/prospect/${id}/archive`, {})).toMatchObject({ body: { status: 'updated', id } });
  expect([await view(), await view('&status=archived')]).toStrictEqual([[other], [id]]);
  const attack_list = [id, other].map((prospect_id) => ({ prospect_id }));
  const sent = await client.post(`/mail/send/${tenant.senderId}`, {
    test_send_mode: 0,
    attack_list,
    days_from_lastday: 7,
  });
  expect(sent.body).toMatchObject({ accepted: 1, skipped: [{ prospect_id: id, reason: 'archived' }] });
  await client.post(`/prospect/${id}/restore`, {});
  expect(await view()).toStrictEqual([id, other]);
  expect(await client.post('/prospect/999999/archive', {})).toMatchObject({ status: 404 });
});
