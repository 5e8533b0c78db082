import { pino } from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import {
  acceptRun,
  claimBatch,
  claimMails,
  countStates,
  eventually,
  testSink,
  testWorker,
  unbalancedRuns,
  untilSettled,
} from '#test/sending.ts';
import type { Moment, SmtpSink } from '#test/smtp-sink.ts';
import { endLimitWait, readLimits, readTransport } from '#test/transport-pause.ts';
import { makeNotices } from '../notices/notice-worker.ts';
import { runProgress } from '../runs/progress.queries.ts';
import { confirmAddress } from '../sender-addresses/confirmed-address.queries.ts';
import { claimDeliveries, secondsUntilDue } from './claim/claim.queries.ts';
import type { Claim } from './leases/claim.ts';
import { suspectLimit } from './quota/transport-limit.queries.ts';
import { updateBreaker } from './results/breaker.ts';

const DAILY = '550 5.4.5 Daily user sending limit exceeded';
const HOURLY = '550 5.7.1 Limit of 1500 mails per hour exceeded';

let database: TestDatabase;
let tenant: Tenant;
let sink: SmtpSink;
/** How often the sink has named the limit. */
let met: number;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  sink = await testSink();
  met = 0;
});

/** The sink names a limit of ours. @param isOf of this mail, by its last command; default: of each */
function limit(moment: Moment, reply: `${number} ${string}`, isOf: (line: string) => boolean = () => true): void {
  sink.fault = (now, line) => {
    if (now !== moment || !isOf(line)) return null;
    met += 1;
    return reply;
  };
}

const mails = () =>
  database.db.selectFrom('delivery').select(['id', 'state', 'attempts', 'smtp_reply', 'limited_since']).execute();
const progress = (id: number) => runProgress(database.db, tenant.accountId, id, Date.now());
/** Claims as another worker. */
const claimOrPause = async () => {
  const batch = await claimDeliveries(database.service.db, crypto.randomUUID(), { connections: 4, rows: 9 });
  return batch === null || typeof batch === 'string' ? [] : batch.claims;
};
/** Waits until each sender with a mail that met the limit waits. */
const untilLimited = (senders = 1) =>
  eventually(
    () => readLimits(database),
    (rows) => rows.filter(({ limited_since }) => limited_since !== null).length === senders,
  );
const seconds = (instant: Date | null | undefined) => ((instant?.getTime() ?? 0) - Date.now()) / 1000;

describe.each<[Moment, `${number} ${string}`]>([
  ['MAIL', '421 4.7.0 Daily message quota exceeded'],
  ['RCPT', HOURLY],
  ['DATA', '451 4.7.1 Sender rate overlimit - 105.2 / 1h'],
  ['dot', DAILY],
])('a limit of ours at %s', (moment, reply) => {
  test('pauses its sender: no mail fails, no try counts, the cause is the limit, and then all leave', async () => {
    limit(moment, reply);
    const { id } = await acceptRun(database, tenant, 12);
    const worker = testWorker(database, sink, { connections: 3 });
    const [sender] = await untilLimited();
    await eventually(
      () => countStates(database.db),
      ({ queued }) => queued === 12,
    );
    // A claim that began before the pause may be committed only now.
    await worker.stop();
    expect(await countStates(database.db)).toStrictEqual({ queued: 12 });
    // One a connection, one more where a used connection may be to blame (decisions/lost-connections), and one of such
    // a claim.
    expect(met).toBeLessThanOrEqual(9);
    expect((await mails()).every(({ attempts }) => attempts === 0)).toBe(true);
    expect((await mails()).filter(({ limited_since }) => limited_since !== null)).not.toHaveLength(0);
    expect(await readTransport(database)).toMatchObject({ faults: 0, paused_until: null });
    expect(await progress(id)).toMatchObject({
      limited_until: formatSecond(sender?.limited_until?.getTime() ?? 0),
      transport_paused_until: null,
      paused_by: null,
    });
    expect(seconds(sender?.probe_at)).toBeLessThan(901);
    expect(seconds(sender?.probe_at)).toBeGreaterThan(700);

    sink.fault = () => null;
    await endLimitWait(database);
    testWorker(database, sink, { connections: 3 });
    expect(await untilSettled(database.db)).toStrictEqual({ sent: 12 });
    expect(await readLimits(database)).toMatchObject([{ limited_since: null, limited_until: null, probe_at: null }]);
    expect(await unbalancedRuns(database.db)).toStrictEqual([]);
  });
});

describe('a reply that blames the recipient, or quotes another server, pauses nobody', () => {
  test.each<[`${number} ${string}`, 'queued' | 'failed']>([
    ['452 4.2.2 mailbox full', 'queued'],
    ['550 5.2.2 <info0@a.example>: quota exceeded', 'failed'],
    ['550 5.4.5 host mx.a.example[192.0.2.1] said: 550 5.4.5 Daily user sending limit exceeded', 'failed'],
  ])('%s', async (reply, state) => {
    limit('RCPT', reply);
    await acceptRun(database, tenant, 1);
    testWorker(database, sink);
    await eventually(mails, ([mail]) => mail?.smtp_reply === reply);
    expect(await mails()).toMatchObject([{ state, attempts: 1, limited_since: null }]);
    expect(await readLimits(database)).toMatchObject([{ limited_since: null }]);
  });
});

test('a limited sender has one mail try it each quarter of an hour, and the told time stands until it is over', async () => {
  limit('dot', HOURLY);
  await acceptRun(database, tenant, 3);
  const worker = testWorker(database, sink, { connections: 1 });
  const [first] = await untilLimited();
  await worker.stop();
  expect(seconds(first?.limited_until)).toBeGreaterThan(3400);
  expect(await claimMails(database)).toStrictEqual([]);
  // No worker looks for its mails until then.
  expect(await secondsUntilDue(database.service.db, undefined)).toBeGreaterThan(700);
  // Nor do its new mails go.
  await acceptRun(database, tenant, 1);
  expect(await claimOrPause()).toStrictEqual([]);

  await endLimitWait(database);
  const claims = await claimMails(database);
  expect(claims).toMatchObject([{ isLimitProbe: true }]);
  expect(await claimOrPause()).toStrictEqual([]);
  await database.pool.query("UPDATE delivery SET state = 'queued', lease_until = NULL, worker_id = NULL");
  // Whatever became of it.
  expect(seconds((await readLimits(database))[0]?.probe_at)).toBeGreaterThan(700);

  await endLimitWait(database);
  met = 0;
  const again = testWorker(database, sink, { connections: 2 });
  const [second] = await eventually(
    () => readLimits(database),
    ([row]) => met > 0 && seconds(row?.probe_at) > 700,
  );
  await again.stop();
  expect(met).toBe(1);
  expect(second).toMatchObject({ limited_since: first?.limited_since, limited_until: first?.limited_until });
});

test('a rate of a second is tried again after a minute, and each quarter of an hour from then on', async () => {
  limit('MAIL', '454 4.7.0 Throttling failure: Maximum sending rate exceeded');
  await acceptRun(database, tenant, 2);
  const worker = testWorker(database, sink, { connections: 1 });
  const [first] = await untilLimited();
  expect(seconds(first?.probe_at)).toBeLessThan(61);
  expect(first?.limited_until).toStrictEqual(first?.probe_at);
  await endLimitWait(database);
  const [second] = await eventually(
    () => readLimits(database),
    ([row]) => seconds(row?.limited_until) > 700,
  );
  await worker.stop();
  expect(second?.limited_until).toStrictEqual(second?.probe_at);
});

test('a mail that could not be composed was no try: the next one tries at once', async () => {
  const { prospectIds } = await acceptRun(database, tenant, 2);
  await database.pool.query(
    'UPDATE sender_throttle SET limited_since = now(), limited_until = now(), probe_at = now()',
  );
  const { accountId: account_id, senderGroupId: sender_group_id } = tenant;
  await database.db
    .insertInto('active_prospect')
    .values({ account_id, sender_group_id, prospect_id: prospectIds[0] ?? 0, active: false })
    .execute();
  expect(await claimBatch(database)).toMatchObject({ claims: [] });
  expect(await claimMails(database)).toMatchObject([{ isLimitProbe: true, prospectId: prospectIds[1] }]);
});

describe('another sender', () => {
  let other: Tenant;
  const isOf = (name: string) => (line: string) => line.includes(`${name}@`);

  /** Two senders, of which the sink limits some; the first is limited before the second has a mail. */
  async function oneIsLimited(limited: (line: string) => boolean) {
    other = await addTenant(database.db);
    await rename(tenant, 'one');
    await rename(other, 'two');
    limit('MAIL', '550 5.4.5 Daily user sending limit exceeded', limited);
    const { id } = await acceptRun(database, tenant, 6);
    const worker = testWorker(database, sink, { connections: 3 });
    await eventually(
      () => readTransport(database),
      ({ limit_suspected }) => limit_suspected,
    );
    await eventually(
      () => countStates(database.db),
      ({ queued }) => queued === 6,
    );
    return { id, worker };
  }

  async function rename({ accountId }: Tenant, name: string) {
    const email = `${name}@example.com`;
    await database.db.updateTable('sender_profile').set({ email }).where('account_id', '=', accountId).execute();
    await confirmAddress(database.db, accountId, email);
  }

  test('sends one mail first, and the others when that was taken; the limited one waits', async () => {
    const { worker } = await oneIsLimited(isOf('one'));
    expect(await readTransport(database)).toMatchObject({ limit_suspected: true, paused_until: null });
    await worker.stop();
    await acceptRun(database, other, 6);
    const batches = await Promise.all([1, 2, 3].map(() => claimOrPause()));
    expect(batches.flat()).toMatchObject([{ isProbe: true, isLimitProbe: false }]);
    await database.pool.query(
      "UPDATE delivery SET state = 'queued', lease_until = NULL, worker_id = NULL WHERE lease_until IS NOT NULL",
    );
    testWorker(database, sink, { connections: 3 });
    await eventually(
      () => countStates(database.db),
      ({ sent }) => sent === 6,
    );
    expect(await readTransport(database)).toMatchObject({ limit_suspected: false, paused_until: null });
    expect(await countStates(database.db)).toStrictEqual({ queued: 6, sent: 6 });
  });

  test('that meets it with this one mail pauses all sending, until one mail is taken', async () => {
    const { id, worker } = await oneIsLimited(() => true);
    met = 0;
    await acceptRun(database, other, 6);
    const transport = await eventually(
      () => readTransport(database),
      ({ limited_until }) => limited_until !== null,
    );
    await worker.stop();
    // At most one more where the connection had been used (decisions/lost-connections).
    expect(met).toBeLessThanOrEqual(2);
    expect(seconds(transport.paused_until)).toBeLessThan(901);
    expect(seconds(transport.limited_until)).toBeGreaterThan(80_000);
    expect(await progress(id)).toMatchObject({
      limited_until: formatSecond(transport.limited_until?.getTime() ?? 0),
      transport_paused_until: formatSecond(transport.paused_until?.getTime() ?? 0),
    });
    // A third sender waits too.
    await acceptRun(database, await addTenant(database.db), 1);
    expect(await claimOrPause()).toStrictEqual([]);

    sink.fault = () => null;
    await endLimitWait(database);
    testWorker(database, sink, { connections: 3 });
    expect(await untilSettled(database.db)).toStrictEqual({ sent: 13 });
    expect(await readTransport(database)).toMatchObject({ limited_until: null, paused_until: null, faults: 0 });
  });

  test('proves it by its probe alone: a mail that was under way when the first one met it proves nothing', async () => {
    await acceptRun(database, tenant, 2);
    const [under, probe] = await claimMails(database);
    const answer = (claim: Claim | undefined, isProbe: boolean) =>
      updateBreaker(
        { db: database.service.db, log: pino({ level: 'silent' }) },
        [{ claim: { ...(claim as Claim), isProbe }, outcome: { kind: 'sent', reply: '250' } }],
        true,
      );
    await suspectLimit(database.service.db);
    await answer(under, false);
    expect(await readTransport(database)).toMatchObject({ limit_suspected: true });
    await answer(probe, true);
    expect(await readTransport(database)).toMatchObject({ limit_suspected: false });
  });

  test('is not the limited one: its own mail that tries again leaves all others free', async () => {
    const { worker } = await oneIsLimited(isOf('one'));
    await endLimitWait(database);
    await eventually(
      () => readLimits(database),
      ([row]) => seconds(row?.probe_at) > 700,
    );
    await worker.stop();
    expect(await readTransport(database)).toMatchObject({
      limit_suspected: true,
      limited_until: null,
      paused_until: null,
    });
  });
});

test('members of a run are notified once of a mail that met a limit a day ago, which keeps waiting', async () => {
  limit('dot', DAILY);
  const { id } = await acceptRun(database, tenant, 2);
  const worker = testWorker(database, sink, { connections: 1 });
  await untilLimited();
  const told = async () => {
    await makeNotices(database.service.db);
    return database.db
      .selectFrom('notice')
      .select(['kind', 'count', 'subjects'])
      .where('kind', '=', 'stopped')
      .execute();
  };
  expect(await told()).toStrictEqual([]);
  for (let rounds = 0; rounds < 2; rounds += 1) {
    await database.pool.query("UPDATE delivery SET limited_since = now() - interval '24 hours'");
    await endLimitWait(database);
    await eventually(
      () => readLimits(database),
      ([row]) => seconds(row?.probe_at) > 700,
    );
  }
  await worker.stop();
  expect(await told()).toStrictEqual([{ kind: 'stopped', count: 1, subjects: [String(id)] }]);
  expect(await countStates(database.db)).toStrictEqual({ queued: 2 });
});
