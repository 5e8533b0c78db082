import { pino } from 'pino';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { startDeliveryWorker } from '#server/features/delivery/delivery-worker.ts';
import { smtpTransport } from '#server/features/delivery/transports/smtp/smtp-transport.ts';
import { acceptSend } from '#server/features/runs/accept.command.ts';
import { type Client, clientAt, clientOf, serve } from '#test/client.ts';
import { emptyDatabase, type TestDatabase, testDatabase } from '#test/db.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { eventually, testSink, unbalancedRuns, untilSettled } from '#test/sending.ts';
import { emailOf } from '../accounts.ts';
import { addFullTenant } from '../authorization/full-tenant.ts';
import { TEST_MAILING } from '../mailing.ts';

/** bad-inputs 148, 196, 197, 199 and 201: clocks that disagree or are far off, and time zones of the database. */

let database: TestDatabase;
let tenant: Tenant;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
});

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Accepts a run of 20 mails and sends it, in an application whose clock is `now`. */
async function sendTwenty(now: () => number) {
  const sink = await testSink();
  sink.latencyMs = 20;
  const companies = Array.from({ length: 20 }, (_, n) => ({ company_email: `info${n}@a.example` }));
  const ids = await addProspects(database.db, tenant.accountId, companies);
  const attack_list = ids.map((prospect_id) => ({ prospect_id }));
  const body = { test_send_mode: 0, attack_list, days_from_lastday: 7 } as const;
  const request = { senderId: tenant.senderId, body, idempotencyKey: null, ...TEST_MAILING } as const;
  expect(await acceptSend(database.account(tenant.accountId), request, now())).toMatchObject({ accepted: 20 });
  const worker = startDeliveryWorker({
    db: database.service.db,
    now,
    transport: smtpTransport({
      host: '127.0.0.1',
      port: sink.port,
      secure: false,
      requireTls: false,
      credentials: null,
    }),
    connections: 2,
    log: pino({ level: 'silent' }),
  });
  onTestFinished(() => worker.stop());
  return sink;
}

const expectEachOnce = async (sink: Awaited<ReturnType<typeof testSink>>) => {
  expect(await untilSettled(database.db)).toStrictEqual({ sent: 20 });
  expect(new Set(sink.mails.map(({ to }) => to.join())).size).toBe(20);
  expect(sink.mails).toHaveLength(20);
  expect(await unbalancedRuns(database.db)).toStrictEqual([]);
};

test('bad-inputs 196: the clock jumps back ten minutes while leases run: each mail is sent once', async () => {
  let offset = 0;
  const sink = await sendTwenty(() => Date.now() + offset);
  await eventually(
    () => sink.mails.length,
    (count) => count >= 3,
  );
  offset = -10 * MINUTE;
  await expectEachOnce(sink);
});

// The first instant, and the second in which signed 32-bit times overflow: in Tokyo office hours of a Thursday and a
// Tuesday.
test.each([
  ['1970', 0],
  ['2038', 2 ** 31 * 1000],
])('bad-inputs 148: with the clock in %s everything works as at any time', async (year, now) => {
  const { accountId, password, senderId, senderGroupId } = await addFullTenant(database.db, 'owner');
  const [first, second] = await addProspects(database.db, accountId, [
    { company_email: 'a@a.example' },
    { company_email: 'b@b.example' },
  ]);
  const address = await serve(database, () => now);
  const email = await emailOf(database.db, accountId);
  const login = await clientAt(address, '').post('/auth/login', { email, password });
  expect(login).toMatchObject({ status: 200 });
  const client = clientAt(address, `Bearer ${(login.body as { token: string }).token}`);
  const group = `sender_group_id=${senderGroupId}`;
  expect(await client.get(`/attack_list/preview?${group}&days_from_lastday=30&limit_count=1000`)).toMatchObject({
    status: 200,
  });
  const sent = await client.post(`/mail/send/${senderId}`, {
    test_send_mode: 0,
    attack_list: [{ prospect_id: first }],
    days_from_lastday: 7,
  });
  expect(sent).toMatchObject({ status: 200, body: { accepted: 1 } });
  const send_at = formatSecond(now - (now % (15 * MINUTE)) + DAY);
  const info = { datetime_list: null, attack_list: [{ prospect_id: second }], active: 1 };
  const reserved = await client.post('/reservation', {
    add_info: { ...info, sender_id: senderId, send_at, test_send_mode: 0 },
    duplicate_key_update_info: info,
  });
  expect(reserved).toMatchObject({ status: 200, body: { status: 'added' } });
  const view = await client.get(`/prospect/view?${group}&status=reserved`);
  expect(view.body).toMatchObject({
    rows: expect.arrayContaining([expect.objectContaining({ id: second, send_at: send_at.slice(0, 16) })]),
  });
  expect(send_at.slice(0, 4)).toBe(year);
  const { rows } = (await client.get(`/prospect/view?${group}&status=sent&sort=sent_at&order=desc`)).body as {
    rows: object[];
  };
  expect(rows.length).toBeGreaterThan(0);
});

test.each([-5, 5])(
  'bad-inputs 197: the clock of the application is %d minutes off that of the database: each mail is sent once',
  async (minutes) => {
    await expectEachOnce(await sendTwenty(() => Date.now() + minutes * MINUTE));
  },
);

test('bad-inputs 199: no column is a timestamp without a zone', async () => {
  const { rows } = await database.pool.query<{ data_type: string }>(
    `SELECT table_name, column_name, data_type FROM information_schema.columns
     WHERE table_schema = 'public' AND data_type LIKE '%time%'`,
  );
  expect(rows.length).toBeGreaterThan(20);
  expect(rows.filter(({ data_type }) => data_type !== 'timestamp with time zone')).toStrictEqual([]);
});

/** The spring gap and the repeated autumn hour in New York, and the day that Apia skipped. */
test.each(['America/New_York', 'Pacific/Apia', 'Asia/Tokyo'])(
  'bad-inputs 199: in a database whose zone is %s every time is the same',
  async (zone) => {
    database = await testDatabase();
    tenant = await addTenant(database.db);
    const { rows } = await database.pool.query<{ name: string }>('SELECT current_database() AS name');
    await database.pool.query(`ALTER DATABASE ${rows[0]?.name} SET timezone = '${zone}'`);
    const now = Date.parse('2026-11-20T12:00:00+09:00');
    const client: Client = await clientOf(database, tenant.accountId, () => now);
    // The program's connections set their own time zone.
    const seen = await database.api
      .selectNoFrom(({ fn, val }) => fn<string>('current_setting', [val('TimeZone')]).as('zone'))
      .execute();
    expect(seen).toStrictEqual([{ zone: 'UTC' }]);
    const [prospect_id = 0] = await addProspects(database.db, tenant.accountId, [{ company_email: 'a@a.example' }]);
    for (const sent_at of ['2026/03/08 16:30:00', '2026/11/01 14:30:00', '2026/11/01 15:30:00']) {
      const log = { sender_group_id: tenant.senderGroupId, attack_list: [prospect_id], sent_at };
      expect((await client.post('/send_log', log)).body).toMatchObject({ status: 'added' });
      const where = encodeURIComponent(JSON.stringify({ sent_at: { gte: sent_at, lte: sent_at } }));
      const listed = await client.get(`/send_log/list?where_info=${where}&columns=["sent_at"]`);
      expect(listed.body).toStrictEqual([{ sent_at }]);
      const view = await client.get(`/prospect/view?sender_group_id=${tenant.senderGroupId}`);
      expect(view.body).toMatchObject({ rows: [{ sent_at: sent_at.slice(0, 16) }] });
    }
  },
);

test('bad-inputs 201: a year before the clock changes of 1948 to 1951 is a number, no date', async () => {
  const years = [1868, 1947, 1948, 1951, 1952];
  await addProspects(
    database.db,
    tenant.accountId,
    years.map((year_of_establishment) => ({ year_of_establishment })),
  );
  const client = await clientOf(database, tenant.accountId);
  const { body } = await client.get(
    `/prospect/view?sender_group_id=${tenant.senderGroupId}&year_of_establishment_from=1867&year_of_establishment_to=1952`,
  );
  const { rows } = body as { rows: { year_of_establishment: number }[] };
  expect(rows.map(({ year_of_establishment }) => year_of_establishment)).toStrictEqual([1868, 1947, 1948, 1951]);
});
