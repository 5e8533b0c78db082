import { Readable } from 'node:stream';
import { sql } from 'kysely';
import { pino } from 'pino';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Job } from '#contract/account/jobs.ts';
import { API_BASE, type CallAnswer } from '#contract/call.ts';
import type { viewPersonalData } from '#contract/companies/personal-data.ts';
import { openSessionOf } from '#test/accounts.ts';
import { type Client, clientAt, serveApp } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { importerOf } from '#test/imports.ts';
import { TEST_MAILING } from '#test/mailing.ts';
import { addReservation } from '#test/prospect-history.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { attackList } from '#test/reservations.ts';
import { claimMails, eventually, finishDeliveries, markSending, unbalancedRuns, untilBlocked } from '#test/sending.ts';
import { sweepLostClaims } from '../delivery/results/sweep.queries.ts';
import { exportHandler } from '../exports/export-job.ts';
import { importProspects } from '../imports/merge/import.command.ts';
import { lockImports } from '../imports/merge/import-run.queries.ts';
import { startJobWorker } from '../jobs/job-worker.ts';
import { startReservation } from '../reservations/due.command.ts';
import { NO_STORAGE_LIMITS } from '../stored-files/storage-limits.ts';
import { addSuppressions } from '../suppressions/write-suppressions.queries.ts';

/** Disclosure and erasure, with a person that is in a run, a reservation and an export (lawful.md §1.4, §10.7). */

let database: TestDatabase;
let tenant: Tenant;
let site: string;
let client: Client;
let person: number;
let other: number;

const EMAIL = 'Hanako@midori.example.jp';
const KEY = EMAIL.toLowerCase();
/** Texts of the person that must be nowhere in the database after the erasure. */
const SECRETS = ['hanako', '緑川', 'みどり工房', '大田区', '展示会で', '03-9999', '取り込んだ備考'];

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  const { address } = await serveApp(database);
  site = address.replace(API_BASE, '');
  client = clientAt(address, `Bearer ${await openSessionOf(database.login, tenant.accountId, Date.now())}`);
  [person = 0, other = 0] = await addProspects(database.db, tenant.accountId, [
    {
      company_name: 'みどり工房',
      company_email: EMAIL,
      ceo: '緑川 花子',
      address: '東京都大田区1-2',
      phone: '03-9999-0001',
      published_at_url: 'https://midori.example.jp/hanako',
    },
    { company_name: '乙社', company_email: 'info@other.example.jp' },
  ]);
  const { accountId: account_id, senderGroupId: sender_group_id } = tenant;
  await database.db
    .insertInto('active_prospect')
    .values({ account_id, sender_group_id, prospect_id: person, remarks: '展示会で名刺交換' })
    .execute();
  await database.db
    .insertInto('prospect_change')
    .values({
      account_id,
      prospect_id: person,
      kind: 'edited',
      changes: JSON.stringify({ ceo: ['緑川 太郎', '緑川 花子'] }),
    })
    .execute();
});

type Shown = CallAnswer<typeof viewPersonalData>;
const view = async (email = EMAIL) => (await client.post('/personal_data/view', { email })).body as Shown;
const erase = (more: object = {}) => client.post('/personal_data/erase', { email: EMAIL, ...more });
const send = (ids: readonly number[]) =>
  client.post(`/mail/send/${tenant.senderId}`, {
    test_send_mode: 0,
    attack_list: attackList(ids),
    days_from_lastday: 7,
  });
const importText = (text: string) =>
  importProspects(database.service, { accountId: tenant.accountId, file: Readable.from(text), fileName: 'list.csv' });
const mails = () => database.db.selectFrom('delivery').selectAll().orderBy('id').execute();

/** Makes an export of the whole list. @returns its id */
async function exportList(): Promise<number> {
  const { db } = database.service;
  const handlers = { export: exportHandler({ db, now: Date.now, limits: NO_STORAGE_LIMITS }) };
  onTestFinished(startJobWorker({ db, log: pino({ level: 'silent' }), handlers, pollMs: 50 }));
  const add_info = { what: 'prospects', format: 'csv_utf8', sender_group_id: tenant.senderGroupId };
  const { id } = (await client.post('/export', { add_info })).body as { id: number };
  await eventually(
    async () => (await client.get(`/job/${id}`)).body as Job,
    ({ finished_at }) => finished_at !== null,
  );
  return id;
}

/** Returns which of the person's texts any row of any table holds. */
async function leftSecrets(): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`.execute(
    database.db,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    for (const secret of SECRETS) {
      const { rows } = await sql`
        SELECT FROM ${sql.table(name)} AS t WHERE t::text ILIKE ${`%${secret}%`} LIMIT 1`.execute(database.db);
      if (rows.length > 0) found.push(`${name}: ${secret}`);
    }
  }
  const { rows } = await sql`
    SELECT FROM stored_file_piece WHERE position(convert_to('緑川', 'UTF8') IN content) > 0`.execute(database.db);
  return rows.length > 0 ? [...found, 'stored_file_piece'] : found;
}

/** Sends the person's mail and records its result. */
async function sendToPerson(): Promise<void> {
  await send([person]);
  const claims = await claimMails(database);
  await markSending(database.service.db, claims);
  const outcome = { kind: 'sent', reply: `250 queued for ${KEY}` } as const;
  await finishDeliveries(
    database.service.db,
    claims.map((claim) => ({ claim, outcome })),
  );
}

/** Stores a bounce of the person's mail, and two answers: one from the person, one from a colleague. */
async function addAnswers(delivery_id: number, send_log_id: number): Promise<void> {
  const { accountId: account_id } = tenant;
  const message_hash = Buffer.from('1');
  await database.db
    .insertInto('bounce')
    .values({
      account_id,
      delivery_id,
      send_log_id,
      class: 'soft',
      reply: `552 ${KEY} is full`,
      is_forwarded: false,
      message_hashes: [message_hash],
    })
    .execute();
  const answer = { account_id, kind: 'reply', subject: 'みどり工房', excerpt: '緑川です' };
  await database.db
    .insertInto('reply')
    .values([
      { ...answer, prospect_id: other, from_address: KEY },
      { ...answer, prospect_id: person, delivery_id, from_address: 'taro@midori.example.jp' },
    ])
    .execute();
}

const keyOf = async () => ((await mails())[0]?.mail_key ?? '').replaceAll('-', '');
const page = async (init: RequestInit = {}) => {
  const response = await fetch(`${site}/u/${await keyOf()}`, init);
  return { status: response.status, text: await response.text() };
};

describe('what is stored about an address', () => {
  test('is shown: the company with remarks and changes, its mails, suppressions and files', async () => {
    await sendToPerson();
    await exportList();
    await database.account(tenant.accountId).transaction((tx) =>
      addSuppressions(tx, {
        accountId: tenant.accountId,
        values: [{ kind: 'address', value: KEY }],
        class: 'blocked',
        source: 'manual',
        memberId: tenant.memberId,
        note: '電話',
      }),
    );
    expect(await view(` ${EMAIL.toUpperCase()} `)).toMatchObject({
      companies: [
        { id: person, company_email: EMAIL, ceo: '緑川 花子', archived: 0, remarks: [{ remarks: '展示会で名刺交換' }] },
      ],
      changes: [{ prospect_id: person, field: 'ceo', old: '緑川 太郎', new: '緑川 花子' }],
      mails: [
        { mail_to: EMAIL, person_in_charge: '緑川 花子', state: 'sent', from: 'sender@example.com', test_send_mode: 0 },
      ],
      suppressions: [{ kind: 'address', class: 'blocked', note: '電話', lifted_at: null }],
      files: 1,
      erased: 0,
    });
    const audit = database.db.selectFrom('audit_event').select(['kind', 'detail']).orderBy('id', 'desc').limit(1);
    expect(await audit.execute()).toStrictEqual([{ kind: 'personal_data_shown', detail: { companies: 1, mails: 1 } }]);
  });

  test('is shown: telephone numbers and remarks of lists, also those from before', async () => {
    const by = await importerOf(database, tenant);
    await client.put(`/prospect/${person}`, {
      version: ((await client.get(`/prospect/${person}`)).body as { version: string }).version,
      update_info: { corporate_number: '7000012050002' },
    });
    const list = '会社名,法人番号,電話番号,備考\nみどり工房,7000012050002,03-9999-0002,取り込んだ備考\n';
    await by.importText(list, { sender_group_id: tenant.senderGroupId });
    expect(await view()).toMatchObject({
      companies: [{ id: person, phone: '03-9999-0002', remarks: [{ remarks: '取り込んだ備考' }] }],
      changes: [
        { field: 'remarks', old: '展示会で名刺交換', new: '取り込んだ備考' },
        { field: 'phone', old: '03-9999-0001', new: '03-9999-0002' },
        { field: 'corporate_number' },
        { field: 'ceo' },
      ],
    });
    await erase();
    expect(await leftSecrets()).toStrictEqual([]);
  });

  test('is shown: what came back of the mails, from whomever', async () => {
    await sendToPerson();
    const [mail] = await mails();
    await addAnswers(mail?.id ?? 0, mail?.send_log_id ?? 0);
    const answer = { at: expect.any(String), kind: 'reply', subject: 'みどり工房', excerpt: '緑川です' };
    expect(await view()).toMatchObject({
      bounces: [{ delivery_id: mail?.id, at: expect.any(String), class: 'soft', reply: `552 ${KEY} is full` }],
      replies: [
        { ...answer, prospect_id: person, from: 'taro@midori.example.jp' },
        { ...answer, prospect_id: other, from: KEY },
      ],
    });
    await erase();
    expect(await view()).toMatchObject({ bounces: [], replies: [] });
  });

  test('is shown: invitations that were not accepted, which the erasure deletes', async () => {
    const { accountId: account_id, memberId: invited_by } = tenant;
    const invitation = { account_id, role: 'sales', invited_by, expires_at: new Date() };
    const accepted_at = new Date();
    await database.db
      .insertInto('invitation')
      .values([
        { ...invitation, email: EMAIL },
        { ...invitation, email: EMAIL, cancelled_at: new Date() },
        { ...invitation, email: 'member@example.jp', accepted_at },
      ])
      .execute();
    const shown = { created_at: expect.any(String), invited_by: '利用者' };
    expect(await view()).toMatchObject({ invitations: [shown, shown] });
    await erase();
    expect(await leftSecrets()).toStrictEqual([]);
    expect(await view('member@example.jp')).toMatchObject({ invitations: [] });
    await client.post('/personal_data/erase', { email: 'member@example.jp' });
    expect(await database.db.selectFrom('invitation').select('email').execute()).toHaveLength(1);
  });

  test('is nothing for an address that nobody has; a broken one is refused at its field', async () => {
    expect(await view('nobody@example.jp')).toStrictEqual({
      companies: [],
      people: [],
      changes: [],
      mails: [],
      bounces: [],
      replies: [],
      suppressions: [],
      invitations: [],
      files: 0,
      erased: 0,
    });
    expect(await client.post('/personal_data/view', { email: 'x' })).toMatchObject({
      status: 400,
      body: { details: [{ path: 'email' }] },
    });
  });
});

describe('the erasure of a person', () => {
  test('leaves no text of theirs in any table, and the counts and times of the run', async () => {
    await sendToPerson();
    await exportList();
    const [before] = await mails();
    await addAnswers(before?.id ?? 0, before?.send_log_id ?? 0);
    expect(await leftSecrets()).not.toStrictEqual([]);
    expect(await erase()).toMatchObject({
      status: 200,
      body: { status: 'erased', companies: 1, people: 0, companies_kept: 0, mails: 1, cancelled: 0, files: 1 },
    });
    expect(await leftSecrets()).toStrictEqual([]);
    const [after] = await mails();
    expect(after).toMatchObject({ state: 'sent', mail_to: null, company_name: '', finished_at: before?.finished_at });
    const shown = await client.get(`/send_log/${after?.send_log_id}/deliveries`);
    expect(shown.body).toMatchObject({ rows: [{ company_name: '（消去済み）', mail_to: null }] });
    expect(await unbalancedRuns(database.db)).toStrictEqual([]);
    expect(await view()).toMatchObject({ companies: [], mails: [], suppressions: [], erased: 1 });
  });

  test('archives the company, and leaves the others alone', async () => {
    await erase();
    expect((await client.get(`/prospect/${person}`)).body).toMatchObject({
      company_name: '（消去済み）',
      company_email: null,
      archived: 1,
    });
    const { body } = await client.get(`/prospect/view?sender_group_id=${tenant.senderGroupId}`);
    expect(body).toMatchObject({ total: 1, rows: [{ id: other, company_name: '乙社' }] });
    expect((await client.get(`/prospect/${person}/timeline`)).status).toBe(200);
    const history = database.db.selectFrom('prospect_change').select(['kind', 'member_id', 'changes']).orderBy('id');
    expect(await history.execute()).toMatchObject([
      { kind: 'edited', changes: {} },
      { kind: 'archived', member_id: tenant.memberId },
    ]);
  });

  test('cancels a mail that waits or that a worker holds', async () => {
    await send([person, other]);
    await sql`UPDATE delivery SET merge_values = '{"custom": {"rank": "A"}}'`.execute(database.db);
    const claims = await claimMails(database);
    expect((await erase()).body).toMatchObject({ mails: 1, cancelled: 1 });
    expect(await markSending(database.service.db, claims)).toStrictEqual(
      claims.map(({ prospectId }) => prospectId === other),
    );
    expect((await mails()).find(({ prospect_id }) => prospect_id === person)).toMatchObject({
      state: 'cancelled',
      reason: 'archived',
      mail_to: null,
      person_in_charge: '',
      merge_values: null,
    });
    expect((await mails()).find(({ prospect_id }) => prospect_id === other)?.merge_values).not.toBeNull();
    expect(await unbalancedRuns(database.db)).toStrictEqual([]);
  });

  test('takes the address of a mail with an unknown result; its late result suppresses nobody', async () => {
    await send([person]);
    const claims = await claimMails(database);
    await markSending(database.service.db, claims);
    await database.db
      .updateTable('delivery')
      .set({ lease_until: new Date(0) })
      .execute();
    await sweepLostClaims(database.service.db);
    await erase({ record_refusal: 0 });
    const outcome = { kind: 'failed', reply: `550 5.1.1 <${KEY}> no such user`, badAddress: true } as const;
    await finishDeliveries(
      database.service.db,
      claims.map((claim) => ({ claim, outcome })),
    );
    expect(await mails()).toMatchObject([{ state: 'failed', mail_to: null, smtp_reply: null }]);
    expect(await database.db.selectFrom('suppression').selectAll().execute()).toStrictEqual([]);
  });

  test('is refused while a worker holds a mail of another company to the address', async () => {
    await send([other]);
    await claimMails(database);
    await database.db.updateTable('delivery').set({ mail_to: EMAIL }).execute();
    expect(await erase()).toMatchObject({ status: 409, body: { code: 'mail_underway' } });
    expect(await leftSecrets()).not.toStrictEqual([]);
  });

  test('deletes no file for an address that nobody has', async () => {
    await exportList();
    expect((await erase({ email: 'nobody@example.jp' })).body).toMatchObject({ companies: 0, files: 0 });
    expect(await database.db.selectFrom('stored_file').select('id').execute()).toHaveLength(1);
  });

  test('cancels an export that waits', async () => {
    const add_info = { what: 'prospects', format: 'csv_utf8', sender_group_id: tenant.senderGroupId };
    const { id } = (await client.post('/export', { add_info })).body as { id: number };
    await erase();
    expect((await client.get(`/job/${id}`)).body).toMatchObject({ state: 'cancelled' });
  });

  test('is refused while a mail to it is being sent, and changes nothing then', async () => {
    await send([person]);
    await markSending(database.service.db, await claimMails(database));
    expect(await erase()).toMatchObject({ status: 409, body: { code: 'mail_underway' } });
    expect((await client.get(`/prospect/${person}`)).body).toMatchObject({ ceo: '緑川 花子', archived: 0 });
  });

  test('of a reserved company: the reservation leaves it out', async () => {
    const id = await addReservation(database.db, tenant, [person, other], { sendAt: new Date(Date.now() - 1000) });
    await erase();
    await startReservation(database.service.db, { accountId: tenant.accountId, id }, Date.now(), TEST_MAILING);
    expect((await mails()).map(({ prospect_id, state, reason }) => [prospect_id, state, reason])).toStrictEqual([
      [person, 'cancelled', 'archived'],
      [other, 'queued', null],
    ]);
    expect(await leftSecrets()).toStrictEqual([]);
  });

  test('takes the address out of reserved tests', async () => {
    const id = await addReservation(database.db, tenant, [other], { sendAt: new Date(), test: true });
    await database.db
      .updateTable('reservation_target')
      .set({ mail_to: EMAIL })
      .where('reservation_id', '=', id)
      .execute();
    await erase();
    expect(await leftSecrets()).toStrictEqual([]);
  });

  test.each([
    [{ company_email: 'HANAKO@midori.example.jp' }, true],
    [{ company_email: '東京,ｈａｎａｋｏ@' }, true],
    [{ search: '<hanako@midori.example.jp>' }, true],
    [{ search: 'みどり工房' }, true],
    [{ custom: { event: '東京,ｈａｎａｋｏ@' } }, true],
    [{ custom: { event: '大阪、みどり工房' } }, true],
    [{ custom: { event: 'みどり', budget: { from: '1' } } }, false],
    [{ company_email: '@midori.example.jp', search: 'みどり', address: '東京' }, false],
  ])('takes the filter %j out of all that stores one: %s', async (filter, isTheirs) => {
    const { accountId: account_id, senderGroupId: sender_group_id } = tenant;
    const list_conditions = JSON.stringify(filter);
    await send([other]);
    await database.db.updateTable('send_log').set({ list_conditions }).execute();
    await addReservation(database.db, tenant, [other], { sendAt: new Date() });
    await database.db.updateTable('reservation').set({ list_conditions }).execute();
    const input = JSON.stringify({ what: 'prospects', format: 'csv_utf8', sender_group_id, ...filter });
    await database.db.insertInto('job').values({ account_id, kind: 'export', state: 'done', input }).execute();
    const saved = { account_id, name: 'a', name_key: 'a', where_info: list_conditions };
    await database.db.insertInto('saved_condition').values(saved).execute();
    expect((await erase()).status).toBe(200);
    const left = await sql`
      SELECT list_conditions AS filter FROM send_log
      UNION ALL SELECT list_conditions FROM reservation
      UNION ALL SELECT input - ARRAY['what', 'format', 'sender_group_id'] FROM job
      UNION ALL SELECT where_info FROM saved_condition`.execute(database.db);
    const expected = isTheirs ? [null, null, {}] : [filter, filter, filter, filter];
    expect(left.rows).toStrictEqual(expected.map((value) => ({ filter: value })));
  });

  test('of an address that a company had before: its mails lose it, those that wait go to the new one', async () => {
    await sendToPerson();
    await send([other]);
    await database.db
      .updateTable('prospect')
      .set({ company_email: 'new@midori.example.jp', email_search: 'new@midori.example.jp' })
      .where('id', '=', person)
      .execute();
    await database.db.updateTable('delivery').set({ mail_to: EMAIL }).where('prospect_id', '=', other).execute();
    const moves = { company_email: [EMAIL, 'new@midori.example.jp'], capital: [null, 1] };
    await database.db
      .insertInto('prospect_change')
      .values({ account_id: tenant.accountId, prospect_id: person, kind: 'edited', changes: JSON.stringify(moves) })
      .execute();
    expect((await erase()).body).toMatchObject({ companies: 0, mails: 2, cancelled: 0 });
    expect((await mails()).map(({ mail_to }) => mail_to)).toStrictEqual([null, 'info@other.example.jp']);
    expect((await claimMails(database)).map(({ mailTo }) => mailTo)).toStrictEqual(['info@other.example.jp']);
    const history = database.db.selectFrom('prospect_change').select('changes').orderBy('id', 'desc').limit(1);
    expect(await history.execute()).toStrictEqual([{ changes: { capital: [null, 1] } }]);
  });
});

/** Runs `race` while an uncommitted row makes the next insert with the same key wait. */
async function whileBlocked(insert: string, values: unknown[], race: () => Promise<void>): Promise<void> {
  const blocker = await database.service.pool.connect();
  try {
    await blocker.query('BEGIN');
    await blocker.query(insert, values);
    await race();
    await blocker.query('ROLLBACK');
  } finally {
    blocker.release();
  }
}

describe('an erasure waits', () => {
  test('for a run that is being accepted, and takes the names out of it', async () => {
    const throttle =
      'INSERT INTO sender_throttle (account_id, profile_id) SELECT account_id, profile_id FROM sender WHERE id = $1';
    let sent: ReturnType<typeof send> | undefined;
    let erased: ReturnType<typeof erase> | undefined;
    await whileBlocked(throttle, [tenant.senderId], async () => {
      sent = send([person]);
      await untilBlocked(database);
      erased = erase();
      await untilBlocked(database, 2);
    });
    expect([await sent, await erased]).toMatchObject([
      { status: 200, body: { accepted: 1 } },
      { status: 200, body: { mails: 1, cancelled: 1 } },
    ]);
    expect(await leftSecrets()).toStrictEqual([]);
  });

  test('for a company that is being added with the address, and erases it too', async () => {
    const industry = 'INSERT INTO industry (account_id, name_search) VALUES ($1, $2)';
    await client.post('/suppression', { add_info: { values: [EMAIL], class: 'refused', note: '' } });
    let added: ReturnType<typeof client.post> | undefined;
    let erased: ReturnType<typeof erase> | undefined;
    await whileBlocked(industry, [tenant.accountId, '製造'], async () => {
      const add_info = { company_name: '丙社', company_email: EMAIL, major_industry_type: '製造' };
      added = client.post('/prospect', { add_info });
      await untilBlocked(database);
      erased = erase();
      await untilBlocked(database, 2);
    });
    expect([await added, await erased]).toMatchObject([{ status: 200 }, { status: 200, body: { companies: 2 } }]);
    expect(await leftSecrets()).toStrictEqual([]);
  });
});

test('during an import nothing is erased: its companies cannot be seen yet', async () => {
  const importer = await database.service.pool.connect();
  try {
    await importer.query('BEGIN');
    await lockImports(importer, tenant.accountId);
    expect(await erase()).toMatchObject({ status: 409, body: { code: 'import_running' } });
    await importer.query('ROLLBACK');
  } finally {
    importer.release();
  }
  expect(await erase()).toMatchObject({ status: 200 });
});

test('an import that changed an erased person is undone for the others', async () => {
  const by = await importerOf(database, tenant);
  const HEADING = '会社名,住所,代表メール,代表者,備考';
  await by.importText(`${HEADING}\nみどり工房,東京都大田区9-9,${EMAIL},緑川 三郎,\n丙社,,c@c.example.jp,丙川,\n`);
  const id = await by.importText(
    `${HEADING}\nみどり工房,東京都大田区9-9,,緑川 次郎,取り込んだ備考\n丙社,,,丙山,備考\n`,
    { sender_group_id: tenant.senderGroupId },
  );
  await erase();
  expect(await by.job(`/import/${id}/undo`)).toMatchObject({ state: 'done' });
  const rows = await database.db.selectFrom('prospect').select(['company_name', 'ceo']).orderBy('id').execute();
  expect(rows).toStrictEqual([
    { company_name: '（消去済み）', ceo: null },
    { company_name: '乙社', ceo: null },
    { company_name: '（消去済み）', ceo: null },
    { company_name: '丙社', ceo: '丙川' },
  ]);
  expect(await leftSecrets()).toStrictEqual([]);
});

describe('the refusal of an erased person', () => {
  const suppressions = () =>
    database.db.selectFrom('suppression').select(['kind', 'value', 'class', 'source']).execute();
  const hashes = () => database.db.selectFrom('suppression_hash').select(['class', 'source']).execute();
  const REFUSED = { kind: 'address', value: KEY, class: 'refused', source: 'erased' };

  test.each([
    ['an import', () => importText(`会社名,代表メール\n丙社,${EMAIL}\n`)],
    ['the form', () => client.post('/prospect', { add_info: { company_name: '丙社', company_email: EMAIL } })],
    [
      'an edit',
      async () => {
        const { version } = (await client.get(`/prospect/${other}`)).body as { version: string };
        await client.put(`/prospect/${other}`, { version, update_info: { company_email: EMAIL } });
      },
    ],
  ])('comes back with the address, by %s: nothing is mailed', async (_, comeIn) => {
    await erase();
    expect([await suppressions(), await hashes()]).toStrictEqual([[], [{ class: 'refused', source: 'erased' }]]);
    await comeIn();
    expect([await suppressions(), await hashes()]).toStrictEqual([[REFUSED], []]);
    const { id } = await database.db
      .selectFrom('prospect')
      .select('id')
      .where('email_search', '=', KEY)
      .executeTakeFirstOrThrow();
    expect((await send([id])).body).toMatchObject({ skipped: [{ prospect_id: id, reason: 'suppressed' }] });
  });

  test('is that of before: the classes stay, and none is added where none is wanted', async () => {
    await database.db
      .insertInto('suppression')
      .values({ account_id: tenant.accountId, kind: 'address', value: KEY, class: 'undeliverable', source: 'smtp' })
      .execute();
    await erase({ record_refusal: 0 });
    expect([await suppressions(), await hashes()]).toStrictEqual([[], [{ class: 'undeliverable', source: 'smtp' }]]);
  });

  test('is of one account: the same address has another hash in another', async () => {
    const second = await addTenant(database.db);
    await erase();
    await addProspects(database.db, second.accountId, [{ company_email: EMAIL }]);
    expect(await suppressions()).toStrictEqual([]);
    const { rows } = await sql<{ same: boolean }>`
      SELECT address_hash(${tenant.accountId}, 'a@b.jp') = address_hash(${second.accountId}, 'a@b.jp') AS same`.execute(
      database.db,
    );
    expect(rows).toStrictEqual([{ same: false }]);
  });

  test('lawful 17: the key of an old mail answers 200, and its page says that it is refused', async () => {
    await sendToPerson();
    await erase();
    for (const method of ['GET', 'POST']) {
      const { status, text } = await page({ method });
      expect([status, text]).toStrictEqual([200, expect.stringMatching(/配信停止は.*に受け付け済みです/)]);
    }
  });

  test('lawful 17: without a refusal the key still places one, which holds when the address comes in', async () => {
    await sendToPerson();
    await erase({ record_refusal: 0 });
    expect((await page()).text).toContain('ご案内メールを停止します');
    expect(await hashes()).toStrictEqual([]);
    expect((await page({ method: 'POST' })).text).toContain('配信停止を受け付けました');
    expect(await hashes()).toStrictEqual([{ class: 'refused', source: 'one_click' }]);
    await importText(`会社名,代表メール\n丙社,${EMAIL}\n`);
    expect(await suppressions()).toStrictEqual([{ ...REFUSED, source: 'one_click' }]);
    expect((await page()).text).toContain('受け付け済みです');
  });

  test('lawful 17: a refusal by the key of an old mail stops a company that has the address again', async () => {
    await sendToPerson();
    await erase({ record_refusal: 0 });
    const [again = 0] = await addProspects(database.db, tenant.accountId, [{ company_email: EMAIL }]);
    await send([again]);
    await page({ method: 'POST' });
    expect(await suppressions()).toMatchObject([{ value: KEY, class: 'refused' }]);
    expect((await mails()).find(({ prospect_id }) => prospect_id === again)).toMatchObject({
      state: 'cancelled',
      reason: 'suppressed',
    });
    // A hash beside it would bring it back after somebody lifted it.
    expect(await hashes()).toStrictEqual([]);
  });
});
