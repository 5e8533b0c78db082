import { sql } from 'kysely';
import pg from 'pg';
import { pino } from 'pino';
import { beforeAll, beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest';
import { prepareDatabase } from '#server/commands/open-database.ts';
import { startReservationScheduler } from '#server/features/reservations/reservation-scheduler.ts';
import { openSessionOf } from '../accounts.ts';
import { addFullTenant } from '../authorization/full-tenant.ts';
import { requestOf } from '../authorization/matrix-row.ts';
import { MATRIX } from '../authorization/matrix-rows.ts';
import { clientAt, clientOf, readAnswer, serve } from '../client.ts';
import { createTestDatabase, empty, type TestDatabase } from '../db.ts';
import { fillDisk } from '../fill-disk.ts';
import { TEST_MAILING } from '../mailing.ts';
import { accessTo } from '../open-as.ts';
import { addReservation } from '../prospect-history.ts';
import { addProspects, addTenant } from '../prospects.ts';
import { acceptRun, countStates, eventually, testSink, testWorker, unbalancedRuns, untilSettled } from '../sending.ts';

/** bad-inputs 131 and 132: a read-only database, and one whose disk is full at the commit. */

// Not the shared database: connections are closed when the test makes it read-only and back.
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  return () => database.drop();
});

beforeEach(() => empty(database));

/** Makes the database read-only until the end of the test. */
async function becomeReadOnly(): Promise<void> {
  onTestFinished(() => setReadOnly(false));
  await setReadOnly(true);
}

/** Changes all connections; open ones are closed, as when a server becomes a standby. */
async function setReadOnly(isReadOnly: boolean): Promise<void> {
  const name = new URL(database.url).pathname.slice(1);
  const admin = new pg.Client({ connectionString: inject('adminUrl') });
  await admin.connect();
  await admin.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${isReadOnly}`);
  await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
  await admin.end();
  // A pool drops a closed connection at the event, or at its next use.
  const { db, api, login, service } = database;
  const uses = [db, api, login, service.db].flatMap((pool) =>
    Array.from({ length: 10 }, () => sql`SELECT 1`.execute(pool)),
  );
  await Promise.allSettled(uses);
}

const UNAVAILABLE = {
  status: 503,
  body: { code: 'database_unavailable', message: expect.stringMatching(/やり直して/) },
};

describe('bad-inputs 131: a read-only database', () => {
  test('each call is answered, or refused with a Japanese message that it is not possible now', async () => {
    const owner = await addFullTenant(database.db, 'owner');
    const authorization = `Bearer ${await openSessionOf(database.login, owner.accountId, Date.now())}`;
    const address = await serve(database);
    const own = (route: string) => MATRIX[route]?.own(owner, clientAt(address, authorization));
    const asks = await Promise.all(Object.keys(MATRIX).map(async (route) => ({ route, ...(await own(route)) })));
    await becomeReadOnly();
    const refused: string[] = [];
    for (const { route, path = '/', body } of asks) {
      const response = await fetch(address + path, {
        method: route.split(' ')[0] as string,
        ...requestOf(body),
        headers: { authorization, ...requestOf(body).headers },
      });
      const text = await readAnswer(response);
      if (response.status < 500) continue;
      expect({ route, status: response.status, body: JSON.parse(text) }).toStrictEqual({ route, ...UNAVAILABLE });
      refused.push(route);
    }
    const isRead = (route: string) => route.startsWith('GET ');
    expect(refused.filter(isRead)).toStrictEqual([]);
    expect(refused).toContain('POST /mail/send/:sender_id');
  });

  test('a worker sends nothing while it cannot record it, and everything once afterwards', async () => {
    const tenant = await addTenant(database.db);
    await acceptRun(database, tenant, 5);
    await becomeReadOnly();
    const sink = await testSink();
    testWorker(database, sink);
    await untilRefused();
    expect(sink.mails).toHaveLength(0);
    await setReadOnly(false);
    expect(await untilSettled(database.db)).toStrictEqual({ sent: 5 });
    expect(sink.mails).toHaveLength(5);
    expect(await unbalancedRuns(database.db)).toStrictEqual([]);
  });

  test('the program reports it instead of starting', async () => {
    await becomeReadOnly();
    await expect(prepareDatabase(accessTo(database.url))).rejects.toThrow(/読み取り専用.*起動し直して/);
  });
});

describe('bad-inputs 132: a full disk at commit', () => {
  test('a run is refused whole, and accepted once when there is space', async () => {
    const tenant = await addTenant(database.db);
    const client = await clientOf(database, tenant.accountId);
    const ids = await addProspects(database.db, tenant.accountId, [{ company_email: 'info@a.example' }]);
    const send = () =>
      client.post(
        `/mail/send/${tenant.senderId}`,
        { test_send_mode: 0, attack_list: ids.map((prospect_id) => ({ prospect_id })), days_from_lastday: 7 },
        { 'idempotency-key': '0123456789abcdef' },
      );
    const makeRoom = await fillDisk(database, 'send_log');
    expect(await send()).toMatchObject({ status: 503, body: { code: 'storage_full' } });
    expect(await countStates(database.db)).toStrictEqual({});
    await makeRoom();
    expect(await send()).toMatchObject({ status: 200, body: { accepted: 1 } });
    expect(await send()).toMatchObject({ status: 200, body: { accepted: 1 } });
    expect(await countStates(database.db)).toStrictEqual({ queued: 1 });
  });

  test('a due reservation is started as soon as there is space', async () => {
    const tenant = await addTenant(database.db);
    const targets = await addProspects(database.db, tenant.accountId, [{ company_email: 'info@a.example' }]);
    await addReservation(database.db, tenant, targets, { sendAt: new Date(Date.now() - 1000) });
    const makeRoom = await fillDisk(database, 'send_log');
    const log = pino({ level: 'silent' });
    onTestFinished(startReservationScheduler({ db: database.service.db, now: Date.now, log, ...TEST_MAILING }));
    await untilRefused();
    await makeRoom();
    // Long before the retry of a mail that is itself the cause.
    await eventually(
      () => countStates(database.db),
      ({ queued }) => queued === 1,
    );
  });

  test('a worker whose claims cannot be stored sends nothing, and everything once afterwards', async () => {
    const tenant = await addTenant(database.db);
    await acceptRun(database, tenant, 5);
    const makeRoom = await fillDisk(database, 'delivery');
    const sink = await testSink();
    testWorker(database, sink);
    await untilRefused();
    expect(sink.mails).toHaveLength(0);
    await makeRoom();
    expect(await untilSettled(database.db)).toStrictEqual({ sent: 5 });
    expect(sink.mails).toHaveLength(5);
    expect(await unbalancedRuns(database.db)).toStrictEqual([]);
  });
});

/** Waits until the worker's transactions have failed several times. */
async function untilRefused(): Promise<void> {
  const rolledBack = async () => {
    const { rows } = await database.pool.query(
      'SELECT xact_rollback FROM pg_stat_database WHERE datname = current_database()',
    );
    return Number(rows[0].xact_rollback);
  };
  const before = await rolledBack();
  await eventually(rolledBack, (count) => count > before + 1);
}
