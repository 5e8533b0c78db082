import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { JUDGED_AFTER_DAYS } from '#domain/time/report-period.ts';
import { dayOf, instantOf, minuteOfDay } from '#domain/time/tokyo-time.ts';
import { DAY_MS } from '#domain/time-units.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addProspects, addSender, addSenderGroup, addTenant, type Tenant } from '#test/prospects.ts';
import { liftSuppressions } from '../suppressions/write-suppressions.queries.ts';
import { readReport } from './read-report.ts';
import { foldChanges, rebuildSums } from './report-sums.command.ts';

/** The sums against the truth, which is counted here from the mails and their replies in plain loops. */

const STATES = ['queued', 'sent', 'failed', 'unknown', 'cancelled'] as const;
const FIRST_DAY = '2026-11-01';
const DAYS = 4;
const MAILS = 5;

const mail = fc.nat(MAILS - 1);
const act = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      mail,
      state: fc.constantFrom(...STATES),
      minute: fc.nat(DAYS * 1440 - 1),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reply' as const), mail, auto: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('turn to auto-reply' as const), mail }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('suppress' as const),
      mail,
      as: fc.constantFrom(
        ...(['refused one_click', 'refused complaint', 'undeliverable dsn', 'refused manual'] as const),
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom(...(['undo', 'lift', 'erase'] as const)), mail }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom(...(['fold', 'rebuild', 'new industry'] as const)) }) },
);
type Act = typeof act extends fc.Arbitrary<infer A> ? A : never;

interface Scene {
  readonly database: TestDatabase;
  readonly tenant: Tenant;
  /** Ids of mails: of two groups, two templates and two industries; the last one is a test. */
  readonly mails: readonly number[];
}

async function makeScene(): Promise<Scene> {
  const database = await emptyDatabase();
  const { db } = database;
  const tenant = await addTenant(db);
  const otherGroup = { ...tenant, senderGroupId: await addSenderGroup(db, tenant.accountId) };
  const other = { ...otherGroup, senderId: await addSender(db, otherGroup) };
  const industries = ['製造', 'ＩＴ・通信', null];
  const prospects = await addProspects(
    db,
    tenant.accountId,
    Array.from({ length: MAILS }, (_, n) => ({ major_industry_type: industries[n % 3] ?? null })),
  );
  const mails: number[] = [];
  for (const [n, prospectId] of prospects.entries()) {
    const { rows } = await sql<{ id: number }>`
      WITH run AS (
        INSERT INTO send_log (account_id, sender_group_id, sender_id, test_send_mode, days_from_lastday, mail, template_id)
        SELECT account_id, sender_group_id, id, ${n === MAILS - 1}, 7, '{}', template_id
        FROM sender WHERE id = ${n % 2 === 0 ? tenant.senderId : other.senderId}
        RETURNING *
      )
      INSERT INTO delivery (account_id, send_log_id, sender_group_id, sender_id, profile_id, prospect_id, test_send_mode,
        row_index, mail_to, company_name, person_in_charge, message_id, mail_date, industry_id)
      SELECT run.account_id, run.id, run.sender_group_id, run.sender_id,
        (SELECT profile_id FROM sender WHERE id = run.sender_id), prospect.id, run.test_send_mode, 0,
        'a' || prospect.id || '@example.com', '', '', '<' || prospect.id || '@example.com>', now(),
        prospect.major_industry_id
      FROM run JOIN prospect ON prospect.id = ${prospectId}
      RETURNING id`.execute(db);
    mails.push(rows[0]?.id ?? 0);
  }
  return { database, tenant, mails };
}

async function perform({ database: { db, service, account }, tenant: { accountId }, mails }: Scene, done: Act) {
  const id = 'mail' in done ? (mails[done.mail] ?? 0) : 0;
  switch (done.kind) {
    case 'end': {
      const at = new Date(instantOf(FIRST_DAY, done.minute));
      await sql`
        UPDATE delivery
        SET state = ${done.state}, finished_at = CASE WHEN ${done.state} <> 'queued' THEN ${at}::timestamptz END
        WHERE id = ${id}`.execute(service.db);
      return;
    }
    case 'reply':
      await sql`
        INSERT INTO reply (account_id, delivery_id, prospect_id, kind)
        SELECT account_id, id, prospect_id, CASE WHEN ${done.auto}::boolean THEN 'auto_reply' ELSE 'reply' END
        FROM delivery WHERE id = ${id}`.execute(service.db);
      return;
    case 'turn to auto-reply':
      await sql`UPDATE reply SET kind = 'auto_reply' WHERE delivery_id = ${id}`.execute(service.db);
      return;
    case 'suppress': {
      const [kind, source] = done.as.split(' ') as [string, string];
      await sql`
        INSERT INTO suppression (account_id, kind, value, class, source, delivery_id)
        SELECT account_id, 'address', address_key, ${kind}, ${source}, ${source === 'manual' ? null : id}::bigint
        FROM delivery WHERE id = ${id} ON CONFLICT DO NOTHING`.execute(service.db);
      return;
    }
    case 'undo':
    case 'lift': {
      const reason = done.kind === 'undo' ? ('undone' as const) : null;
      await account(accountId).transaction((tx) =>
        liftSuppressions(tx, accountId, sql`class = 'refused' AND delivery_id = ${id}`, { memberId: null, reason }),
      );
      return;
    }
    case 'erase':
      await sql`DELETE FROM suppression WHERE delivery_id = ${id}`.execute(service.db);
      return;
    case 'fold':
      return foldChanges(service.db);
    case 'rebuild':
      return rebuildSums(service.db);
    case 'new industry':
      await db.updateTable('prospect').set({ major_industry_id: null }).execute();
  }
}

const counted = ['sent', 'failed', 'unknown'];

async function truth({ database: { db } }: Scene) {
  const { rows } = await sql<{
    state: string;
    finished_at: Date | null;
    test_send_mode: boolean;
    template_id: number;
    sender_group_id: number;
    industry: string | null;
    refused: boolean;
    complained: boolean;
    dead: boolean;
    has_reply: boolean;
  }>`
    SELECT d.*, run.template_id, industry.name_search AS industry, EXISTS (
      SELECT FROM reply WHERE reply.delivery_id = d.id AND reply.kind <> 'auto_reply') AS has_reply
    FROM delivery d JOIN send_log run ON run.id = d.send_log_id LEFT JOIN industry ON industry.id = d.industry_id
    ORDER BY d.id`.execute(db);
  return rows;
}

const figuresOf = (rows: Awaited<ReturnType<typeof truth>>) => ({
  sent: rows.filter(({ state }) => state === 'sent').length,
  failed: rows.filter(({ state }) => state === 'failed').length,
  unknown: rows.filter(({ state }) => state === 'unknown').length,
  replied: rows.filter(({ has_reply }) => has_reply).length,
  refused: rows.filter(({ refused }) => refused).length,
});

async function expectTruth(scene: Scene): Promise<void> {
  const { database, tenant } = scene;
  const all = await truth(scene);
  const from = FIRST_DAY;
  const to = dayOf(instantOf(FIRST_DAY, 0) + 2 * DAY_MS);
  for (const filter of [{}, { sender_group_id: tenant.senderGroupId }]) {
    const ended = all.filter(
      ({ state, finished_at, test_send_mode, sender_group_id }) =>
        finished_at !== null &&
        counted.includes(state) &&
        !test_send_mode &&
        (!('sender_group_id' in filter) || sender_group_id === filter.sender_group_id),
    );
    const at = (row: (typeof ended)[number]) => row.finished_at?.getTime() ?? 0;
    const shown = ended.filter((row) => dayOf(at(row)) <= to);
    const by = <Key extends string | number | null>(key: (row: (typeof ended)[number]) => Key) =>
      new Map([...Map.groupBy(shown, key)].map(([name, rows]) => [name, figuresOf(rows)]));
    const judgedBefore = instantOf(FIRST_DAY, 12 * 60) + DAY_MS;
    const now = judgedBefore + JUDGED_AFTER_DAYS * DAY_MS;
    const report = await readReport(database.account(tenant.accountId), { from, to, ...filter }, now);
    if (!('total' in report)) throw new Error(report.message);
    expect(report.total).toStrictEqual({
      // Of notes by members, which this history has none of.
      replied_by_hand: 0,
      ...figuresOf(shown),
      complained: shown.filter(({ complained }) => complained).length,
      dead: shown.filter(({ dead }) => dead).length,
    });
    const judged = shown.filter((row) => at(row) < judgedBefore);
    expect(report.judged).toMatchObject({ ...figuresOf(judged), dead: judged.filter(({ dead }) => dead).length });
    const named = <Row extends object, Key>(rows: readonly Row[], key: (row: Row) => Key) =>
      new Map(rows.map((row) => [key(row), pickFigures(row)]));
    expect(named(report.days, ({ day }) => day)).toStrictEqual(by((row) => dayOf(at(row))));
    expect(named(report.templates, (row) => row.template_id)).toStrictEqual(by((row) => row.template_id));
    expect(named(report.hours, ({ weekday, hour }) => `${weekday} ${hour}`)).toStrictEqual(
      by((row) => `${new Date(dayOf(at(row))).getUTCDay()} ${Math.floor(minuteOfDay(at(row)) / 60)}`),
    );
    expect(named(report.industries, ({ name }) => name)).toStrictEqual(by(({ industry }) => industry));
  }
}

const pickFigures = (row: object) => {
  const { sent, failed, unknown, replied, refused } = row as ReturnType<typeof figuresOf>;
  return { sent, failed, unknown, replied, refused };
};

test('after any history a report shows what the mails show, folded or not, and so do rebuilt sums', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 20, maxLength: 60 }), async (acts) => {
      const scene = await makeScene();
      for (const done of acts) await perform(scene, done);
      await expectTruth(scene);
      await foldChanges(scene.database.service.db);
      expect(await scene.database.db.selectFrom('report_change').selectAll().execute()).toStrictEqual([]);
      await expectTruth(scene);
      await rebuildSums(scene.database.service.db);
      await expectTruth(scene);
    }),
    { numRuns: 12 },
  );
});
