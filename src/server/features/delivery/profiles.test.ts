import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addSender, addTenant, addTextOf, type Tenant } from '#test/prospects.ts';
import {
  acceptRun,
  claimBatch,
  claimMails,
  countStates,
  eventually,
  finishDeliveries,
  markSending,
  testSink,
  testWorker,
  untilSettled,
  WORKER_A,
  WORKER_B,
} from '#test/sending.ts';
import { endLimitWait, readLimits } from '#test/transport-pause.ts';
import { runProgress } from '../runs/progress.queries.ts';
import { secondsUntilDue } from './claim/claim.queries.ts';
import { pauseRun } from './queue/run-rows.queries.ts';
import { setSenderPace } from './quota/sender-pace.command.ts';

let database: TestDatabase;
/** A sender, and two further texts of its profile. */
let first: Tenant;
let second: Tenant;
let third: Tenant;

beforeEach(async () => {
  database = await emptyDatabase();
  first = await addTenant(database.db);
  second = await addTextOf(database.db, first);
  third = await addTextOf(database.db, first);
});

const setPace = ({ accountId, senderId: id }: Tenant, pace: { perMinute?: number; connections?: number }) =>
  setSenderPace(database.service.db, { accountId, id }, pace);
const sendersOf = (claims: readonly { senderId: number }[]) => [...new Set(claims.map(({ senderId }) => senderId))];

describe('the texts of one profile share', () => {
  test('its connections, over all workers', async () => {
    await acceptRun(database, first, 10);
    await acceptRun(database, second, 10);
    await setPace(second, { connections: 6 });
    const [one, other] = [
      await claimBatch(database, { workerId: WORKER_A }),
      await claimBatch(database, { workerId: WORKER_B }),
    ];
    expect([one, other]).toMatchObject([{ connections: 4 }, { connections: 2 }]);
    expect([one, other].map((batch) => sendersOf(batch?.claims ?? []))).toStrictEqual([
      [first.senderId],
      [second.senderId],
    ]);
    expect(await claimBatch(database, { workerId: crypto.randomUUID() })).toBeNull();
  });

  test('its pace, over all workers', async () => {
    await acceptRun(database, first, 2);
    await acceptRun(database, second, 2);
    await setPace(first, { perMinute: 60 });
    expect(await claimMails(database, { workerId: WORKER_A })).toHaveLength(1);
    expect(await claimMails(database, { workerId: WORKER_B })).toStrictEqual([]);
  });

  test('the mails of its minute: those that another text has sent or holds count', async () => {
    await acceptRun(database, first, 3);
    await acceptRun(database, second, 5);
    await setPace(first, { perMinute: 4 });
    const later = () => sql`UPDATE sender_throttle SET next_at = 'epoch'`.execute(database.db);
    const { db } = database.service;
    for (const workerId of [WORKER_A, WORKER_B]) {
      const claims = await claimMails(database, { workerId });
      await markSending(db, claims);
      if (workerId === WORKER_A) {
        await finishDeliveries(
          db,
          claims.map((claim) => ({ claim, outcome: { kind: 'sent', reply: '250' } })),
        );
      }
      await later();
    }
    // One is sent and one is held, of the first text; the pace of the second is what they leave.
    await claimMails(database, { workerId: WORKER_B });
    await later();
    expect(sendersOf(await claimMails(database, { workerId: WORKER_A }))).toStrictEqual([second.senderId]);
    await later();
    expect(await claimMails(database, { workerId: crypto.randomUUID() })).toStrictEqual([]);
  });

  test('and profiles do not: another one of the same address has limits of its own', async () => {
    const alone = { ...first, senderId: await addSender(database.db, first) };
    for (const tenant of [first, second, alone]) await acceptRun(database, tenant, 2);
    expect(await setPace(first, { perMinute: 60 })).toStrictEqual([second.senderId, third.senderId]);
    const claims = [await claimMails(database), await claimMails(database), await claimMails(database)].flat();
    expect(claims.map(({ senderId }) => senderId).toSorted((a, b) => a - b)).toStrictEqual(
      [first, alone, alone].map(({ senderId }) => senderId),
    );
  });
});

test('a new pace takes effect for the claimed mails of all texts', async () => {
  await acceptRun(database, first, 2);
  await acceptRun(database, second, 2);
  const claims = [...(await claimMails(database)), ...(await claimMails(database))];
  expect(sendersOf(claims)).toStrictEqual([first.senderId, second.senderId]);
  await setPace(second, { perMinute: 60 });
  expect(await markSending(database.service.db, claims)).toStrictEqual([false, false, false, false]);
});

describe('the text with the oldest mail has its turn', () => {
  /** Claims one mail after the other. @returns the senders in their order */
  async function turns(mails: number): Promise<number[]> {
    const senders: number[] = [];
    while (senders.length < mails) {
      const claims = await claimMails(database, { rows: 1 });
      if (claims.length === 0) break;
      senders.push(...claims.map(({ senderId }) => senderId));
    }
    return senders;
  }

  test('whichever sender it is of, by the time at which it is due and then by its number', async () => {
    for (const tenant of [second, first, third, second]) await acceptRun(database, tenant, 1);
    const { rows } = await sql<{ id: number }>`SELECT id FROM delivery ORDER BY id`.execute(database.db);
    // The third is the oldest, the others are due at one moment.
    await sql`UPDATE delivery SET not_before = now() - interval '1 minute'`.execute(database.db);
    await sql`UPDATE delivery SET not_before = 'epoch' WHERE id = ${rows[2]?.id}`.execute(database.db);
    expect(await turns(4)).toStrictEqual([third, second, first, second].map(({ senderId }) => senderId));
  });

  test('and one whose mails were paused meanwhile holds up no other', async () => {
    const { id } = await acceptRun(database, first, 2);
    await acceptRun(database, second, 2);
    await database
      .account(first.accountId)
      .transaction((tx) => pauseRun(tx, { accountId: first.accountId, id }, 'user'));
    expect(await turns(4)).toStrictEqual([second.senderId, second.senderId]);
    expect(await secondsUntilDue(database.service.db, undefined)).toBe(Number.POSITIVE_INFINITY);
  });

  test('and a mail that waits for its next try is not the oldest until then', async () => {
    await acceptRun(database, first, 1);
    await acceptRun(database, second, 1);
    const [claim] = await claimMails(database);
    if (!claim) return expect.unreachable();
    await finishDeliveries(database.service.db, [{ claim, outcome: { kind: 'deferred', reply: '450' } }]);
    expect(await turns(2)).toStrictEqual([second.senderId]);
    expect(await secondsUntilDue(database.service.db, undefined)).toBeGreaterThan(40);
  });
});

test('a limit that one text has met holds the others, until the one mail that tries it is taken', async () => {
  const sink = await testSink();
  sink.fault = (moment) => (moment === 'MAIL' ? '550 5.4.5 Daily user sending limit exceeded' : null);
  const runs = [await acceptRun(database, first, 3), await acceptRun(database, second, 3)];
  await setPace(first, { connections: 1 });
  const worker = testWorker(database, sink, { connections: 2 });
  const [limit] = await eventually(
    () => readLimits(database),
    ([row]) => row?.limited_since instanceof Date,
  );
  await worker.stop();
  expect(await countStates(database.db)).toStrictEqual({ queued: 6 });
  // The other's mails wait, as its members see, and no worker looks for them.
  expect(await claimMails(database)).toStrictEqual([]);
  expect(await secondsUntilDue(database.service.db, undefined)).toBeGreaterThan(700);
  const progress = () => Promise.all(runs.map(({ id }) => runProgress(database.db, first.accountId, id, Date.now())));
  const told = (await progress()).map((run) => run?.limited_until);
  expect(told).toStrictEqual([expect.any(String), told[0]]);

  sink.fault = () => null;
  await endLimitWait(database);
  expect(limit?.probe_at).toBeInstanceOf(Date);
  testWorker(database, sink, { connections: 2 });
  expect(await untilSettled(database.db)).toStrictEqual({ sent: 6 });
  expect(await readLimits(database)).toMatchObject([{ limited_since: null, probe_at: null }]);
});

test('a run ends when the mails of other texts before it have left, too', async () => {
  await acceptRun(database, first, 60);
  const { id } = await acceptRun(database, second, 30);
  await setPace(third, { perMinute: 60 });
  const now = Date.now();
  const end = (await runProgress(database.db, first.accountId, id, now))?.estimated_end_at;
  const seconds = (Date.parse(`${end?.replaceAll('/', '-').replace(' ', 'T')}+09:00`) - now) / 1000;
  expect(seconds).toBeCloseTo(90, -1);
});
