import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import type { CallAnswer } from '#contract/call.ts';
import type { getSendLog } from '#contract/sending/runs.ts';
import { type Answer, type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import {
  acceptRun,
  claimMails,
  countStates,
  eventually,
  finishDeliveries,
  markSending,
  testSink,
  testWorker,
  unbalancedRuns,
  untilBlocked,
  untilSettled,
} from '#test/sending.ts';
import type { SmtpSink } from '#test/smtp-sink.ts';
import { renewLeases, requeueClaims } from '../delivery/leases/lease.queries.ts';
import { lockRun, resumeRun } from '../delivery/queue/run-rows.queries.ts';
import { pauseRunsOfRejectedSenders } from '../delivery/results/rejected-senders.command.ts';
import { sweepLostClaims } from '../delivery/results/sweep.queries.ts';

let database: TestDatabase;
let tenant: Tenant;
let client: Client;
let sink: SmtpSink;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  client = await clientOf(database, tenant.accountId);
  sink = await testSink();
  return async () => expect(await unbalancedRuns(database.db)).toStrictEqual([]);
});

const steer = (id: number, state: string): Promise<Answer> => client.put(`/send_log/${id}`, { update_info: { state } });
const run = async (id: number) => (await client.get(`/send_log/${id}`)).body as CallAnswer<typeof getSendLog>;
const updated = { status: 200, body: { status: 'updated' } };

const claim = (rows = 100) => claimMails(database, { rows });

const deferred = { kind: 'deferred', reply: '450 later' } as const;

/**
 * Pauses or cancels a run while a worker sends it, checks that no mail begins after the answer, and stops the worker.
 * @returns the run's id
 */
async function steerWhileSending(state: string): Promise<number> {
  sink.latencyMs = 20;
  let asked = 0;
  sink.fault = (moment) => {
    if (moment === 'DATA') asked += 1;
    return null;
  };
  const { id } = await acceptRun(database, tenant, 150);
  const worker = testWorker(database, sink, { connections: 4 });
  await eventually(
    () => sink.mails.length,
    (count) => count >= 10,
  );
  expect(await steer(id, state)).toMatchObject(updated);
  const { sending = 0, claimed = 0 } = await countStates(database.db);
  expect(claimed).toBe(0);
  const begun = sink.mails.length + sending;
  // A mail that the worker still held is refused at its mark, after the server's 354.
  await eventually(
    () => asked - sink.mails.length,
    (turnedAway) => turnedAway > 0,
  );
  await worker.stop();
  expect(sink.mails.length).toBeLessThanOrEqual(begun);
  return id;
}

describe('a run that is paused', () => {
  test('begins no mail after the answer, and continues where it stopped when it is resumed', async () => {
    const id = await steerWhileSending('paused');
    const paused = await run(id);
    expect(paused).toMatchObject({ paused_by: 'user', sending: 0, finished: false });
    expect(paused.queued + paused.sent).toBe(150);
    expect(paused.queued).toBeGreaterThan(0);
    expect(await steer(id, 'sending')).toStrictEqual(updated);
    testWorker(database, sink);
    expect(await untilSettled(database.db)).toStrictEqual({ sent: 150 });
    expect(new Set(sink.mails.map(({ messageId }) => messageId)).size).toBe(150);
    expect(sink.mails).toHaveLength(150);
    expect(await run(id)).toMatchObject({ paused_by: null, finished: true });
  });

  test('is not claimed, and takes claimed mails back from their workers', async () => {
    const { id } = await acceptRun(database, tenant, 6);
    const held = await claim(3);
    expect(await steer(id, 'paused')).toStrictEqual(updated);
    expect(await markSending(database.service.db, held)).toStrictEqual([false, false, false]);
    expect(await renewLeases(database.service.db, held)).toStrictEqual([false, false, false]);
    expect(await claim()).toStrictEqual([]);
    expect(await steer(id, 'paused')).toStrictEqual(updated);
    expect(await run(id)).toMatchObject({ queued: 6, sending: 0 });
  });

  test('keeps a mail paused that the server deferred meanwhile', async () => {
    const { id } = await acceptRun(database, tenant, 1);
    const held = await claim();
    await markSending(database.service.db, held);
    await steer(id, 'paused');
    await finishDeliveries(
      database.service.db,
      held.map((one) => ({ claim: one, outcome: deferred })),
    );
    expect(await unbalancedRuns(database.db)).toStrictEqual([]);
    expect(await run(id)).toMatchObject({ queued: 1 });
    expect(await claim()).toStrictEqual([]);
    await steer(id, 'sending');
    expect(await claim()).toMatchObject([{ attempts: 1 }]);
  });

  test('does not affect the other runs of its sender', async () => {
    const { id } = await acceptRun(database, tenant, 3);
    const other = await acceptRun(database, tenant, 3);
    await steer(id, 'paused');
    testWorker(database, sink);
    await eventually(
      () => run(other.id),
      ({ finished }) => finished,
    );
    expect(await run(id)).toMatchObject({ queued: 3, sent: 0 });
  });

  test('waits for its owner when the mail server refused its sender', async () => {
    sink.fault = (moment) => (moment === 'MAIL' ? '550 5.7.1 not you' : null);
    const { id } = await acceptRun(database, tenant, 30);
    testWorker(database, sink, { connections: 2 });
    const paused = await eventually(
      () => run(id),
      ({ paused_by, sending }) => paused_by !== null && sending === 0,
    );
    expect(paused).toMatchObject({ paused_by: 'sender_refused', queued: 30, failed: 0 });
    sink.fault = () => null;
    await steer(id, 'sending');
    expect(await untilSettled(database.db)).toStrictEqual({ sent: 30 });
  });
});

test('a late refusal of its sender does not pause a run that was resumed since', async () => {
  const { id } = await acceptRun(database, tenant, 1);
  const refused = (await claim()).map((one) => ({
    claim: one,
    outcome: { kind: 'sender-refused', reply: '550' } as const,
  }));
  await steer(id, 'paused');
  await finishDeliveries(database.service.db, refused);
  await steer(id, 'sending');
  await pauseRunsOfRejectedSenders(database.service.db, refused);
  expect(await run(id)).toMatchObject({ paused_by: null });
});

test('a refusal that waited for the lock of the resume does not pause it either', async () => {
  const { id } = await acceptRun(database, tenant, 1);
  const refused = (await claim()).map((one) => ({
    claim: one,
    outcome: { kind: 'sender-refused', reply: '550' } as const,
  }));
  await steer(id, 'paused');
  await finishDeliveries(database.service.db, refused);
  let pausing: Promise<void> | undefined;
  await database.db.transaction().execute(async (tx) => {
    const run = { accountId: tenant.accountId, id };
    await lockRun(tx, run);
    await resumeRun(tx, { ...run, paused_by: 'user' });
    pausing = pauseRunsOfRejectedSenders(database.service.db, refused);
    await untilBlocked(database);
    // As if a transaction that began later had committed first.
    await sql`UPDATE delivery SET not_before = clock_timestamp()`.execute(tx);
  });
  await pausing;
  expect(await run(id)).toMatchObject({ paused_by: null });
});

describe('a run that is cancelled', () => {
  test('begins no mail after the answer; mails that had begun are finished', async () => {
    const id = await steerWhileSending('cancelled');
    const cancelled = await run(id);
    expect(cancelled).toMatchObject({ queued: 0, sending: 0, finished: true });
    expect(cancelled.sent + cancelled.cancelled).toBe(150);
    expect(cancelled.sent).toBe(sink.mails.length);
    const reasons = await database.db
      .selectFrom('delivery')
      .select('reason')
      .where('state', '=', 'cancelled')
      .distinct()
      .execute();
    expect(reasons).toStrictEqual([{ reason: 'run_cancelled' }]);
    expect(await steer(id, 'cancelled')).toMatchObject(updated);
    expect(await steer(id, 'sending')).toMatchObject({ status: 409, body: { code: 'run_finished' } });
  });

  test('frees its companies for another run', async () => {
    const { id, prospectIds } = await acceptRun(database, tenant, 2);
    await steer(id, 'cancelled');
    const answer = await client.post(`/mail/send/${tenant.senderId}`, {
      test_send_mode: 0,
      attack_list: prospectIds.map((prospect_id) => ({ prospect_id })),
    });
    expect(answer.body).toMatchObject({ accepted: 2, skipped: [] });
  });

  test('does not retry a mail that the server defers after the answer', async () => {
    const { id } = await acceptRun(database, tenant, 1);
    const held = await claim();
    await markSending(database.service.db, held);
    await steer(id, 'cancelled');
    expect(await run(id)).toMatchObject({ sending: 1, finished: false });
    await finishDeliveries(
      database.service.db,
      held.map((one) => ({ claim: one, outcome: deferred })),
    );
    expect(await run(id)).toMatchObject({ cancelled: 1, finished: true });
  });

  test('can be cancelled while it is paused', async () => {
    const { id } = await acceptRun(database, tenant, 2);
    await steer(id, 'paused');
    await steer(id, 'cancelled');
    expect(await run(id)).toMatchObject({ cancelled: 2, paused_by: null, finished: true });
  });

  test('1,000 mails are cancelled when the request is answered', async () => {
    const { id } = await acceptRun(database, tenant, 1000);
    await steer(id, 'cancelled');
    expect(await run(id)).toMatchObject({ cancelled: 1000 });
  }, 30_000);
});

describe('a run that has ended', () => {
  test.each(['paused', 'sending', 'cancelled'])('is refused to be %s', async (state) => {
    const { id } = await acceptRun(database, tenant, 1);
    testWorker(database, sink);
    await untilSettled(database.db);
    expect(await steer(id, state)).toMatchObject({ status: 409, body: { code: 'run_finished' } });
  });

  test('a send log recorded by hand cannot be paused or cancelled', async () => {
    const { prospectIds } = await acceptRun(database, tenant, 1);
    const { body } = await client.post('/send_log', {
      sender_group_id: tenant.senderGroupId,
      attack_list: prospectIds,
    });
    expect(await steer((body as { id: number }).id, 'paused')).toMatchObject({ status: 404 });
  });
});

test('a resume locks the mails by id, wherever they are in the table', async () => {
  const { id } = await acceptRun(database, tenant, 3);
  await steer(id, 'paused');
  const { db } = database;
  const { first } = await db
    .selectFrom('delivery')
    .select(({ fn }) => fn.min<number>('id').as('first'))
    .executeTakeFirstOrThrow();
  // Writing an indexed column moves the first mail behind the others.
  for (const at of ['2026-01-01', 'infinity'])
    await sql`UPDATE delivery SET not_before = ${at}::timestamptz WHERE id = ${first}`.execute(db);
  // With statistics the planner scans so small a table from its beginning.
  await sql`ANALYZE delivery`.execute(db);
  const resuming = await db.transaction().execute(async (tx) => {
    await sql`SELECT FROM delivery WHERE id = ${first} FOR UPDATE`.execute(tx);
    const asked = steer(id, 'sending');
    await untilBlocked(database);
    const { rows } = await sql`SELECT FROM delivery WHERE id > ${first} FOR UPDATE SKIP LOCKED`.execute(tx);
    expect(rows).toHaveLength(2);
    return { asked };
  });
  expect(await resuming.asked).toStrictEqual(updated);
});

test('pauses and resumes during other work on the run neither deadlock nor lose a mail', async () => {
  const { id } = await acceptRun(database, tenant, 120);
  const { db } = database.service;
  let over = false;
  const work = async () => {
    while (!over) {
      const held = await claim(60);
      await Promise.all([
        renewLeases(db, held.toReversed()),
        markSending(db, held.slice(20).toReversed()),
        renewLeases(db, held),
      ]);
      await requeueClaims(db, held);
      await finishDeliveries(
        db,
        held.slice(20).map((one) => ({ claim: one, outcome: { kind: 'unmarked', reply: '' } })),
      );
      await sweepLostClaims(db);
    }
  };
  const working = [work(), work()];
  for (let n = 0; n < 25; n += 1) {
    expect(await steer(id, n % 2 === 0 ? 'paused' : 'sending')).toStrictEqual(updated);
    expect(await unbalancedRuns(database.db)).toStrictEqual([]);
  }
  over = true;
  await Promise.all(working);
  await steer(id, 'cancelled');
  expect(await countStates(database.db)).toStrictEqual({ cancelled: 120 });
}, 60_000);
