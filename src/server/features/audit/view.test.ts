import { sql } from 'kysely';
import { pino } from 'pino';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { AuditRow } from '#contract/account/audit.ts';
import type { Job } from '#contract/account/jobs.ts';
import { MAX_AUDIT_ROWS } from '#domain/limits.ts';
import { dayOf, formatSecond } from '#domain/time/tokyo-time.ts';
import { addMember } from '#test/accounts.ts';
import { type Client, clientAt, serveApp } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addDelivery } from '#test/prospect-history.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { attackList } from '#test/reservations.ts';
import { eventually } from '#test/sending.ts';
import { openSession } from '../auth/session.ts';
import { exportHandler } from '../exports/export-job.ts';
import { startJobWorker } from '../jobs/job-worker.ts';
import { NO_STORAGE_LIMITS } from '../stored-files/storage-limits.ts';
import { deleteOldEvents } from './old-events.command.ts';
import { readAllAudit } from './view.queries.ts';

let database: TestDatabase;
let tenant: Tenant;
let address: string;
let admin: Client;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  await database.db.updateTable('member').set({ name: '鈴木 彩' }).execute();
  ({ address } = await serveApp(database));
  admin = clientAt(address, `Bearer ${await tokenOf(tenant.memberId)}`);
});

const tokenOf = (memberId: number): Promise<string> =>
  openSession(database.login, { accountId: tenant.accountId, memberId }, Date.now());

interface Event {
  readonly kind: string;
  readonly detail?: object;
  readonly by?: number | null;
  readonly at?: Date;
}

/** Adds events as a program did that wrote them then. */
async function add(...events: readonly Event[]): Promise<void> {
  for (const { kind, detail = {}, by = tenant.memberId, at = new Date() } of events) {
    await database.db
      .insertInto('audit_event')
      .values({ account_id: tenant.accountId, member_id: by, kind, detail: JSON.stringify(detail), at })
      .execute();
  }
}

interface Page {
  readonly rows: readonly AuditRow[];
  readonly total: number;
  readonly is_more: 0 | 1;
}
async function view(query = '', client = admin): Promise<Page> {
  const answer = await client.get(`/audit/view${query}`);
  expect(answer.status).toBe(200);
  return answer.body as Page;
}
const texts = async (query?: string) => (await view(query)).rows.map(({ text }) => text);
const agoDays = (days: number): Date => new Date(Date.now() - days * 86_400_000);
const dayAgo = (days: number): string => dayOf(agoDays(days).getTime());

test('a send is shown with its time in Japan, its member, and the run as the subject', async () => {
  const ids = await addProspects(
    database.db,
    tenant.accountId,
    [0, 1].map((n) => ({ company_email: `a${n}@a.example` })),
  );
  const body = { test_send_mode: 0, attack_list: attackList(ids), days_from_lastday: 7 };
  const sent = (await admin.post(`/mail/send/${tenant.senderId}`, body)).body as { send_log_id: number };
  const { at } = await database.db.selectFrom('audit_event').select('at').executeTakeFirstOrThrow();
  expect(await view()).toStrictEqual({
    rows: [
      {
        id: expect.any(Number),
        at: formatSecond(at.getTime()),
        member_id: tenant.memberId,
        who: '鈴木 彩',
        text: '2社への送信を始めました',
        subject: { type: 'run', id: sent.send_log_id, name: '件名', is_gone: 0 },
      },
    ],
    total: 1,
    is_more: 0,
  });
});

test('what no member did names who did it, and an unknown kind is shown too', async () => {
  await add(
    { kind: 'restored', detail: { backup_at: '2026-11-28T00:00:00.000Z' }, by: null },
    { kind: 'opt_out', detail: { delivery_id: 1, source: 'link' }, by: null },
    { kind: 'role_changed_by_operator', detail: { member_id: tenant.memberId, from: 'sales', to: 'admin' }, by: null },
    { kind: 'of_a_newer_program', detail: { x: 1 } },
  );
  expect((await view()).rows.map(({ who, text, subject }) => [who, text, subject?.name ?? null])).toStrictEqual([
    ['鈴木 彩', 'この版では表示できない操作です（of_a_newer_program）', null],
    ['サーバーの管理者', '役割を「営業」から「管理者」に変更しました', '鈴木 彩'],
    ['メールの受信者', '配信停止を希望しました（配信停止のページ）', '（削除済み）'],
    ['サーバーの管理者', 'データベースをバックアップから復元しました（バックアップの日時 2026/11/28 09:00）', null],
  ]);
});

test('each type of subject has its name, one query a type, and one that is gone says so', async () => {
  const { db } = database;
  const { accountId, senderId, senderGroupId, memberId } = tenant;
  const [prospect = 0] = await addProspects(db, accountId, [
    { company_name: '株式会社みどり', company_email: 'a@a.example' },
  ]);
  const run = await addDelivery(db, tenant, prospect, { state: 'sent' });
  const delivery = await db.selectFrom('delivery').select('id').executeTakeFirstOrThrow();
  const sender = await db.selectFrom('sender').selectAll().executeTakeFirstOrThrow();
  const one = async (text: string): Promise<number> =>
    (await database.pool.query<{ id: number }>(`${text} RETURNING id`, [accountId])).rows[0]?.id ?? 0;
  const reply = await one(`INSERT INTO reply (account_id, prospect_id, kind) VALUES ($1, ${prospect}, 'reply')`);
  const reservation =
    await one(`INSERT INTO reservation (account_id, sender_id, sender_group_id, send_at, test_send_mode)
    VALUES ($1, ${senderId}, ${senderGroupId}, '2026-12-01T00:00:00Z', false)`);
  const folder = await one(`INSERT INTO mail_template_folder (account_id, name) VALUES ($1, '秋')`);
  const closing = await one(`INSERT INTO closing_day (account_id, first_day, last_day, name)
    VALUES ($1, '2026-12-30', '2026-12-31', '年末')`);
  const condition = await one(`INSERT INTO saved_condition (account_id, name, name_key, where_info)
    VALUES ($1, '東京', '東京', '{}')`);
  const imported = await one(`INSERT INTO import_run (account_id, file_name, rows_read, rows_added, rows_updated,
    rows_refused) VALUES ($1, 'list.csv', 1, 1, 0, 0)`);
  const invitation = await one(`INSERT INTO invitation (account_id, email, role, expires_at)
    VALUES ($1, 'new@example.com', 'sales', now())`);
  await database.pool.query(
    `INSERT INTO lifted_suppression (account_id, id, kind, value, class, source, reason, note, created_at)
     VALUES ($1, 77, 'domain', 'x.example', 'blocked', 'manual', '', '', now())`,
    [accountId],
  );
  await db.updateTable('sender_profile').set({ person_in_charge: '田中 直樹' }).execute();
  await db.updateTable('mail_template').set({ name: '受発注' }).execute();
  const subjects: readonly (readonly [detail: object, shown: string])[] = [
    [{ send_log_id: run, reservation_id: reservation }, `run:${run} 件名`],
    [{ reservation_id: reservation }, `reservation:${reservation} 2026/12/01 09:00の予約`],
    [{ prospect_id: prospect }, `company:${prospect} 株式会社みどり`],
    [{ delivery_id: delivery.id, suppression_ids: [] }, `company:${prospect} 株式会社みどり`],
    [{ reply_id: reply }, `company:${prospect} 株式会社みどり`],
    [{ template_id: sender.template_id, folder_id: null }, `template:${sender.template_id} 受発注`],
    [{ sender_id: senderId }, `sender:${senderId} 田中 直樹`],
    [{ sender_profile_id: sender.profile_id }, `person:${sender.profile_id} 田中 直樹`],
    [{ profile_id: sender.profile_id, on: [] }, `person:${sender.profile_id} 田中 直樹`],
    [{ sender_group_id: senderGroupId }, `group:${senderGroupId} グループ`],
    [{ member_id: memberId }, `member:${memberId} 鈴木 彩`],
    [{ invitation_id: invitation }, `invitation:${invitation} new@example.com`],
    [{ import_run_id: imported, job_id: 5 }, `import:${imported} list.csv`],
    [{ folder_id: folder }, `folder:${folder} 秋`],
    [{ saved_condition_id: condition }, `condition:${condition} 東京`],
    [{ closing_day_id: closing }, `closing_day:${closing} 年末`],
    [{ suppression_id: 77 }, 'suppression:77 @x.example'],
  ];
  const shown = async () =>
    (await view()).rows.map(({ subject }) => subject && `${subject.type}:${subject.id} ${subject.name}`).toReversed();
  await add(...subjects.map(([detail]) => ({ kind: 'company_changed', detail })));
  expect(await shown()).toStrictEqual(subjects.map(([, name]) => name));
  await database.pool.query('DELETE FROM audit_event');
  await add(
    ...subjects.map(([detail]) => ({
      kind: 'company_changed',
      detail: Object.fromEntries(Object.keys(detail).map((name) => [name, 999_999])),
    })),
  );
  const { rows } = await view();
  expect(rows.map(({ subject }) => [subject?.name, subject?.is_gone])).toStrictEqual(
    subjects.map(() => ['（削除済み）', 1]),
  );
});

test('an id of another account gets no name from it', async () => {
  const other = await addTenant(database.db);
  const [theirs] = await addProspects(database.db, other.accountId, [{ company_name: '他社の会社' }]);
  await add({ kind: 'company_changed', detail: { prospect_id: theirs } });
  expect((await view()).rows[0]?.subject).toMatchObject({ name: '（削除済み）', is_gone: 1 });
});

describe('the filters', () => {
  test('find events by member, groups, subject and days of Japan, and combine', async () => {
    const other = await addMember(database.db, tenant.accountId, { name: '佐藤 健' });
    await add(
      { kind: 'company_changed', detail: { prospect_id: 5 } },
      { kind: 'company_changed', detail: { prospect_id: 6 }, by: other },
      { kind: 'run_paused', detail: { send_log_id: 5 }, by: other },
      { kind: 'two_factor_on' },
      { kind: 'member_stopped_by_operator', detail: { member_id: other }, by: null },
    );
    const found = async (query: string) => (await view(query)).total;
    expect(await found('')).toBe(5);
    expect(await texts(`?member=${other}`)).toStrictEqual(['送信を一時停止しました', '会社の内容を変更しました']);
    expect(await texts('?kinds=log_in,sending')).toStrictEqual(['二段階認証を設定しました', '送信を一時停止しました']);
    expect(await texts('?kinds=operator')).toStrictEqual(['利用を停止しました']);
    expect(await texts('?subject=company:5')).toStrictEqual(['会社の内容を変更しました']);
    expect(await found('?subject=run:6')).toBe(0);
    expect(await found(`?subject=company:6&member=${other}&kinds=companies`)).toBe(1);
    expect(await found(`?subject=company:6&member=${tenant.memberId}`)).toBe(0);
  });

  test('begin and end with a day in Japan', async () => {
    const instants = [
      '2026-03-31T14:59:59.999Z',
      '2026-03-31T15:00:00Z',
      '2026-04-01T14:59:59.999Z',
      '2026-04-01T15:00:00Z',
    ];
    await add(...instants.map((at, n) => ({ kind: 'session_ended', detail: { sessions: n }, at: new Date(at) })));
    expect(await texts('?from=2026-04-01&to=2026-04-01')).toStrictEqual([
      '自分のログインを2件終了しました',
      '自分のログインを1件終了しました',
    ]);
    expect((await view('?from=2026-04-01')).total).toBe(3);
    expect((await view('?to=2026-03-31')).total).toBe(1);
  });

  test('without a day reach 366 days back; one day bounds the other', async () => {
    await add(
      { kind: 'two_factor_on', at: agoDays(364) },
      { kind: 'two_factor_off', at: agoDays(367) },
      { kind: 'password_changed', at: agoDays(900) },
    );
    expect(await texts()).toStrictEqual(['二段階認証を設定しました']);
    expect(await texts(`?to=${dayAgo(10)}`)).toStrictEqual([
      '二段階認証を設定しました',
      '自分の二段階認証を解除しました',
    ]);
    expect(await texts(`?from=${dayAgo(900)}`)).toStrictEqual(['自分のパスワードを変更しました']);
  });

  test.each([
    ['from=2026-04-02&to=2026-04-01', 'to', '終了日は、開始日以降の日にしてください'],
    ['from=2016-04-01&to=2026-04-01', 'to', '期間は366日以内にしてください'],
    ['from=2026-01-01&to=2027-01-02', 'to', '期間は366日以内にしてください'],
    ['from=2026-02-30', 'from', '日付は YYYY-MM-DD の形で指定してください'],
    ['from=0001-01-01', 'from', '日付は YYYY-MM-DD の形で指定してください'],
    ['to=9999-12-31', 'to', '日付は YYYY-MM-DD の形で指定してください'],
    ['from=２０２６-01-01', 'from', '日付は YYYY-MM-DD の形で指定してください'],
    ['subject=run:1 OR 1=1', 'subject', '対象は run:1 の形で指定してください'],
    ['subject=constructor:1', 'subject', '対象は run:1 の形で指定してください'],
    ['subject=run:01', 'subject', '対象は run:1 の形で指定してください'],
    ['kinds=log_in,toString', 'kinds', undefined],
    ['kinds=', 'kinds', undefined],
    [`kinds=${'log_in,'.repeat(1000)}`, 'kinds', undefined],
    ['member=0', 'member', undefined],
    ['member=１', 'member', undefined],
    ['pagenate_num=0', 'pagenate_num', undefined],
    ['limit=50', '', undefined],
  ])('bad-inputs: %s is refused at its field', async (query, path, message) => {
    const answer = await admin.get(`/audit/view?${query.replaceAll(' ', '%20')}`);
    expect(answer.status).toBe(400);
    const { details = [] } = answer.body as { details?: { path: string; message: string }[] };
    expect(details[0]?.path.split('.')[0]?.split('[')[0]).toBe(path);
    if (message !== undefined) expect(details[0]?.message).toBe(message);
  });

  test('the longest period, of a leap year, is accepted', async () => {
    expect((await admin.get('/audit/view?from=2028-01-01&to=2028-12-31')).status).toBe(200);
    expect((await admin.get('/audit/view?from=2026-01-01&to=2027-01-01')).status).toBe(200);
  });
});

describe('pages', () => {
  const fill = (events: number) =>
    sql`INSERT INTO audit_event (account_id, member_id, kind, detail, at)
      SELECT ${tenant.accountId}, ${tenant.memberId}, 'session_ended', jsonb_build_object('sessions', n),
        now() - make_interval(secs => n / 2)
      FROM generate_series(1, ${events}::integer) AS n`.execute(database.db);
  const numbers = (page: Page) => page.rows.map(({ text }) => Number(text.replaceAll(/\D/g, '')));

  test('are newest first, events of one instant in the order of their ids, and each is there once', async () => {
    await fill(120);
    const pages = await Promise.all([1, 2, 3, 4].map((page) => view(`?pagenate_num=${page}`)));
    expect(pages.map(({ rows, total }) => [rows.length, total])).toStrictEqual([
      [50, 120],
      [50, 120],
      [20, 120],
      [0, 120],
    ]);
    const all = pages.flatMap(numbers);
    expect(all.toSorted((a, b) => a - b)).toStrictEqual(Array.from({ length: 120 }, (_, n) => n + 1));
    const { rows } = await sql<{ n: number }>`SELECT (detail ->> 'sessions')::integer AS n FROM audit_event
      ORDER BY at DESC, id DESC`.execute(database.db);
    expect(all).toStrictEqual(rows.map(({ n }) => n));
  });

  test('reach the newest 10,000 events, and say that there are more', async () => {
    await fill(MAX_AUDIT_ROWS);
    expect(await view('?pagenate_count=200')).toMatchObject({ total: MAX_AUDIT_ROWS, is_more: 0 });
    await add({ kind: 'two_factor_on', at: agoDays(300) });
    const last = await view('?pagenate_count=200&pagenate_num=50');
    expect(last).toMatchObject({ total: MAX_AUDIT_ROWS, is_more: 1 });
    expect(last.rows).toHaveLength(200);
    for (const page of [51, 1_000_000]) {
      expect(await view(`?pagenate_count=200&pagenate_num=${page}`)).toStrictEqual({
        rows: [],
        total: MAX_AUDIT_ROWS,
        is_more: 1,
      });
    }
    // A filter reaches older ones.
    expect(await texts(`?kinds=log_in&to=${dayAgo(299)}`)).toStrictEqual(['二段階認証を設定しました']);
  });
});

describe('an export of the audit', () => {
  const start = (client: Client, more: object = {}) =>
    client.post('/export', { add_info: { what: 'audit', format: 'csv_utf8', ...more } });

  beforeEach(() => {
    const { db } = database.service;
    const handlers = { export: exportHandler({ db, now: Date.now, limits: NO_STORAGE_LIMITS }) };
    onTestFinished(startJobWorker({ db, log: pino({ level: 'silent' }), handlers, pollMs: 50 }));
  });

  async function fileOf(client: Client, token: string, more: object = {}): Promise<string> {
    const { id } = (await start(client, more)).body as { id: number };
    const job = await eventually(
      async () => (await client.get(`/job/${id}`)).body as Job,
      ({ finished_at }) => finished_at !== null,
    );
    expect(job).toMatchObject({ state: 'done' });
    return (await fetch(`${address}/export/${id}/file`, { headers: { authorization: `Bearer ${token}` } })).text();
  }

  test('has the words of the screen, harmless in a spreadsheet', async () => {
    await database.db.updateTable('member').set({ name: '=cmd|calc' }).execute();
    await add(
      { kind: 'template_folder_renamed', detail: { folder_id: 1, name: '=1+1' }, at: new Date('2026-04-01T00:00:00Z') },
      {
        kind: 'sender_group_added',
        detail: { sender_group_id: tenant.senderGroupId, group_name: '@x' },
        at: new Date('2026-04-01T00:00:01Z'),
      },
      { kind: 'run_paused', detail: { send_log_id: 5 }, at: new Date('2026-05-01T00:00:01Z') },
    );
    await database.db.updateTable('sender_group').set({ group_name: '+81"' }).execute();
    const file = await fileOf(admin, await tokenOf(tenant.memberId), { from: '2026-04-01', to: '2026-04-30' });
    expect(file.split('\r\n')).toStrictEqual([
      '日時,人,操作,対象',
      `2026/04/01 09:00:01,'=cmd|calc,送信者グループ「@x」を追加しました,"'+81"""`,
      `2026/04/01 09:00:00,'=cmd|calc,フォルダの名前を「=1+1」に変更しました,（削除済み）`,
      '',
    ]);
    const { rows } = await view('?from=2026-04-01&to=2026-04-30');
    expect(rows.map(({ text }) => text).every((text) => file.includes(text))).toBe(true);
  });

  test('is refused at the field for a period that does not fit', async () => {
    expect(await start(admin, { from: '2016-01-01', to: '2026-01-01' })).toMatchObject({
      status: 400,
      body: { details: [{ path: 'add_info.to', message: '期間は366日以内にしてください' }] },
    });
  });

  test('of an admin is not cancelled by sales, who do not get its answer by the key either', async () => {
    const token = await tokenOf(await addMember(database.db, tenant.accountId, { role: 'sales' }));
    const sales = clientAt(address, `Bearer ${token}`);
    const body = { add_info: { what: 'audit', format: 'csv_utf8' } };
    const key = { 'idempotency-key': 'k'.repeat(20) };
    expect(await admin.post('/export', body, key)).toMatchObject({ status: 200 });
    expect(await sales.post('/export', body, key)).toMatchObject({ status: 403, body: { code: 'not_allowed' } });
    const running = { state: 'running', claim_no: 1, lease_until: new Date(Date.now() + 60_000) };
    const { id } = await database.db
      .insertInto('job')
      .values({ account_id: tenant.accountId, kind: 'export', input: JSON.stringify(body.add_info), ...running })
      .returning('id')
      .executeTakeFirstOrThrow();
    const cancel = (by: Client) => by.post(`/job/${id}/cancel`, {});
    expect(await cancel(sales)).toMatchObject({ status: 403, body: { code: 'not_allowed' } });
    expect(await cancel(admin)).toMatchObject({ status: 200 });
  });

  test.each(['sales', 'viewer'] as const)('is nothing that a %s starts, sees, gets or deletes', async (role) => {
    const token = await tokenOf(await addMember(database.db, tenant.accountId, { role }));
    const other = clientAt(address, `Bearer ${token}`);
    expect(await start(other)).toMatchObject({ status: 403, body: { code: 'not_allowed' } });
    expect(await other.get('/audit/view')).toMatchObject({ status: 403, body: { code: 'not_allowed' } });
    await add({ kind: 'two_factor_on' });
    await fileOf(admin, await tokenOf(tenant.memberId));
    const [made] = (await admin.get('/export/list')).body as { id: number; what: string }[];
    expect(made).toMatchObject({ what: 'audit' });
    expect((await other.get('/export/list')).body).toStrictEqual([]);
    const file = await fetch(`${address}/export/${made?.id}/file`, { headers: { authorization: `Bearer ${token}` } });
    expect([file.status, (await file.text()).includes('二段階')]).toStrictEqual([403, false]);
    expect(await other.post(`/export/${made?.id}/delete`, {})).toMatchObject({ status: 403 });
    expect(await admin.post(`/export/${made?.id}/delete`, {})).toMatchObject({ status: 200 });
  });

  test('has each event once, also those of one instant, and where some are added while it is read', async () => {
    await sql`INSERT INTO audit_event (account_id, kind, detail, at)
      SELECT ${tenant.accountId}, 'two_factor_on', '{}', '2026-04-01T00:00:00.000001Z'::timestamptz
        + (n / 700) * interval '1 microsecond'
      FROM generate_series(1, 2500) AS n`.execute(database.db);
    const read: number[] = [];
    await readAllAudit(database.account(tenant.accountId), { from: '2026-04-01' }, Date.now(), async (rows, total) => {
      if (read.length === 0) await add({ kind: 'two_factor_on', at: new Date('2026-04-02T00:00:00Z') });
      expect(total).toBe(2500);
      read.push(...rows.map(({ id }) => id));
      return undefined;
    });
    expect([read.length, new Set(read).size]).toStrictEqual([2500, 2500]);
  });
});

describe('events of five years ago', () => {
  const left = async () =>
    (await database.db.selectFrom('audit_event').select('kind').orderBy('id').execute()).map(({ kind }) => kind);
  const fiveYears = 5 * 365.25;

  test('are deleted, at most 1,000 at a time, and nothing younger', async () => {
    await add({ kind: 'younger', at: agoDays(fiveYears - 2) }, { kind: 'demo_created', at: agoDays(3000) });
    await sql`INSERT INTO audit_event (account_id, kind, detail, at)
      SELECT ${tenant.accountId}, 'old', '{}', now() - interval '5 years' - make_interval(hours => n)
      FROM generate_series(1, 1200) AS n`.execute(database.db);
    expect(await deleteOldEvents(database.service.db)).toBeGreaterThan(0);
    expect((await left()).filter((kind) => kind === 'old')).toHaveLength(200);
    expect(await deleteOldEvents(database.service.db)).toBeUndefined();
    expect(await left()).toStrictEqual(['younger', 'demo_created']);
    expect(await deleteOldEvents(database.service.db)).toBeUndefined();
  });

  test('are deleted in all accounts, and stay in one that is frozen', async () => {
    const frozen = await addTenant(database.db);
    await database.pool.query('UPDATE account SET frozen_at = now() WHERE id = $1', [frozen.accountId]);
    await add({ kind: 'old', at: agoDays(fiveYears + 2) });
    await database.pool.query(
      `INSERT INTO audit_event (account_id, kind, at) VALUES ($1, 'frozen', now() - interval '6 years')`,
      [frozen.accountId],
    );
    await deleteOldEvents(database.service.db);
    expect(await left()).toStrictEqual(['frozen']);
  });
});
