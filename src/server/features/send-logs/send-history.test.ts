import { beforeEach, describe, expect, test } from 'vitest';
import type { CallAnswer } from '#contract/call.ts';
import type { getDelivery, viewDeliveries, viewSendLogs } from '#contract/sending/send-logs.ts';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { PUBLIC_URL } from '#test/mailing.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { acceptRun, eventually, testSink, testWorker, untilSettled } from '#test/sending.ts';
import type { SmtpSink } from '#test/smtp-sink.ts';

let database: TestDatabase;
let tenant: Tenant;
let client: Client;
let sink: SmtpSink;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  client = await clientOf(database, tenant.accountId);
  sink = await testSink();
});

const view = async (query = '') => (await client.get(`/send_log/view${query}`)).body as CallAnswer<typeof viewSendLogs>;
const mailsOf = async (id: number, query = '') =>
  (await client.get(`/send_log/${id}/deliveries${query}`)).body as CallAnswer<typeof viewDeliveries>;
const mail = async (id: number) => (await client.get(`/delivery/${id}`)).body as CallAnswer<typeof getDelivery>;

describe('the runs', () => {
  test('are listed newest first, by page, with tests but without records by hand', async () => {
    const ids: number[] = [];
    for (let n = 0; n < 21; n += 1) ids.unshift((await acceptRun(database, tenant, 1, { test: n === 20 })).id);
    await client.post('/send_log', { sender_group_id: tenant.senderGroupId, attack_list: [1] });
    const first = await view('?pagenate_count=20');
    expect(first.rows.map(({ id }) => id)).toStrictEqual(ids.slice(0, 20));
    expect(first.total).toBe(21);
    expect(first.rows[0]).toMatchObject({
      test_send_mode: 1,
      subject: '件名',
      group_name: 'グループ',
      targets: 1,
      queued: 1,
      finished: false,
    });
    expect((await view('?pagenate_count=20&pagenate_num=2')).rows.map(({ id }) => id)).toStrictEqual(ids.slice(20));
  });

  test('of another account are not listed', async () => {
    await acceptRun(database, await addTenant(database.db), 1);
    expect(await view()).toStrictEqual({ rows: [], total: 0, database_rewound: false });
  });

  test('of a limited sender have an estimated end, which counts the mails before them in its queue', async () => {
    await acceptRun(database, tenant, 60);
    await acceptRun(database, tenant, 30);
    await database.db.updateTable('sender_throttle').set({ mails_per_minute: 60 }).execute();
    const { rows } = await view();
    const [last = 0, first = 0] = rows.map(({ estimated_end_at }) =>
      Math.round((Date.parse(`${estimated_end_at?.replaceAll('/', '-').replace(' ', 'T')}+09:00`) - Date.now()) / 1000),
    );
    expect([first, last]).toStrictEqual([expect.closeTo(60, -1), expect.closeTo(90, -1)]);
    await client.put(`/send_log/${rows[0]?.id}`, { update_info: { state: 'paused' } });
    expect((await view()).rows[0]).toMatchObject({ paused_by: 'user', estimated_end_at: null });
  });

  test('of an unlimited sender have an estimated end once mails have left', async () => {
    sink.latencyMs = 50;
    const { id } = await acceptRun(database, tenant, 60);
    expect((await view()).rows[0]?.estimated_end_at).toBeNull();
    testWorker(database, sink, { connections: 1 });
    const running = await eventually(view, ({ rows }) => (rows[0]?.sent ?? 0) > 5 && rows[0]?.finished === false);
    expect(running.rows[0]).toMatchObject({ id, estimated_end_at: expect.any(String) });
    await untilSettled(database.db);
    expect((await view()).rows[0]).toMatchObject({ finished: true, estimated_end_at: null });
  });
});

describe('the mails of a run', () => {
  async function mixed() {
    sink.fault = (moment, line) => (moment === 'RCPT' && line.includes('info1@') ? '550 5.1.1 unknown <script>' : null);
    const run = await acceptRun(database, tenant, 3);
    testWorker(database, sink);
    await untilSettled(database.db);
    return run;
  }

  test('are listed with state, time and the server’s answer', async () => {
    const { id, prospectIds } = await mixed();
    const { rows, total } = await mailsOf(id);
    expect(total).toBe(3);
    expect(rows.map(({ prospect_id }) => prospect_id)).toStrictEqual(prospectIds);
    expect(rows[0]).toStrictEqual({
      id: expect.any(Number),
      prospect_id: prospectIds[0],
      company_name: '株式会社0',
      mail_to: 'info0@a.example',
      person: null,
      state: 'sent',
      reason: null,
      attempts: 1,
      claim_no: 1,
      finished_at: expect.stringMatching(/^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d$/),
      delivered_at: null,
      next_try_at: null,
      cause: null,
      smtp_reply: '250 2.0.0 queued',
      archived: false,
    });
    expect(rows[1]).toMatchObject({
      state: 'failed',
      cause: 'unknown_address',
      smtp_reply: '550 5.1.1 unknown <script>',
    });
  });

  test('can be filtered by state', async () => {
    const { id } = await mixed();
    expect(await mailsOf(id, '?state=failed')).toMatchObject({ total: 1, rows: [{ company_name: '株式会社1' }] });
    expect(await mailsOf(id, '?state=unknown')).toStrictEqual({ total: 0, rows: [] });
    expect((await client.get(`/send_log/${id}/deliveries?state=claimed`)).status).toBe(400);
  });

  test('can have the failed ones first, each group in the order of the list', async () => {
    const { id } = await mixed();
    const names = async (query: string) => (await mailsOf(id, query)).rows.map(({ company_name }) => company_name);
    expect(await names('?order=failed_first')).toStrictEqual(['株式会社1', '株式会社0', '株式会社2']);
    expect((await client.get(`/send_log/${id}/deliveries?order=id`)).status).toBe(400);
  });

  test('that wait show when they are tried next; those of a paused run do not', async () => {
    const { id } = await acceptRun(database, tenant, 1);
    expect((await mailsOf(id)).rows[0]).toMatchObject({
      state: 'queued',
      next_try_at: expect.any(String),
      finished_at: null,
    });
    await client.put(`/send_log/${id}`, { update_info: { state: 'paused' } });
    expect((await mailsOf(id)).rows[0]).toMatchObject({ state: 'queued', next_try_at: null });
  });

  test('that a worker has claimed are shown as sending', async () => {
    const { id } = await acceptRun(database, tenant, 2);
    await database.db
      .updateTable('delivery')
      .set({ state: 'claimed', lease_until: new Date(Date.now() + 60_000) })
      .where('row_index', '=', 1)
      .execute();
    expect((await mailsOf(id, '?state=sending')).rows).toMatchObject([{ state: 'sending', company_name: '株式会社1' }]);
  });
});

describe('a mail', () => {
  test('is shown as it was sent, even if template and company have changed since', async () => {
    await database.db
      .updateTable('mail_template')
      .set({ text_body: '{{ company_name }} {{ person_in_charge }}', html_body: '<p>{{ company_name }}</p>' })
      .execute();
    const { id } = await acceptRun(database, tenant, 1);
    testWorker(database, sink);
    await untilSettled(database.db);
    await database.db.updateTable('mail_template').set({ text_body: '新しい本文' }).execute();
    await database.db.updateTable('prospect').set({ company_name: '新社名' }).execute();
    const [row] = (await mailsOf(id)).rows;
    const { mail_key } = await database.db.selectFrom('delivery').select('mail_key').executeTakeFirstOrThrow();
    const link = `${PUBLIC_URL}/u/${mail_key?.replaceAll('-', '')}`;
    expect(await mail(row?.id ?? 0)).toStrictEqual({
      ...row,
      send_log_id: id,
      run_paused_by: null,
      sender_group_id: tenant.senderGroupId,
      test_send_mode: 0,
      mail: {
        subject: '件名',
        from: { name: '担当', address: 'sender@example.com' },
        to: 'info0@a.example',
        text: expect.stringMatching(`^株式会社0 山田 太郎 様\n\n-{60}\n送信者: 株式会社見本\n[^]*\n${link}\n`),
        html: expect.stringMatching(`^<p>株式会社0</p><span [^]*<a href="${link}"`),
      },
      suppressed: null,
    });
  });

  test('says who has paused its run, until the run has ended', async () => {
    const { id } = await acceptRun(database, tenant, 1);
    const [row] = (await mailsOf(id)).rows;
    await database.db.updateTable('send_log').set({ paused_by: 'policy_bounces' }).execute();
    expect(await mail(row?.id ?? 0)).toMatchObject({ run_paused_by: 'policy_bounces' });
    await database.db.updateTable('send_log').set({ ended_at: new Date() }).execute();
    expect(await mail(row?.id ?? 0)).toMatchObject({ run_paused_by: null });
  });

  test('that cannot be rendered has no content', async () => {
    const { id } = await acceptRun(database, tenant, 1);
    await database.db
      .updateTable('send_log')
      .set({ mail: JSON.stringify({ subject: '{{ x', sender: {}, account: {}, candidate_dates: [] }) })
      .execute();
    const [row] = (await mailsOf(id)).rows;
    expect(await mail(row?.id ?? 0)).toMatchObject({ state: 'queued', mail: null });
  });
});
