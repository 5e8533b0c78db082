import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { timeInSentence } from '#domain/time/shown-time.ts';
import { addMember } from '#test/accounts.ts';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addTestMailbox } from '#test/mailboxes.ts';
import { addRefusals, noticesOf } from '#test/notices.ts';
import { addReservation } from '#test/prospect-history.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { acceptRun, claimMails, finishDeliveries, markSending } from '#test/sending.ts';
import type { DeliveryResult } from '../delivery/leases/delivery-result.ts';
import { pauseRun } from '../delivery/queue/run-rows.queries.ts';
import { loseMailbox } from '../mailboxes/mailbox-state.command.ts';
import { retryFailures } from '../runs/retry.command.ts';
import { makeNotices } from './notice-worker.ts';

let database: TestDatabase;
let tenant: Tenant;
let client: Client;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  client = await clientOf(database, tenant.accountId);
});

type Outcome = DeliveryResult['outcome'];
const SENT: Outcome = { kind: 'sent', reply: '250 OK' };
const FAILED: Outcome = { kind: 'failed', reply: '550 no', badAddress: false };

/** Hands so many waiting mails over, as a worker does. */
async function finishMails(rows: number, outcome: Outcome = SENT): Promise<void> {
  const claims = await claimMails(database, { rows });
  expect(claims).toHaveLength(rows);
  await markSending(database.service.db, claims);
  await finishDeliveries(
    database.service.db,
    claims.map((claim) => ({ claim, outcome })),
  );
}

const notices = (memberId = tenant.memberId) => noticesOf(database, memberId);
const events = () => database.db.selectFrom('notice_event').select(['kind', 'subject_id']).orderBy('id').execute();
const list = async (query = '') => (await client.get(`/notice/list${query}`)).body as { readonly id: number }[];
const unread = async () => ((await client.get('/notice/unread')).body as { unread: number }).unread;

describe('a run', () => {
  test('has ended once none of its mails waits, and is told once', async () => {
    const { id } = await acceptRun(database, tenant, 2);
    await finishMails(1);
    expect(await notices()).toStrictEqual([]);
    await finishMails(1);
    const told = [{ kind: 'run_ended', count: 1, subjects: [id], percent: null }];
    expect(await notices()).toStrictEqual(told);
    expect(await notices()).toStrictEqual(told);
  });

  test('is told once by four workers at once', async () => {
    for (let n = 0; n < 5; n += 1) {
      await acceptRun(database, tenant, 1);
      await finishMails(1);
    }
    await Promise.all([1, 2, 3, 4].map(() => makeNotices(database.service.db)));
    expect(await notices()).toMatchObject([{ kind: 'run_ended', count: 5 }]);
  });

  test('is open while a worker holds a mail, and while it is paused', async () => {
    await acceptRun(database, tenant, 1);
    await claimMails(database, { rows: 1 });
    expect(await notices()).toStrictEqual([]);
    const { id } = await acceptRun(database, tenant, 1);
    await client.put(`/send_log/${id}`, { update_info: { state: 'paused' } });
    expect(await notices()).toStrictEqual([]);
  });

  test('that failed and is sent again ends once more', async () => {
    const { id } = await acceptRun(database, tenant, 1);
    await finishMails(1, FAILED);
    expect(await notices()).toMatchObject([{ kind: 'failures' }, { kind: 'run_ended' }]);
    await retryFailures(database.account(tenant.accountId, tenant.memberId), id, Date.now());
    await makeNotices(database.service.db);
    await finishMails(1);
    expect(await notices()).toMatchObject([{ kind: 'failures' }, { kind: 'run_ended', count: 2, subjects: [id] }]);
  });

  test('of tests, or cancelled by a member, is no news', async () => {
    await acceptRun(database, tenant, 1, { test: true });
    await finishMails(1);
    const { id } = await acceptRun(database, tenant, 1);
    expect(await client.put(`/send_log/${id}`, { update_info: { state: 'cancelled' } })).toMatchObject({ status: 200 });
    expect(await notices()).toStrictEqual([]);
  });

  test('is named by its subject, and with its result once it has ended', async () => {
    await acceptRun(database, tenant, 6);
    await finishMails(3);
    await finishMails(2, FAILED);
    await finishMails(1, { kind: 'unknown', reply: 'lost' });
    await makeNotices(database.service.db);
    const [failures, ended] = (await list()) as unknown as { kind: string; subjects: { name: string }[] }[];
    expect([failures?.kind, failures?.subjects[0]?.name]).toEqual(['failures', '件名（6通）']);
    expect([ended?.kind, ended?.subjects[0]?.name]).toEqual(['run_ended', '件名 3通送信・2通失敗・1通不明']);
  });

  test('with a long subject or none still shows its result', async () => {
    for (const subject of ['長'.repeat(300), '']) {
      const { id } = await acceptRun(database, tenant, 1);
      await database.pool.query(
        "UPDATE send_log SET mail = jsonb_set(mail, '{subject}', to_jsonb($1::text)) WHERE id = $2",
        [subject, id],
      );
      await finishMails(1);
      await makeNotices(database.service.db);
    }
    const [ended] = (await list()) as unknown as { subjects: { name: string }[] }[];
    expect(ended?.subjects.map(({ name }) => name)).toEqual([
      expect.stringMatching(/^[^長]+ 1通送信$/),
      `${'長'.repeat(39)}… 1通送信`,
    ]);
  });

  test('that was taken back before its first mail is not told as ended', async () => {
    const { id } = await acceptRun(database, tenant, 2);
    await database.pool.query("UPDATE send_log SET starts_at = now() + interval '10 seconds' WHERE id = $1", [id]);
    expect(await client.put(`/send_log/${id}`, { update_info: { state: 'cancelled' } })).toMatchObject({ status: 200 });
    expect((await client.get(`/send_log/${id}`)).body).toMatchObject({ finished: true, undone: 1 });
    expect(await notices()).toStrictEqual([]);
    const ended = await database.db.selectFrom('send_log').select('ended_at').where('id', '=', id).executeTakeFirst();
    expect(ended?.ended_at).not.toBeNull();
  });

  test('that a server refuses is told as stopped; a pause by a member is not', async () => {
    const { id } = await acceptRun(database, tenant, 1);
    const key = { accountId: tenant.accountId, id };
    await database.db.transaction().execute((tx) => pauseRun(tx, key, 'user'));
    expect(await notices()).toStrictEqual([]);
    await database.db.transaction().execute((tx) => pauseRun(tx, key, 'policy_bounces'));
    expect(await notices()).toMatchObject([{ kind: 'stopped', subjects: [id] }]);
  });
});

describe('failures', () => {
  test('are told once, above the percentage of the member', async () => {
    const other = await addMember(database.db, tenant.accountId);
    await database.db
      .updateTable('notice_member')
      .set({ failure_percent: 50 })
      .where('member_id', '=', other)
      .execute();
    const { id } = await acceptRun(database, tenant, 10);
    await finishMails(1, FAILED);
    expect(await notices()).toStrictEqual([]);
    await finishMails(1, FAILED);
    const told = [{ kind: 'failures', count: 1, subjects: [id], percent: 10 }];
    expect(await notices()).toStrictEqual(told);
    await finishMails(3, FAILED);
    expect(await notices()).toStrictEqual(told);
    expect(await notices(other)).toStrictEqual([]);
    await finishMails(1, FAILED);
    expect(await notices(other)).toMatchObject([{ kind: 'failures', percent: 50 }]);
  });

  test('by bounces after the end of a run count', async () => {
    await acceptRun(database, tenant, 4);
    await finishMails(4);
    await notices();
    await sql`UPDATE delivery SET state = 'failed' WHERE id IN (SELECT id FROM delivery LIMIT 1)`.execute(database.db);
    expect(await notices()).toMatchObject([{ kind: 'failures', percent: 10 }, { kind: 'run_ended' }]);
  });
});

test('accounts with waiting mails are notified of a stopped mail server', async () => {
  const idle = await addTenant(database.db);
  await acceptRun(database, tenant, 1);
  for (const pauses of [1, 2, 3, 4]) await sql`UPDATE transport SET pauses = ${pauses}`.execute(database.db);
  expect(await notices()).toMatchObject([{ kind: 'stopped', count: 1, subjects: [] }]);
  expect(await notices(idle.memberId)).toStrictEqual([]);
});

test('a missed reservation makes one notice', async () => {
  const ids = await addProspects(database.db, tenant.accountId, [{ company_email: 'a@a.example' }]);
  const late = new Date(Date.now() - 61 * 60_000);
  const id = await addReservation(database.db, tenant, ids, { sendAt: late });
  await makeNotices(database.service.db);
  expect(await notices()).toMatchObject([{ kind: 'reservation_missed', count: 1, subjects: [id] }]);
});

test('the time of a missed reservation has the form of all sentences', async () => {
  const ids = await addProspects(database.db, tenant.accountId, [{ company_email: 'a@a.example' }]);
  const late = new Date(Date.now() - 61 * 60_000);
  const id = await addReservation(database.db, tenant, ids, { sendAt: late });
  await makeNotices(database.service.db);
  const year = new Date().getUTCFullYear();
  // Midnight, a Sunday and the turn of a year in Tokyo, of this and other years.
  for (const at of [`${year}-06-14T15:05Z`, '2025-01-05T00:00Z', '2025-12-31T15:00Z', '2019-12-31T14:59Z']) {
    const send_at = new Date(at);
    await database.db.updateTable('reservation').set({ send_at }).where('id', '=', id).execute();
    const name = `${timeInSentence(send_at.getTime(), Date.now())} グループ`;
    expect(await list()).toMatchObject([{ subjects: [{ id, name }] }]);
  }
});

test('a reply makes a notice with its company, an automatic one none', async () => {
  const [first, second] = await addProspects(database.db, tenant.accountId, [{}, {}]);
  for (const [prospect_id, kind] of [
    [first as number, 'reply'],
    [second as number, 'auto_reply'],
    [second as number, 'manual'],
  ] as const) {
    await database.db.insertInto('reply').values({ account_id: tenant.accountId, prospect_id, kind }).execute();
  }
  expect(await notices()).toMatchObject([{ kind: 'reply', count: 1, subjects: [first] }]);
});

test('a thousand opt-outs in an hour are one notice with their number', async () => {
  const { prospectIds } = await acceptRun(database, tenant, 1);
  await addRefusals(database, tenant, 400);
  await notices();
  await addRefusals(database, tenant, 600, 400);
  expect(await notices()).toStrictEqual([{ kind: 'refusal', count: 1000, subjects: prospectIds, percent: null }]);
  expect(await unread()).toBe(1);
});

test('suppressions by members, files and domains make no notice', async () => {
  expect(await client.post('/suppression', { add_info: { values: ['a@a.example'], class: 'refused' } })).toMatchObject({
    status: 200,
  });
  expect(await events()).toStrictEqual([]);
});

test('the end of an import makes a notice, also when it fails', async () => {
  const { accountId: account_id, memberId: member_id } = tenant;
  const counts = { rows_read: 0, rows_added: 0, rows_updated: 0, rows_refused: 0 };
  const { id: import_run_id } = await database.db
    .insertInto('import_run')
    .values({ account_id, member_id, file_name: '顧客.csv', ...counts })
    .returning('id')
    .executeTakeFirstOrThrow();
  const job = { account_id, member_id, state: 'running', lease_until: new Date(0) };
  for (const kind of ['import_check', 'import_run']) {
    await database.db
      .insertInto('job')
      .values({ ...job, kind, input: JSON.stringify({ import_run_id }) })
      .execute();
  }
  await database.db.updateTable('job').set({ state: 'failed', result: '{}', lease_until: null }).execute();
  await makeNotices(database.service.db);
  expect(await list()).toMatchObject([{ kind: 'import_ended', subjects: [{ id: import_run_id, name: '顧客.csv' }] }]);
});

test('a domain that turns bad makes a notice', async () => {
  const set = (level: string) =>
    sql`
      INSERT INTO domain_check (account_id, domain, result, checked_at)
      VALUES (${tenant.accountId}, 'example.com', ${JSON.stringify([{ check: 'spf', level }])}, now())
      ON CONFLICT (account_id, domain) DO UPDATE SET result = excluded.result`.execute(database.db);
  for (const level of ['bad', 'bad', 'good', 'bad', 'bad']) await set(level);
  await makeNotices(database.service.db);
  const subjects = [{ id: tenant.senderId, name: 'example.com' }];
  expect(await list()).toMatchObject([{ kind: 'domain_bad', count: 1, subjects }]);
});

describe('events of an hour', () => {
  const refuse = (from: number) => addRefusals(database, tenant, 1, from);

  beforeEach(async () => {
    await acceptRun(database, tenant, 1);
    await refuse(0);
    await notices();
  });

  test('begin another notice after the first was read', async () => {
    const [first] = await list();
    expect(await client.put(`/notice/${first?.id}`, { update_info: { is_read: 1 } })).toMatchObject({ status: 200 });
    expect(await unread()).toBe(0);
    await refuse(1);
    expect(await notices()).toMatchObject([{ count: 1 }, { count: 1 }]);
    expect(await list('?where_info[is_read]=0')).toHaveLength(1);
    expect(await list('?where_info[is_read]=1')).toHaveLength(1);
  });

  test('begin another notice when the hour is over', async () => {
    await sql`UPDATE notice SET first_at = now() - interval '61 minutes'`.execute(database.db);
    await refuse(1);
    expect(await notices()).toMatchObject([{ count: 1 }, { count: 1 }]);
  });

  test('stay unread where they came after the list was read', async () => {
    const [first] = await list();
    await sql`UPDATE notice SET first_at = now() - interval '61 minutes'`.execute(database.db);
    await refuse(1);
    await makeNotices(database.service.db);
    expect(await client.post('/notice/read', { until_id: first?.id })).toMatchObject({ status: 200 });
    expect(await unread()).toBe(1);
    expect(await list()).toMatchObject([{ is_read: 0 }, { is_read: 1 }]);
  });

  test('that an erasure names lose it, and a notice of nothing else', async () => {
    const { email_search } = await database.db.selectFrom('prospect').select('email_search').executeTakeFirstOrThrow();
    await database.db.updateTable('delivery').set({ state: 'cancelled' }).execute();
    await refuse(1);
    const erased = await client.post('/personal_data/erase', { email: email_search, record_refusal: 0 });
    expect(erased).toMatchObject({ status: 200 });
    expect(await events()).toStrictEqual([]);
    expect(await notices()).toStrictEqual([expect.objectContaining({ kind: 'run_ended' })]);
  });
});

test('members who are not active, and kinds that are switched off in both places, get none', async () => {
  const left = await addMember(database.db, tenant.accountId);
  await database.db.updateTable('member').set({ active: false }).where('id', '=', left).execute();
  const off = { update_info: { kinds: [{ kind: 'refusal', screen: 0, mail: 0 }] } };
  expect(await client.put('/notice_setting', off)).toMatchObject({ status: 200 });
  await acceptRun(database, tenant, 1);
  await addRefusals(database, tenant, 1);
  expect(await notices()).toStrictEqual([]);
  expect(await notices(left)).toStrictEqual([]);
  expect(await events()).toStrictEqual([]);
});

test('a kind that is only mailed is not on the screen', async () => {
  const off = { update_info: { kinds: [{ kind: 'refusal', screen: 0 }] } };
  expect(await client.put('/notice_setting', off)).toMatchObject({ status: 200 });
  await acceptRun(database, tenant, 1);
  await addRefusals(database, tenant, 1);
  expect(await notices()).toMatchObject([{ kind: 'refusal' }]);
  expect(await list()).toStrictEqual([]);
  expect(await unread()).toBe(0);
});

test('settings are those of the member, and what is left out stays', async () => {
  const changes = { kinds: [{ kind: 'reply', mail: 0 }], failure_percent: 25, morning_summary: 0 };
  expect(await client.put('/notice_setting', { update_info: changes })).toMatchObject({ status: 200 });
  expect(await client.put('/notice_setting', { update_info: { kinds: [] } })).toMatchObject({ status: 200 });
  expect((await client.get('/notice_setting')).body).toStrictEqual({
    kinds: [
      { kind: 'run_ended', screen: 1, mail: 0 },
      { kind: 'failures', screen: 1, mail: 1 },
      { kind: 'stopped', screen: 1, mail: 1 },
      { kind: 'reservation_missed', screen: 1, mail: 1 },
      { kind: 'reply', screen: 1, mail: 0 },
      { kind: 'doubtful_reply', screen: 1, mail: 1 },
      { kind: 'refusal', screen: 1, mail: 1 },
      { kind: 'import_ended', screen: 1, mail: 0 },
      { kind: 'domain_bad', screen: 1, mail: 1 },
      { kind: 'mailbox_lost', screen: 1, mail: 1 },
      { kind: 'restored', screen: 1, mail: 1 },
      { kind: 'receipts_unwritable', screen: 1, mail: 1 },
    ],
    failure_percent: 25,
    morning_summary: 0,
  });
  for (const bad of [{ failure_percent: 0 }, { failure_percent: 100 }, { kinds: [{ kind: 'other' }] }]) {
    expect(await client.put('/notice_setting', { update_info: bad })).toMatchObject({ status: 400 });
  }
});

test('notices of another member, and of nobody, are not found', async () => {
  const other = await addMember(database.db, tenant.accountId);
  await acceptRun(database, tenant, 1);
  await addRefusals(database, tenant, 1);
  await notices();
  const { id } = await database.db
    .selectFrom('notice')
    .select('id')
    .where('member_id', '=', other)
    .executeTakeFirstOrThrow();
  const read = { update_info: { is_read: 1 } };
  for (const missing of [id, 999_999]) {
    expect(await client.put(`/notice/${missing}`, read)).toMatchObject({ status: 404 });
  }
});

test('a lost mailbox is told to its owner and to the admins, each once; a shared one to the admins', async () => {
  const { db } = database;
  const people = {
    owner: await addMember(db, tenant.accountId, { role: 'sales', name: '鈴木 彩' }),
    other: await addMember(db, tenant.accountId, { role: 'sales', name: '佐藤 花子' }),
    viewer: await addMember(db, tenant.accountId, { role: 'viewer', name: '木村 健' }),
  };
  const stranger = await addTenant(db);
  const own = await addTestMailbox(db, tenant.accountId, { owner_id: people.owner });
  const others = await addTestMailbox(db, tenant.accountId, { owner_id: people.other, address: 'hana@haru.example' });
  const shared = await addTestMailbox(db, tenant.accountId, { address: 'info@haru.example' });
  const lose = (id: number) =>
    database.service.db
      .transaction()
      .execute((tx) => loseMailbox(tx, { accountId: tenant.accountId, id }, '535 5.7.8 denied'));
  await lose(own);
  await lose(own);
  await lose(shared);
  await lose(others);
  const told = (...subjects: number[]) => [{ kind: 'mailbox_lost', count: subjects.length, percent: null, subjects }];
  expect(await notices()).toStrictEqual(told(others, shared, own));
  expect(await notices(people.owner)).toStrictEqual(told(own));
  expect(await notices(people.other)).toStrictEqual(told(others));
  expect(await notices(people.viewer)).toStrictEqual([]);
  expect(await notices(stranger.memberId)).toStrictEqual([]);
  expect(await list()).toMatchObject([{ subjects: [{ name: '鈴木 彩（hana@haru.example）' }, {}, {}] }]);
});
