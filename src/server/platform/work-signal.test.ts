import pg from 'pg';
import { pino } from 'pino';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addReservation } from '#test/prospect-history.ts';
import { addProspects, addTenant } from '#test/prospects.ts';
import { acceptRun, eventually } from '#test/sending.ts';
import { openListeningClient } from './database/db.ts';
import { listenForWork } from './work-signal.ts';

let database: TestDatabase;
let wakes: number;
let warnings: string[];

beforeEach(async () => {
  database = await emptyDatabase();
  wakes = 0;
  warnings = [];
});

function listen(openClient = () => openListeningClient(database.url), echoMs = 60_000) {
  const signal = listenForWork({
    openClient,
    db: database.service.db,
    log: pino({ level: 'warn' }, { write: (line) => void warnings.push(line) }),
    echoMs,
    echoEveryMs: 50,
  });
  onTestFinished(() => signal.close());
  signal.subscribe(() => {
    wakes += 1;
  });
  return signal;
}

const untilWoken = async (change: () => Promise<unknown>) => {
  const before = wakes;
  await change();
  await eventually(
    () => wakes,
    (count) => count > before,
  );
};

test('mail, a reservation and the end of a pause are announced; what is due much later is not', async () => {
  const tenant = await addTenant(database.db);
  const signal = listen();
  await eventually(signal.isListening, Boolean);
  await untilWoken(() => acceptRun(database, tenant, 3));
  const reserve = async (sendAt: Date) => {
    const ids = await addProspects(database.db, tenant.accountId, [{ company_name: '株式会社予約' }]);
    await addReservation(database.db, tenant, ids, { sendAt });
  };
  await untilWoken(() => reserve(new Date(Date.now() + 1000)));
  await untilWoken(() => database.db.updateTable('transport').set({ paused_until: new Date() }).execute());

  const before = wakes;
  await reserve(new Date(Date.now() + 3_600_000));
  await database.db
    .updateTable('delivery')
    .set({ not_before: new Date(Date.now() + 60_000) })
    .execute();
  // Announcements arrive in the order of their commits.
  await untilWoken(() => database.db.updateTable('transport').set({ paused_until: null }).execute());
  expect(wakes).toBe(before + 1);
});

test('a lost connection is reopened, and waiting loops are woken at both', async () => {
  const signal = listen();
  await eventually(signal.isListening, Boolean);
  const seen: boolean[] = [];
  signal.subscribe(() => seen.push(signal.isListening()));
  await database.pool.query(`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND query LIKE 'LISTEN %'`);
  await eventually(
    () => seen,
    (states) => states.includes(false) && states.at(-1) === true,
  );
  expect(warnings.join()).toMatch(/cannot listen for database notifications; polling until the next try/);
});

test('a pooler that drops notifications without an error counts as not listening', async () => {
  // In transaction mode the pooler accepts LISTEN, but no client receives the notifications.
  const openClient = () => {
    const client = openListeningClient(database.url);
    const query = client.query.bind(client) as (text: string) => Promise<unknown>;
    return Object.assign(client, {
      query: (text: string) => query(text.replaceAll(/LISTEN \w+/g, 'SELECT 1')) as never,
    });
  };
  const signal = listen(openClient, 200);
  await eventually(
    () => warnings.join(),
    (lines) => lines.includes('no notification arrived'),
  );
  expect(signal.isListening()).toBe(false);
});

test('an unreachable database is logged, and nothing is thrown', async () => {
  const signal = listen(() => new pg.Client({ host: '127.0.0.1', port: 1 }));
  await eventually(
    () => warnings.join(),
    (lines) => lines.includes('ECONNREFUSED'),
  );
  expect(signal.isListening()).toBe(false);
});
