import { sql } from 'kysely';
import { pino } from 'pino';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { LATEST_START_MINUTES } from '#domain/limits.ts';
import { Problem } from '#server/platform/problem.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { TEST_MAILING } from '#test/mailing.ts';
import { addContact, addReservation } from '#test/prospect-history.ts';
import { addGroup, addProspects, addSender, addTenant, type Tenant } from '#test/prospects.ts';
import { eventually, testSink, testWorker, unbalancedRuns, untilSettled } from '#test/sending.ts';
import { findDue, recordRefusal, startReservation } from './due.command.ts';
import { startReservationScheduler } from './reservation-scheduler.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

let database: TestDatabase;
let tenant: Tenant;
let ids: number[];

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  ids = await addProspects(
    database.db,
    tenant.accountId,
    [0, 1, 2, 3].map((n) => ({ company_name: `株式会社${n}`, company_email: `info${n}@a.example` })),
  );
});

const ago = (ms: number) => new Date(Date.now() - ms);
const reserveFor = (sendAt: Date, prospectIds = ids, test = false) =>
  addReservation(database.db, tenant, prospectIds, { sendAt, test });
const due = async () => (await findDue(database.service.db)).map(({ id }) => id);
const start = (id: number) =>
  startReservation(database.service.db, { accountId: tenant.accountId, id }, Date.now(), TEST_MAILING);

const runs = () => database.db.selectFrom('send_log').selectAll().orderBy('id').execute();
const deliveries = () =>
  database.db
    .selectFrom('delivery')
    .select(['prospect_id', 'state', 'reason', 'mail_to', 'test_send_mode'])
    .orderBy('row_index')
    .execute();
const pendingTargets = async () =>
  (await database.db.selectFrom('reservation_target').select('prospect_id').where('pending', '=', true).execute())
    .length;
const isSent = async (id: number) =>
  (await database.db.selectFrom('reservation').select('is_sent').where('id', '=', id).executeTakeFirstOrThrow())
    .is_sent;

/** A scheduler as the worker process runs it, stopped with the test. */
function testScheduler({ now = Date.now, log = pino({ level: 'silent' }) } = {}): void {
  onTestFinished(startReservationScheduler({ db: database.service.db, now, log, ...TEST_MAILING }));
}

const untilSent = (id: number) =>
  eventually(
    () => isSent(id),
    (sent) => sent,
  );

const breakTemplateOf = ({ accountId }: Tenant) =>
  database.db.updateTable('mail_template').set({ text_body: '{{ oops' }).where('account_id', '=', accountId).execute();

const switchOffSenderOf = ({ senderId }: Tenant) =>
  database.db.updateTable('sender').set({ active: false }).where('id', '=', senderId).execute();

const reasonOf = async (id: number) =>
  (await database.db.selectFrom('reservation').select('refused_reason').where('id', '=', id).executeTakeFirstOrThrow())
    .refused_reason;

async function failRunsOf({ accountId }: Tenant): Promise<void> {
  const alter = database.db.schema.alterTable('send_log');
  await alter.addCheckConstraint('none_of_this', sql`account_id <> ${sql.lit(accountId)}`).execute();
  onTestFinished(() => alter.dropConstraint('none_of_this').execute());
}

/** Makes their statements violate the protocol, as one with too many values does. */
async function breakStatementsOf({ accountId }: Tenant): Promise<void> {
  await sql`
    CREATE FUNCTION too_many_values() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE 'bind message has too many values' USING ERRCODE = '08P01'; END $$;
    CREATE TRIGGER too_many_values BEFORE INSERT ON send_log FOR EACH ROW
      WHEN (NEW.account_id = ${sql.lit(accountId)}) EXECUTE FUNCTION too_many_values()`.execute(database.db);
  onTestFinished(async () => {
    await sql`DROP FUNCTION too_many_values CASCADE`.execute(database.db);
  });
}

describe('what is due', () => {
  test('is due from its time on, until it is too late', async () => {
    const now = await reserveFor(ago(SECOND), []);
    const latest = await reserveFor(ago((LATEST_START_MINUTES - 1) * MINUTE), []);
    await reserveFor(ago((LATEST_START_MINUTES + 1) * MINUTE), []);
    await reserveFor(ago(-5 * SECOND), []);
    expect(await due()).toStrictEqual([latest, now]);
  });

  test('excludes deleted and sent reservations, and includes all accounts', async () => {
    await addReservation(database.db, tenant, [], { sendAt: ago(SECOND), pending: false });
    const sent = await reserveFor(ago(2 * SECOND));
    await start(sent);
    const other = await addTenant(database.db);
    const theirs = await addReservation(database.db, other, [], { sendAt: ago(SECOND) });
    expect(await due()).toStrictEqual([theirs]);
  });
});

describe('a reservation that is started', () => {
  test('becomes a run with a delivery for each target, and is sent', async () => {
    const id = await reserveFor(ago(SECOND));
    expect(await start(id)).toStrictEqual({ sendLogId: expect.any(Number) });
    expect(await runs()).toMatchObject([{ reservation_id: id, targets: 4, test_send_mode: false }]);
    expect(await deliveries()).toStrictEqual(
      ids.map((prospect_id, n) => ({
        prospect_id,
        state: 'queued',
        reason: null,
        mail_to: `info${n}@a.example`,
        test_send_mode: false,
      })),
    );
    expect([await isSent(id), await pendingTargets()]).toStrictEqual([true, 0]);
    expect(await start(id)).toBeNull();
    expect(await runs()).toHaveLength(1);
  });

  test('is started neither before its time nor long after it, even if it was found due', async () => {
    for (const sendAt of [ago(-5 * SECOND), ago((LATEST_START_MINUTES + 1) * MINUTE)]) {
      const id = await reserveFor(sendAt);
      expect(await start(id)).toBeNull();
      expect(await isSent(id)).toBe(false);
      await database.db.deleteFrom('reservation_target').execute();
      await database.db.deleteFrom('reservation').execute();
    }
    expect(await runs()).toStrictEqual([]);
  });

  test("is judged by the account's rules of all groups and of one domain at its time", async () => {
    const id = await reserveFor(ago(SECOND));
    await addContact(database.db, await addGroup(database.db, tenant), ids[0] ?? 0, new Date());
    const rule = { account_id: tenant.accountId, across_groups: true, per_domain: 2 };
    await database.db.insertInto('account_rule').values(rule).execute();
    await start(id);
    expect((await deliveries()).map(({ state, reason }) => [state, reason])).toStrictEqual([
      ['cancelled', 'recently_sent_elsewhere'],
      ['queued', null],
      ['queued', null],
      ['cancelled', 'domain_limit'],
    ]);
  });

  test('checks its targets again, and records the reason for each that is left out', async () => {
    const [off = 0, mailed = 0, good = 0] = ids;
    const id = await reserveFor(ago(SECOND), [off, mailed, good]);
    // A later test reservation of the same companies: it does not hold them.
    await addReservation(database.db, tenant, [good], { sendAt: ago(-MINUTE), test: true });
    const { accountId: account_id, senderGroupId: sender_group_id } = tenant;
    await database.db
      .insertInto('active_prospect')
      .values({ account_id, sender_group_id, prospect_id: off, active: false })
      .execute();
    await addContact(database.db, tenant, mailed, new Date());
    await start(id);
    expect(await deliveries()).toMatchObject([
      { prospect_id: off, state: 'cancelled', reason: 'inactive' },
      { prospect_id: mailed, state: 'cancelled', reason: 'recently_sent' },
      { prospect_id: good, state: 'queued', reason: null },
    ]);
  });

  test('without eligible targets becomes a run with the reasons, and nothing is sent', async () => {
    const id = await reserveFor(ago(SECOND), ids.slice(0, 2));
    for (const mailed of ids.slice(0, 2)) await addContact(database.db, tenant, mailed, new Date());
    expect(await start(id)).toStrictEqual({ sendLogId: expect.any(Number) });
    expect(await runs()).toMatchObject([{ reservation_id: id, targets: 2 }]);
    expect(await deliveries()).toMatchObject(Array(2).fill({ state: 'cancelled', reason: 'recently_sent' }));
    expect([await isSent(id), await pendingTargets()]).toStrictEqual([true, 0]);
  });

  test('in test mode goes only to the test addresses', async () => {
    await start(await reserveFor(ago(SECOND), ids.slice(0, 2), true));
    expect((await deliveries()).map((row) => [row.mail_to, row.test_send_mode])).toStrictEqual([
      ['test@example.com', true],
      ['test@example.com', true],
    ]);
  });

  test('keeps its candidate dates and interval', async () => {
    const id = await reserveFor(ago(SECOND));
    const candidate_dates = JSON.stringify([{ date: '2026-11-24', start_time: '9:00', end_time: '18:00' }]);
    await database.db.updateTable('reservation').set({ candidate_dates, days_from_lastday: 30 }).execute();
    await start(id);
    expect(await runs()).toMatchObject([
      { days_from_lastday: 30, mail: { candidate_dates: ['・11月24日(火) 9:00〜18:00'] } },
    ]);
  });

  test('clears the recorded reason of an earlier refusal', async () => {
    const id = await reserveFor(ago(SECOND));
    await recordRefusal(database.service.db, { accountId: tenant.accountId, id }, 'テスト');
    expect(await reasonOf(id)).toBe('テスト');
    await start(id);
    expect(await reasonOf(id)).toBeNull();
    await recordRefusal(database.service.db, { accountId: tenant.accountId, id }, 'テスト');
    expect(await reasonOf(id)).toBeNull();
  });

  test('whose template has a fault is refused and unchanged', async () => {
    const id = await reserveFor(ago(SECOND));
    await breakTemplateOf(tenant);
    expect(await start(id)).toBeInstanceOf(Problem);
    expect([await isSent(id), await pendingTargets(), await runs()]).toStrictEqual([false, 4, []]);
  });
});

describe('schedulers', () => {
  test('start each reservation once and send each mail once, five at the same time', async () => {
    const sink = await testSink();
    for (const id of ids) {
      const other = { ...tenant, senderId: await addSender(database.db, tenant) };
      await addReservation(database.db, other, [id], { sendAt: ago(SECOND) });
    }
    for (let n = 0; n < 5; n += 1) testScheduler();
    testWorker(database, sink);
    await eventually(runs, (found) => found.length === ids.length);
    expect(await untilSettled(database.db)).toStrictEqual({ sent: 4 });
    expect(sink.mails.flatMap(({ to }) => to).toSorted()).toStrictEqual(ids.map((_, n) => `info${n}@a.example`));
    expect(await unbalancedRuns(database.db)).toStrictEqual([]);
    expect(await due()).toStrictEqual([]);
  });

  test('wait until a reservation is due', async () => {
    const sendAt = ago(-2 * SECOND);
    const id = await reserveFor(sendAt);
    testScheduler();
    await untilSent(id);
    const [run] = await runs();
    expect(run?.sent_at.getTime()).toBeGreaterThanOrEqual(sendAt.getTime());
  });

  test.each([
    [
      'is refused',
      breakTemplateOf,
      'due reservation refused; retrying in 60 seconds',
      'テンプレートの本文（テキスト）を確認',
    ],
    [
      'has no sender',
      switchOffSenderOf,
      'due reservation refused; retrying in 60 seconds',
      'テンプレート（送信者）が無効',
    ],
    ['fails', failRunsOf, 'could not start a due reservation; retrying', '処理中に問題が発生しました'],
    [
      'binds too many values',
      breakStatementsOf,
      'could not start a due reservation; retrying',
      '処理中に問題が発生しました',
    ],
  ])(
    'start others after one that %s, record why for its owner, and retry it after a minute',
    async (_, breakRuns, told, reason) => {
      let now = Date.now();
      const warnings: string[] = [];
      const broken = await addTenant(database.db);
      await breakRuns(broken);
      const [company = 0] = await addProspects(database.db, broken.accountId, [{ company_email: 'b@b.example' }]);
      const refused = await addReservation(database.db, broken, [company], { sendAt: ago(MINUTE) });
      testScheduler({ now: () => now, log: pino({ level: 'warn' }, { write: (line) => warnings.push(line) }) });
      // The broken one has been due for longer, so its try begins before these; it may end after them.
      for (const company of ids.slice(2)) await untilSent(await reserveFor(ago(SECOND), [company]));
      await eventually(
        () => warnings.length,
        (count) => count > 0,
      );
      expect([await isSent(refused), warnings]).toStrictEqual([false, [expect.stringContaining(told)]]);
      await eventually(
        () => reasonOf(refused),
        (known) => known?.includes(reason) ?? false,
      );
      now += MINUTE;
      await eventually(
        () => warnings.length,
        (count) => count === 2,
      );
    },
  );
});
