import iconv from 'iconv-lite';
import { beforeEach, describe, expect, test } from 'vitest';
import { API_BASE } from '#contract/call.ts';
import { openSessionOf } from '#test/accounts.ts';
import { type Client, clientAt, serveApp } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { form } from '#test/faults/form.ts';
import { importerOf } from '#test/imports.ts';
import { addDelivery, addReservation } from '#test/prospect-history.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { acceptRun, testSink, testWorker, untilSettled } from '#test/sending.ts';

let database: TestDatabase;
let tenant: Tenant;
let client: Client;
let site: string;
let authorization: string;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  const { address } = await serveApp(database);
  authorization = `Bearer ${await openSessionOf(database.login, tenant.accountId, Date.now())}`;
  client = clientAt(address, authorization);
  site = address.replace(API_BASE, '');
});

const stored = async () =>
  (await database.db.selectFrom('suppression').select(['value', 'class']).orderBy('value').execute()).map(
    (row) => [row.value, row.class] as const,
  );
const add = (values: readonly string[], more: object = {}, type = 'blocked') =>
  client.post('/suppression', { add_info: { values, class: type }, ...more });

async function upload(file: string | Buffer, query = 'class=refused'): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${site}${API_BASE}/suppression/import?${query}`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/octet-stream' },
    body: new Uint8Array(Buffer.from(file)),
  });
  return { status: response.status, body: await response.json() };
}
const events = async () =>
  (await database.db.selectFrom('audit_event').select(['kind', 'member_id', 'detail']).orderBy('id').execute()).filter(
    ({ kind }) => kind.startsWith('suppression'),
  );

describe('adding by hand', () => {
  test('says before what would change, and changes nothing then', async () => {
    const [reserved = 0, other = 0, ofDomain = 0] = await addProspects(database.db, tenant.accountId, [
      { company_email: 'Info@x.jp' },
      { company_email: 'info@x.jp' },
      { company_email: 'a@own.co.jp' },
    ]);
    await addReservation(database.db, tenant, [reserved], { sendAt: new Date(Date.UTC(2030, 0)) });
    await addDelivery(database.db, tenant, ofDomain, { state: 'queued', mailTo: 'a@own.co.jp' });
    await add(['gone@x.jp']);
    const values = ['INFO@x.jp', 'info@x.jp', '@Own.co.jp', 'gone@x.jp'];
    const counts = { added: 2, already: 1, companies: 3, reserved: 1, queued: 1 };
    expect(await add(values, { dry_run: 1 })).toStrictEqual({
      status: 200,
      body: { status: 'no-added', ...counts },
    });
    expect(await stored()).toHaveLength(1);
    expect(await add(values)).toStrictEqual({ status: 200, body: { status: 'added', ...counts } });
    expect(await stored()).toStrictEqual([
      ['gone@x.jp', 'blocked'],
      ['info@x.jp', 'blocked'],
      ['own.co.jp', 'blocked'],
    ]);
    expect(other).toBeGreaterThan(0);
    const mails = database.db.selectFrom('delivery').select(['state', 'reason']);
    expect(await mails.execute()).toStrictEqual([{ state: 'cancelled', reason: 'suppressed' }]);
    expect(await add(values)).toMatchObject({ body: { status: 'no-added', added: 0, already: 3 } });
    const by = { kind: 'suppressions_added', member_id: tenant.memberId };
    expect(await events()).toStrictEqual([
      { ...by, detail: { class: 'blocked', suppressions: 1 } },
      { ...by, detail: { class: 'blocked', suppressions: 2 } },
    ]);
  });

  test('is done once for a repeated request, and for each class', async () => {
    const body = { add_info: { values: ['a@x.jp'], class: 'refused', note: ' 電話で受付 ' } };
    const key = { 'idempotency-key': 'press-00001' };
    const first = await client.post('/suppression', body, key);
    expect(await client.post('/suppression', body, key)).toStrictEqual(first);
    expect(first).toMatchObject({ body: { status: 'added', added: 1 } });
    expect(await add(['a@x.jp'])).toMatchObject({ body: { added: 1 } });
    expect(await stored()).toHaveLength(2);
    const { body: page } = await client.get('/suppression/view?class=refused');
    expect(page).toMatchObject({
      rows: [{ note: '電話で受付', source: 'manual' }],
      total: 1,
      addresses: 1,
      domains: 0,
    });
  });

  test.each([
    ['jp', 'メールアドレスに@がありません。'],
    ['*', 'メールアドレスに@がありません。'],
    ['@jp', 'メールアドレスの@より後が正しくありません。'],
    ['a@x.jp,b@x.jp', 'メールアドレスの形が正しくありません。'],
  ])('lawful 47: %s is refused at its line', async (value, message) => {
    expect(await add(['ok@x.jp', value])).toMatchObject({
      status: 400,
      body: { details: [{ path: 'add_info.values.1', message }] },
    });
    expect(await stored()).toStrictEqual([]);
  });

  test.each(['@co.jp', '@ＯＲ.jp', '@tokyo.jp', '@co.uk', '@example'])(
    'lawful 47: %s belongs to no company',
    async (domain) => {
      expect(await add(['ok@x.jp', domain])).toMatchObject({
        status: 400,
        body: { details: [{ path: 'add_info.values.1' }] },
      });
      expect(await stored()).toStrictEqual([]);
    },
  );

  test('takes 1 to 1,000 values', async () => {
    expect(await add([])).toMatchObject({ status: 400 });
    const values = Array.from({ length: 1001 }, (_, n) => `a${n}@x.jp`);
    expect(await add(values)).toMatchObject({ status: 400, body: { details: [{ path: 'add_info.values' }] } });
    expect(await add(values.slice(1))).toMatchObject({ body: { added: 1000 } });
  });
});

describe('the list', () => {
  test('shows who, whence and which companies, newest first, and finds by address and company', async () => {
    const ids = await addProspects(
      database.db,
      tenant.accountId,
      Array.from({ length: 4 }, (_, n) => ({ company_name: `瑞穂野フーズ${n}`, company_email: 'contact@mizuho.jp' })),
    );
    await add(['contact@mizuho.jp', '@example.co.jp']);
    const { body } = await client.get('/suppression/view');
    const { rows } = body as { rows: { id: number }[] };
    expect(body).toMatchObject({
      rows: [
        { kind: 'domain', value: 'example.co.jp', companies: [], companies_total: 0 },
        {
          kind: 'address',
          value: 'contact@mizuho.jp',
          class: 'blocked',
          source: 'manual',
          reason: '',
          opt_out_reason: null,
          created_by: expect.any(String),
          delivery_id: null,
          send_log_id: null,
          companies: ids.slice(0, 3).map((id, n) => ({ id, company_name: `瑞穂野フーズ${n}` })),
          companies_total: 4,
        },
      ],
      total: 2,
      addresses: 1,
      domains: 1,
    });
    expect(rows[0]?.id).toBeGreaterThan(rows[1]?.id ?? 0);
    const found = async (query: string) => {
      const answer = await client.get(`/suppression/view?${query}`);
      return (answer.body as { rows: { value: string }[] }).rows.map(({ value }) => value);
    };
    expect(await found(`search=${encodeURIComponent('ﾌｰｽﾞ')}`)).toStrictEqual(['contact@mizuho.jp']);
    expect(await found('search=EXAMPLE')).toStrictEqual(['example.co.jp']);
    expect(await found('search=%25')).toStrictEqual([]);
    expect(await found('kind=domain')).toStrictEqual(['example.co.jp']);
    expect(await found('source=link')).toStrictEqual([]);
    expect(await found('pagenate_count=20&pagenate_num=2')).toStrictEqual([]);
  });

  test('names the mail that it comes from', async () => {
    const [company = 0] = await addProspects(database.db, tenant.accountId, [{ company_email: 'a@x.jp' }]);
    const send_log_id = await addDelivery(database.db, tenant, company, { state: 'failed', mailTo: 'a@x.jp' });
    const { id: delivery_id } = await database.db.selectFrom('delivery').select('id').executeTakeFirstOrThrow();
    await database.db
      .insertInto('suppression')
      .values({ account_id: tenant.accountId, kind: 'address', value: 'a@x.jp', reason: '550 5.1.1', delivery_id })
      .execute();
    expect(await client.get(`/suppression/view?delivery_id=${delivery_id}`)).toMatchObject({
      body: { rows: [{ delivery_id, send_log_id, class: 'undeliverable', source: 'smtp', reason: '550 5.1.1' }] },
    });
    expect(await client.get(`/delivery/${delivery_id}`)).toMatchObject({
      body: { suppressed: { class: 'undeliverable', kind: 'address', reason: '550 5.1.1' } },
    });
  });
});

describe('lifting', () => {
  const idOf = async () => (await database.db.selectFrom('suppression').select('id').executeTakeFirstOrThrow()).id;
  const lift = (id: number, info: object = {}) =>
    client.put(`/suppression/${id}`, { update_info: { lifted: 1, ...info } });
  const REASONLESS = { status: 409, body: { code: 'refused_by_recipient', details: [{ path: 'update_info.reason' }] } };

  test("needs a reason where the address's owner has refused; what it did is kept", async () => {
    await add(['a@x.jp'], {}, 'refused');
    const id = await idOf();
    expect(await lift(id)).toMatchObject(REASONLESS);
    expect(await lift(id, { reason: 'undone' })).toMatchObject({ status: 400 });
    for (const consented_on of ['2999-01-01', '2026-02-30', '0000-01-01'])
      expect(await lift(id, { consented_on, reason: 'mistake' }), consented_on).toMatchObject({
        status: 400,
        body: { details: [{ path: 'update_info.consented_on' }] },
      });
    expect(await stored()).toHaveLength(1);
    const info = { reason: 'asked_again', consented_on: '2026-02-28', note: '電話で確認' };
    for (let n = 0; n < 2; n += 1)
      expect(await lift(id, info)).toStrictEqual({ status: 200, body: { status: 'updated' } });
    expect(await stored()).toStrictEqual([]);
    const row = await database.db.selectFrom('lifted_suppression').selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({
      id,
      value: 'a@x.jp',
      class: 'refused',
      lift_reason: 'asked_again',
      lifted_by: tenant.memberId,
      lift_note: '電話で確認',
    });
    const detail = { suppression_id: id, class: 'refused', reason: 'asked_again', consented_on: '2026-02-28' };
    expect((await events()).slice(1)).toStrictEqual([
      { kind: 'suppression_lifted', member_id: tenant.memberId, detail },
    ]);
  });

  test('needs none for a block and a dead address', async () => {
    for (const type of ['blocked', 'undeliverable']) {
      await database.db
        .insertInto('suppression')
        .values({ account_id: tenant.accountId, kind: 'address', value: 'a@x.jp', class: type })
        .execute();
      expect(await lift(await idOf())).toMatchObject({ status: 200 });
    }
    expect(await stored()).toStrictEqual([]);
    expect(await lift(999)).toMatchObject({ status: 404 });
  });
});

describe('a file', () => {
  test.each<[string, string | Buffer]>([
    ['with a heading', 'No,メールアドレス\r\n1,a@x.jp\r\n2,@Own.co.jp\r\n'],
    ['lawful 46: without a heading', 'a@x.jp\n@own.co.jp\n'],
    ['lawful 46: in Shift_JIS', iconv.encode('会社,代表メール\r\n㈱髙﨑,A＠x.jp\r\n二,@own.co.jp\r\n', 'cp932')],
    ['lawful 46: as our export writes it', "\ufeffアドレス/ドメイン,理由\r\na@x.jp,本人の希望\r\n'@own.co.jp,=1+1\r\n"],
  ])('%s', async (_, file) => {
    expect(await upload(file, 'class=refused&dry_run=1')).toMatchObject({ body: { status: 'no-added', added: 2 } });
    expect(await stored()).toStrictEqual([]);
    expect(await upload(file)).toMatchObject({
      status: 200,
      body: { status: 'added', added: 2, already: 0, faults_total: 0, faults: [] },
    });
    expect(await stored()).toStrictEqual([
      ['a@x.jp', 'refused'],
      ['own.co.jp', 'refused'],
    ]);
    expect(await events()).toMatchObject([{ kind: 'suppressions_imported', detail: { suppressions: 2 } }]);
    expect(await upload('b@x.jp')).toMatchObject({ body: { added: 1 } });
    expect(await stored()).toHaveLength(3);
  });

  test('whose rows cannot all be read adds the others, and names those', async () => {
    const file = 'メールアドレス\nx.jp\n\na@x.jp\n@co.jp\n"<script>"\n';
    expect(await upload(file)).toMatchObject({
      body: {
        added: 1,
        faults_total: 3,
        faults: [
          { row: 2, value: 'x.jp', message: 'メールアドレスに@がありません。' },
          { row: 5, value: '@co.jp', message: '1つの会社のものではないドメインは登録できません。' },
          { row: 6, value: '<script>' },
        ],
      },
    });
  });

  test.each<[string, Buffer]>([
    ['is empty', Buffer.alloc(0)],
    ['is no text', Buffer.from([0xff, 0, 1, 2, 0])],
    ['is a broken workbook', Buffer.from('PK\u0003\u0004 no workbook')],
    ['has an open quote', Buffer.from('"a@x.jp\n'.repeat(3))],
  ])('that %s is refused with a sentence', async (_, file) => {
    expect(await upload(file)).toMatchObject({ status: 400, body: { code: 'unreadable_file' } });
    expect(await stored()).toStrictEqual([]);
  });

  test('lawful 46: of 100,000 rows (5,000 in `npm test`) is stored, and cancels what waits', async () => {
    await acceptRun(database, tenant, 2);
    // Either is settled in many pieces.
    const length = form.isLong ? 100_000 : 5000;
    const rows = Array.from({ length }, (_, n) => `refused${n}@big.example.jp`);
    const many = Array.from({ length: 200_001 }, (_, n) => `${n}@x.jp`);
    expect(await upload(many.join('\n'))).toMatchObject({ status: 400, body: { code: 'unreadable_file' } });
    expect(await upload(['info1@a.example', ...rows].join('\r\n'))).toMatchObject({
      body: { added: length + 1, queued: 1 },
    });
    const states = await database.db.selectFrom('delivery').select('state').orderBy('id').execute();
    expect(states.map(({ state }) => state)).toStrictEqual(['queued', 'cancelled']);
  }, 180_000);
});

/** Tries to send to companies. @returns why each is left out */
async function leftOut(ids: readonly number[]): Promise<unknown> {
  const attack_list = ids.map((prospect_id) => ({ prospect_id }));
  const answer = await client.post(`/mail/send/${tenant.senderId}`, { test_send_mode: 0, attack_list });
  expect(answer).toMatchObject({ body: { status: 'no-added' } });
  return (answer.body as { skipped: { reason: string }[] }).skipped.map(({ reason }) => reason);
}

describe('a refused address stays refused', () => {
  const HEADING = '会社名,住所,代表メール\n';
  const idsOf = async () =>
    (await database.db.selectFrom('prospect').select('id').orderBy('id').execute()).map(({ id }) => id);

  test('lawful 39: when its company is imported again, in capitals or in full width', async () => {
    const by = await importerOf(database, tenant);
    await by.importText(`${HEADING}甲社,東京都,info@x.jp\n`);
    await add(['info@x.jp'], {}, 'refused');
    for (const address of ['info@x.jp', 'INFO@X.jp', 'ｉｎｆｏ＠ｘ.jp']) {
      await by.importText(`${HEADING}甲社,東京都,${address}\n乙社 ${address.length}${address[0]},大阪府,${address}\n`);
    }
    const ids = await idsOf();
    expect(ids.length).toBeGreaterThan(1);
    for (const id of ids) expect(await leftOut([id])).toStrictEqual(['suppressed']);
    expect(await stored()).toStrictEqual([['info@x.jp', 'refused']]);
  });

  test('lawful 40: when its company was archived and is imported again', async () => {
    const by = await importerOf(database, tenant);
    await by.importText(`${HEADING}甲社,東京都,info@x.jp\n`);
    await add(['info@x.jp'], {}, 'refused');
    const [first = 0] = await idsOf();
    await client.post(`/prospect/${first}/archive`, {});
    // The first row is the archived company, the second one is new.
    await by.importText(`${HEADING}甲社,東京都,info@x.jp\n甲社,大阪府,info@x.jp\n`);
    expect(await idsOf()).toHaveLength(2);
    await client.post(`/prospect/${first}/restore`, {});
    for (const id of await idsOf()) expect(await leftOut([id])).toStrictEqual(['suppressed']);
  });

  test('acceptance 7: a list that is imported before and after refusals gets no mail to refused addresses', async () => {
    const by = await importerOf(database, tenant);
    const file = HEADING + Array.from({ length: 20 }, (_, n) => `会社${n},東京都,info${n}@x${n}.jp\n`).join('');
    await by.importText(file);
    await add(['info1@x1.jp', '@x2.jp'], {}, 'refused');
    await client.post('/personal_data/erase', { email: 'info3@x3.jp' });
    await by.importText(file);
    const sink = await testSink();
    testWorker(database, sink);
    const attack_list = (await idsOf()).map((prospect_id) => ({ prospect_id }));
    await client.post(`/mail/send/${tenant.senderId}`, { test_send_mode: 0, attack_list });
    await untilSettled(database.db);
    const arrived = sink.mails.flatMap(({ to }) => to);
    expect(arrived).toHaveLength(17);
    expect(arrived.filter((address) => /@x[123]\.jp$/.test(address))).toStrictEqual([]);
  });
});

test('lawful 41: a company that is edited or added by hand stays refused', async () => {
  await add(['info@x.jp'], {}, 'refused');
  const create = async (company_name: string, company_email: string) => {
    const { body } = await client.post('/prospect', { add_info: { company_name, company_email } });
    return (body as { id: number }).id;
  };
  for (const [name, address] of [
    ['一', 'INFO@x.jp'],
    ['二', 'info＠x.jp'],
  ] as const) {
    const id = await create(name, address);
    expect(await leftOut([id])).toStrictEqual(['suppressed']);
  }
  const edited = await create('三', 'other@x.jp');
  const { version } = (await client.get(`/prospect/${edited}`)).body as { version: string };
  await client.put(`/prospect/${edited}`, { version, update_info: { company_email: 'Info@X.jp' } });
  expect(await leftOut([edited])).toStrictEqual(['suppressed']);
});
