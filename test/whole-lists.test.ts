import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { listReservations as listCall } from '#contract/sending/reservations.ts';
import { listReservations } from '#server/features/reservations/reservation-list.queries.ts';
import { ListText } from '#server/platform/http/answers.ts';
import { readQuery } from '#server/platform/http/http-app.ts';
import { openSessionOf } from './accounts.ts';
import { serveApp } from './client.ts';
import { emptyDatabase, type TestDatabase } from './db.ts';
import { addManyProspects, addTenant, completeLegalProfiles, type Tenant } from './prospects.ts';
import { eventually } from './sending.ts';

/** The lists that the specification's client reads without `limit` (decisions/api). */

let database: TestDatabase;
let tenant: Tenant;
let ask: (path: string, init?: { method?: string; body?: object; identity?: true }) => Promise<Response>;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  const { address } = await serveApp(database);
  const authorization = `Bearer ${await openSessionOf(database.login, tenant.accountId, Date.now())}`;
  ask = (path, { method = 'GET', body, identity } = {}) =>
    fetch(address + path, {
      method,
      headers: {
        authorization,
        ...(body && { 'content-type': 'application/json' }),
        ...(identity && { 'accept-encoding': 'identity' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
});

type Row = Record<string, unknown> & { readonly id: number };

async function rowsOf(path: string): Promise<Row[]> {
  const response = await ask(path);
  expect(response.status).toBe(200);
  const rows = (await response.json()) as Row[];
  expect(response.headers.get('link')).toBe(null);
  expect(response.headers.get('x-total-count')).toBe(String(rows.length));
  return rows;
}

async function refusalOf(path: string) {
  const response = await ask(path);
  return { status: response.status, ...((await response.json()) as { code: string; message: string }) };
}

/** Adds this many reservations, an hour apart, of the account's first companies. */
const addReservations = (count: number, targets: number) =>
  sql`
    WITH added AS (
      INSERT INTO reservation (account_id, sender_id, sender_group_id, send_at, test_send_mode, active)
      SELECT ${tenant.accountId}, ${tenant.senderId}, ${tenant.senderGroupId},
        '2030-01-01Z'::timestamptz + n * interval '1 hour', false, false
      FROM generate_series(1, ${count}::integer) AS n RETURNING *
    )
    INSERT INTO reservation_target (account_id, reservation_id, prospect_id, sender_group_id, test_send_mode, pending)
    SELECT added.account_id, added.id, company.id, sender_group_id, false, false
    FROM added, (SELECT id FROM prospect WHERE account_id = ${tenant.accountId} ORDER BY id LIMIT ${targets}) AS company
  `.execute(database.db);

/** Adds this many logs of mail sent elsewhere to the account's first companies. */
const addLogs = (count: number, targets: number) =>
  sql`
    WITH added AS (
      INSERT INTO send_log (account_id, sender_group_id, test_send_mode, days_from_lastday, mail)
      SELECT ${tenant.accountId}, ${tenant.senderGroupId}, false, 7, '{}'
      FROM generate_series(1, ${count}::integer) RETURNING *
    )
    INSERT INTO recorded_contact (account_id, send_log_id, prospect_id)
    SELECT added.account_id, added.id, company.id
    FROM added, (SELECT id FROM prospect WHERE account_id = ${tenant.accountId} ORDER BY id LIMIT ${targets}) AS company
  `.execute(database.db);

const addSettings = (table: 'sender_group' | 'active_prospect') =>
  table === 'sender_group'
    ? sql`INSERT INTO sender_group (account_id, group_name)
        SELECT ${tenant.accountId}, 'グループ' || n FROM generate_series(1, 1200) AS n`.execute(database.db)
    : sql`INSERT INTO active_prospect (account_id, sender_group_id, prospect_id, active, remarks)
        SELECT account_id, ${tenant.senderGroupId}, id, true, '備考' FROM prospect`.execute(database.db);

const addSenders = () =>
  sql`
    WITH template AS (
      INSERT INTO mail_template (account_id, name, subject, text_body, html_body)
      SELECT ${tenant.accountId}, '文面' || n, '件名', '', '' FROM generate_series(1, 1200) AS n RETURNING *
    )
    INSERT INTO sender (account_id, sender_group_id, profile_id, template_id)
    SELECT template.account_id, sender_group_id, profile_id, template.id FROM template, sender
    WHERE sender.id = ${tenant.senderId}`.execute(database.db);

test('§7 a client of the specification lists 9,000 companies, and mails the last', async () => {
  await addManyProspects(database.db, tenant.accountId, 9000);
  await completeLegalProfiles(database.db, tenant.accountId);
  const companies = await rowsOf('/prospect/list?columns[]=id&columns[]=company_name&columns[]=company_email');
  expect(companies).toHaveLength(9000);
  const { id: prospect_id, company_name, company_email } = companies.at(-1) as Row;
  expect(company_name).toBe('会社9000');
  const body = {
    test_send_mode: 0,
    attack_list: JSON.stringify([{ prospect_id, company_name, company_email }]),
    datetime_list: null,
  };
  const sent = await ask(`/mail/send/${tenant.senderId}`, { method: 'POST', body });
  expect(await sent.json()).toMatchObject({ status: 'accepted', accepted: 1 });
});

describe('without `limit` a list is complete, and equals its pages', () => {
  test.each([
    ['/sender_group/list', () => addSettings('sender_group'), 1201],
    ['/sender/list', addSenders, 1201],
    ['/active_prospect/list', () => addSettings('active_prospect'), 1200],
    ['/send_log/list', () => addLogs(1200, 3), 1200],
    ['/reservation/list', () => addReservations(1200, 3), 1200],
    ['/prospect/list', async () => {}, 1200],
  ])('GET %s', async (path, fill, count) => {
    await addManyProspects(database.db, tenant.accountId, 1200);
    await fill();
    const rows = await rowsOf(path);
    expect(rows).toHaveLength(count);
    const pages: unknown[] = [];
    while (pages.length < count) {
      const page = await ask(`${path}?limit=200&offset=${pages.length}`);
      expect(page.headers.get('x-total-count')).toBe(String(count));
      pages.push(...((await page.json()) as unknown[]));
    }
    expect(rows).toStrictEqual(pages);
    const rest = await ask(`${path}?offset=1100`);
    expect(await rest.json()).toStrictEqual(rows.slice(1100));
    expect(rest.headers.get('x-total-count')).toBe(String(count));
    expect(await (await ask(`${path}?offset=${count}`)).json()).toStrictEqual([]);
  });
});

test('more than 10,000 rows are refused with their number and the remedy', async () => {
  await addManyProspects(database.db, tenant.accountId, 10_001);
  await addSettings('active_prospect');
  const refused = {
    status: 422,
    code: 'too_many_rows',
    message:
      '10,001件あり、一度に返せる10,000件を超えています。limit と offset を指定して分けて読むか、GET /prospect/view を使ってください。',
  };
  expect(await refusalOf('/prospect/list')).toStrictEqual(refused);
  expect(await refusalOf('/prospect/list?where_info[id][gte]=1&columns[]=id')).toStrictEqual(refused);
  expect(await refusalOf('/active_prospect/list')).toStrictEqual(refused);
  for (const path of ['/prospect/list?columns[]=id&', '/active_prospect/list?columns[]=prospect_id&']) {
    expect(await (await ask(`${path}offset=1`)).json()).toHaveLength(10_000);
    expect(await (await ask(`${path}limit=1000`)).json()).toHaveLength(1000);
  }
});

test.each([
  ['/send_log', addLogs],
  ['/reservation', addReservations],
])('more than 100,000 targets of %s/list are refused with the number and the remedy', async (room, add) => {
  await addManyProspects(database.db, tenant.accountId, 1000);
  await add(100, 1000);
  const lists = (await rowsOf(`${room}/list?columns[]=attack_list`)) as unknown as { attack_list: unknown[] }[];
  expect(lists.map(({ attack_list }) => attack_list.length)).toStrictEqual(Array.from({ length: 100 }, () => 1000));
  await add(1, 1);
  expect(await refusalOf(`${room}/list`)).toStrictEqual({
    status: 422,
    code: 'too_many_rows',
    message: `101件の attack_list の宛先が、一度に返せる100,000件を超えています。limit と offset を指定して分けて読むか、GET ${room}/view を使ってください。`,
  });
  expect(await rowsOf(`${room}/list?columns[]=id`)).toHaveLength(101);
  expect(await (await ask(`${room}/list?limit=101`)).json()).toHaveLength(101);
});

const COUNTED = ['suppressed', 'replied', 'maybe_refused'];

test.each(COUNTED)('%s checks no more than 100,000 targets of /reservation/list', async (column) => {
  await addManyProspects(database.db, tenant.accountId, 1000);
  await addReservations(101, 1000);
  const path = `/reservation/list?columns[]=id&columns[]=${column}`;
  expect(await refusalOf(path)).toMatchObject({
    status: 422,
    code: 'too_many_rows',
    message: expect.stringContaining(`101件の ${column} の宛先が、一度に返せる100,000件を超えています。`),
  });
  expect(await (await ask(`${path}&limit=2`)).json()).toMatchObject([{ [column]: 0 }, { [column]: 0 }]);
});

test.each(['', '&limit=12'])('the targets that are counted are judged in slices%s', async (limit) => {
  await addManyProspects(database.db, tenant.accountId, 1000);
  await addReservations(12, 1000);
  const { account, snapshots } = counting();
  const columns = COUNTED.map((column) => `columns[]=${column}`).join('&');
  const query = listCall.query.parse(readQuery(`${columns}${limit}`));
  const answer = await listReservations(account, query);
  if (!(answer instanceof ListText) || typeof answer.content === 'string') throw new Error('not in slices');
  await answer.content.toArray();
  expect(snapshots()).toBe(3);
});

/** Returns an account whose snapshots are counted. */
function counting() {
  const account = database.account(tenant.accountId, tenant.memberId);
  let snapshots = 0;
  const counted: typeof account = {
    ...account,
    snapshot(work) {
      snapshots += 1;
      return account.snapshot(work);
    },
  };
  return { account: counted, snapshots: () => snapshots };
}

test('a slow client holds no database connection, and a row deleted meanwhile is left out', async () => {
  await addManyProspects(database.db, tenant.accountId, 9000);
  // The answer is larger than the buffers of two sockets.
  await database.pool.query(`UPDATE prospect SET address = repeat('東', 1000)`);
  const response = await ask('/prospect/list', { identity: true });
  expect(response.headers.get('x-total-count')).toBe('9000');
  await eventually(
    async () => {
      const { rows } = await database.pool.query<{ busy: number }>(`
        SELECT count(*)::integer AS busy FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'`);
      return rows[0]?.busy;
    },
    (busy) => busy === 0,
  );
  const { rows } = await database.pool.query<Row>('DELETE FROM prospect WHERE company_name = $1 RETURNING id', [
    '会社9000',
  ]);
  const companies = (await response.json()) as Row[];
  expect(companies).toHaveLength(8999);
  expect(companies.some(({ id }) => id === rows[0]?.id)).toBe(false);
});

test('reservations moved while their list is read appear once', async () => {
  await addManyProspects(database.db, tenant.accountId, 1);
  await addReservations(1200, 1);
  const account = database.account(tenant.accountId, tenant.memberId);
  let snapshots = 0;
  const moving: typeof account = {
    ...account,
    async snapshot(work) {
      snapshots += 1;
      if (snapshots === 2) {
        await database.pool.query(`
          UPDATE reservation SET send_at = send_at + interval '1 year' WHERE send_at < '2030-01-03Z'`);
        await database.pool.query(`
          UPDATE reservation SET send_at = send_at - interval '1 year'
          WHERE send_at BETWEEN '2030-02-18Z' AND '2030-12-31Z'`);
      }
      return account.snapshot(work);
    },
  };
  const answer = await listReservations(moving, listCall.query.parse({}));
  if (!(answer instanceof ListText) || typeof answer.content === 'string') throw new Error('not in slices');
  const text = (await answer.content.toArray()).join('');
  const ids = (JSON.parse(text) as Row[]).map(({ id }) => id);
  expect(snapshots).toBe(3);
  expect(new Set(ids).size).toBe(1200);
  expect(ids).toHaveLength(1200);
});
