import { sql } from 'kysely';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { viewReservationTargets as targetsCall } from '#contract/sending/reservations-page.ts';
import { MAX_RESERVATION_TARGETS as MOST } from '#domain/limits.ts';
import { accountDbOf } from '#server/platform/database/account-db.ts';
import { Problem } from '#server/platform/problem.ts';
import { clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { TEST_MAILING } from '#test/mailing.ts';
import { openAs } from '#test/open-as.ts';
import { addDelivery, addReservation } from '#test/prospect-history.ts';
import { addManyProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { attackList, NOW, reservationBody, SEND_AT } from '#test/reservations.ts';
import { untilBlocked } from '#test/sending.ts';
import { rewriteStatements } from '#test/statements.ts';
import { startReservation } from './due.command.ts';
import { viewTargets } from './reservation-page.queries.ts';

let database: TestDatabase;
let tenant: Tenant;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
});

const SECOND_AGO = new Date(Date.now() - 1000);

interface Scene {
  readonly sendAt?: Date;
  readonly test?: boolean;
  /** So many companies of the account are left out at first. */
  readonly from?: number;
}

/** Adds a reservation of so many companies of the account, in the order of their ids; by default a due one. */
async function reserveMany(count: number, { sendAt = SECOND_AGO, test = false, from = 0 }: Scene = {}) {
  const id = await addReservation(database.db, tenant, [], { sendAt, test });
  await sql`
    INSERT INTO reservation_target (account_id, reservation_id, prospect_id, sender_group_id, test_send_mode, row_index,
      mail_to)
    SELECT account_id, ${id}, id, ${tenant.senderGroupId}, ${test}, row_number() OVER (ORDER BY id) - 1,
      ${test ? 'test+[n]@example.com' : null}
    FROM (SELECT * FROM prospect WHERE account_id = ${tenant.accountId} ORDER BY id LIMIT ${count} OFFSET ${from}) AS chosen
    `.execute(database.db);
  return id;
}

const start = (id: number) =>
  startReservation(database.service.db, { accountId: tenant.accountId, id }, Date.now(), TEST_MAILING);

describe('a reservation of more companies than a statement has parameters for', () => {
  test.each([4096, 4500])('of %i companies becomes a run, its mails in the order of their addresses', async (count) => {
    await addManyProspects(database.db, tenant.accountId, count, 1, { email: sql`'a' || n * 7919 % 10007 || '@x.jp'` });
    const id = await reserveMany(count);
    expect(await start(id)).toStrictEqual({ sendLogId: expect.any(Number) });
    const { rows } = await sql<{ queued: number; numbers: number; keys: string[] }>`
      SELECT (count(*) FILTER (WHERE state = 'queued' AND not_before <= now()))::int AS queued,
        count(DISTINCT row_index)::int AS numbers, array_agg(address_key ORDER BY id) AS keys
      FROM delivery`.execute(database.db);
    const { keys = [], ...counts } = rows[0] ?? {};
    expect(counts).toStrictEqual({ queued: count, numbers: count });
    expect(keys).toStrictEqual(keys.toSorted());
    const run = await database.db.selectFrom('send_log').select(['targets', 'answer']).executeTakeFirstOrThrow();
    expect(run).toMatchObject({ targets: count, answer: { accepted: count, skipped: [] } });
  });

  test('of a test has a mail for each row', async () => {
    await addManyProspects(database.db, tenant.accountId, 4096);
    await start(await reserveMany(4096, { test: true }));
    const mails = await database.db.selectFrom('delivery').select('mail_to').orderBy('row_index').execute();
    expect(mails.map(({ mail_to }) => mail_to)).toStrictEqual(
      Array.from({ length: 4096 }, (_, n) => `test+${n}@example.com`),
    );
  });

  test('records the companies that others have taken meanwhile behind all that it takes', async () => {
    await addManyProspects(database.db, tenant.accountId, 2500);
    const taken = await database.db.selectFrom('prospect').select(['id', 'company_email']).orderBy('id').execute();
    const id = await reserveMany(2500);
    const mine = [0, 1200, 2400].flatMap((at) => taken[at] ?? []);
    const started = await database.db.transaction().execute(async (other) => {
      for (const one of mine) await addDelivery(other, tenant, one.id, { state: 'queued', mailTo: one.company_email });
      const running = start(id);
      await untilBlocked(database);
      return { running };
    });
    const { sendLogId } = (await started.running) as { sendLogId: number };
    const { rows } = await sql<{ prospect_id: number; reason: string; is_last: boolean }>`
      SELECT prospect_id, reason,
        id > (SELECT max(id) FROM delivery WHERE send_log_id = ${sendLogId} AND state = 'queued') AS is_last
      FROM delivery WHERE send_log_id = ${sendLogId} AND state <> 'queued' ORDER BY prospect_id`.execute(database.db);
    expect(rows).toStrictEqual(
      mine.map(({ id: prospect_id }) => ({ prospect_id, reason: 'open_delivery', is_last: true })),
    );
  });
});

describe('the targets of a large reservation', () => {
  const COUNT = 2500;

  test('are judged as one list, in statements of 1,000 companies', async () => {
    // Each address belongs to two companies, each domain to up to three addresses, of which two get a mail.
    const email = sql`'a' || n % ${COUNT / 2} || '@d' || n % ${COUNT / 2} % 500 || '.jp'`;
    await addManyProspects(database.db, tenant.accountId, COUNT, 0, { email });
    await database.db.insertInto('account_rule').values({ account_id: tenant.accountId, per_domain: 2 }).execute();
    const id = await reserveMany(COUNT, { sendAt: new Date(Date.now() + 86_400_000) });
    const { pool, db, close } = openAs('api', database.url);
    onTestFinished(close);
    let [longest, statements] = [0, 0];
    rewriteStatements(pool, () => ({ text, values = [] }) => {
      longest = Math.max(longest, ...values.map((value) => (Array.isArray(value) ? value.length : 0)));
      statements += 1;
      return text;
    });
    const view = (query: object) =>
      viewTargets(accountDbOf(db)(tenant.accountId, tenant.memberId), id, targetsCall.query.parse(query), Date.now());
    const pages = await Promise.all(
      Array.from({ length: COUNT / 100 }, (_, n) => view({ pagenate_count: '100', pagenate_num: String(n + 1) })),
    );
    const rows = pages.flatMap((page) => (page instanceof Problem ? [] : page.rows));
    expect(rows.map(({ company_name }) => company_name)).toStrictEqual(
      Array.from({ length: COUNT }, (_, n) => `会社${n}`),
    );
    const expected = (n: number) =>
      n % (COUNT / 2) >= 1000 ? 'domain_limit' : n >= COUNT / 2 ? 'duplicate' : 'will_send';
    expect(rows.map(({ state }) => state)).toStrictEqual(Array.from({ length: COUNT }, (_, n) => expected(n)));
    expect([longest, statements > 6]).toStrictEqual([1000, true]);
    const found = await view({ search: '会社249' });
    const names = [249, ...Array.from({ length: 10 }, (_, n) => 2490 + n)];
    expect(found).toMatchObject({ total: 11, rows: names.map((n) => ({ company_name: `会社${n}` })) });
  });
});

describe('a reservation with the most companies', () => {
  const AT = new Date(`${SEND_AT}+09:00`);
  const LATER = '2026/11/24 10:00:00';
  let ids: number[];

  beforeEach(async () => {
    await addManyProspects(database.db, tenant.accountId, MOST + 10);
    const rows = await database.db.selectFrom('prospect').select('id').orderBy('id').execute();
    ids = rows.map(({ id }) => id);
  });

  const client = () => clientOf(database, tenant.accountId, () => NOW);
  const bodyOf = (prospectIds: readonly number[], more: object = {}) =>
    reservationBody({ sender_id: tenant.senderId, attack_list: attackList(prospectIds), ...more });
  const targetsOf = async (reservation: number) =>
    (
      await database.db
        .selectFrom('reservation_target')
        .select('row_index')
        .where('reservation_id', '=', reservation)
        .execute()
    ).length;
  const versionOf = async (id: number) =>
    (await database.db.selectFrom('reservation').select('version').where('id', '=', id).executeTakeFirstOrThrow())
      .version;
  const full = (has: number, asked: number) => ({
    status: 409,
    body: {
      code: 'reservation_full',
      message: expect.stringMatching(
        /すでに[\d,]+社が入っています。.*10,000社までのため、\d+社を加えられません。ほかの日時/,
      ),
      details: [
        { path: 'has', message: String(has) },
        { path: 'asked', message: String(asked) },
        { path: 'most', message: String(MOST) },
      ],
    },
  });

  test('takes no more: the request is refused whole, what it has already is not counted', async () => {
    const { post } = await client();
    const id = await reserveMany(MOST - 2, { sendAt: AT });
    expect(await post('/reservation', bodyOf(ids.slice(MOST - 4, MOST + 1)))).toMatchObject(full(MOST - 2, 3));
    expect([await targetsOf(id), await versionOf(id)]).toStrictEqual([MOST - 2, 1]);
    expect(await post('/reservation', bodyOf(ids.slice(MOST - 4, MOST)))).toMatchObject({
      body: { status: 'updated' },
    });
    expect(await targetsOf(id)).toBe(MOST);
    expect(await post('/reservation', bodyOf(ids.slice(0, 4)))).toMatchObject({ body: { status: 'no-added' } });
    expect(await post('/reservation', bodyOf(ids.slice(MOST), { send_at: LATER }))).toMatchObject({
      body: { status: 'added' },
    });
  });

  test('of four requests at once lets in the one that fits', async () => {
    const { post } = await client();
    const id = await reserveMany(MOST - 3, { sendAt: AT });
    const answers = await Promise.all(
      [0, 1, 2, 3].map((n) => post('/reservation', bodyOf(ids.slice(MOST + 2 * n - 3, MOST + 2 * n - 1)))),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const answer of answers) if (answer.status !== 200) expect(answer).toMatchObject(full(MOST - 1, 2));
    expect(await targetsOf(id)).toBe(MOST - 1);
  });

  test('of tests counts a company of both once', async () => {
    const { post } = await client();
    const id = await reserveMany(MOST - 1, { sendAt: AT, test: true });
    const wanted = (from: number, to: number) => ({
      ...bodyOf([], {
        attack_list: attackList(ids.slice(from, to), 'test@example.com'),
        test_send_mode: 1,
      }),
    });
    expect(await post('/reservation', wanted(MOST - 3, MOST + 1))).toMatchObject(full(MOST - 1, 2));
    expect(await post('/reservation', wanted(MOST - 3, MOST))).toMatchObject({ body: { status: 'updated' } });
    expect(await targetsOf(id)).toBe(MOST);
  });

  test('is not merged with more, whether a merge is asked for or offered', async () => {
    const { put } = await client();
    const into = await reserveMany(MOST - 1, { sendAt: AT });
    const id = await reserveMany(3, { sendAt: new Date(`${LATER}+09:00`), from: MOST });
    const change = (more: object, update_info: object = {}) =>
      put(`/reservation/${id}`, { version: 1, update_info: { send_at: SEND_AT, ...update_info }, ...more });
    expect(await change({})).toMatchObject(full(MOST - 1, 3));
    expect(await change({ merge: 1 })).toMatchObject(full(MOST - 1, 3));
    expect([await targetsOf(id), await targetsOf(into), await versionOf(into)]).toStrictEqual([3, MOST - 1, 1]);
    const fewer = { remove_prospect_ids: ids.slice(MOST, MOST + 2) };
    expect(await change({}, fewer)).toMatchObject({ body: { code: 'reservation_at_that_time' } });
    expect(await change({ merge: 1 }, fewer)).toMatchObject({ body: { status: 'updated', id: into } });
    expect(await targetsOf(into)).toBe(MOST);
  });

  test('or more from before still starts, moves and changes its dates', async () => {
    const { post, put } = await client();
    const id = await reserveMany(MOST + 5, { sendAt: AT });
    expect(await post('/reservation', bodyOf(ids.slice(MOST + 4, MOST + 6)))).toMatchObject(full(MOST + 5, 1));
    const datetime_list = [{ date: '2026-12-02', start_time: '9:00', end_time: '18:00' }];
    expect(await post('/reservation', bodyOf(ids.slice(0, 1), { datetime_list }))).toMatchObject({
      body: { status: 'updated' },
    });
    const moved = await put(`/reservation/${id}`, { version: 2, update_info: { send_at: LATER } });
    expect(moved).toMatchObject({ status: 200, body: { version: 3 } });
    await database.db.updateTable('reservation').set({ send_at: SECOND_AGO }).execute();
    await start(id);
    expect(await database.db.selectFrom('send_log').select('targets').execute()).toStrictEqual([{ targets: MOST + 5 }]);
  });
});
