import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { emptyDatabase } from '#test/db.ts';
import { ask, makeInstallation } from '#test/installation.ts';
import { eventually } from '#test/sending.ts';
import { newestVersion } from '../../platform/database/migrate.ts';
import { httpApp } from '../../platform/http/http-app.ts';
import { startLoop } from '../../platform/loop.ts';
import { prepareDatabase } from '../open-database.ts';
import { lookAtSchema } from './watch-schema.ts';

const LOOK_MS = 10;
const log = pino({ level: 'silent' });

/** Watches the schema of a new database, as a process does. */
async function watched() {
  const { db, login } = await emptyDatabase();
  const failures: string[] = [];
  const { stop } = startLoop({
    log,
    task: 'look at the schema',
    async work() {
      await lookAtSchema({ db: login, log, fail: (message) => void failures.push(message) });
      return LOOK_MS;
    },
  });
  const newest = await newestVersion();
  onTestFinished(async () => {
    await stop();
    await sql`DELETE FROM schema_migration WHERE version > ${newest}`.execute(db);
  });
  return {
    failures,
    newest,
    /** Adds a migration as a newer program does. @param oldest null: it says nothing */
    migrate: (version: number, oldest: number | null) =>
      sql`INSERT INTO schema_migration (version, name, oldest_program) VALUES (${version}, 'later', ${oldest})`.execute(
        db,
      ),
  };
}

test('a program runs beside a schema that permits it, and ends where a later one does not', async () => {
  const { failures, newest, migrate } = await watched();
  // The next one permits it without a word.
  await migrate(newest + 1, null);
  await migrate(newest + 2, newest - 1);
  await sleep(20 * LOOK_MS);
  expect(failures).toStrictEqual([]);
  await migrate(newest + 3, newest + 1);
  const [message] = await eventually(
    () => failures,
    ({ length }) => length > 0,
  );
  expect(message).toContain(`必要な版 ${newest + 1}、このプログラム ${newest}`);
});

test('a program that says nothing of older ones permits the one before it alone', async () => {
  const { failures, newest, migrate } = await watched();
  await migrate(newest + 2, null);
  await eventually(
    () => failures,
    ({ length }) => length > 0,
  );
});

test('a version that permits no older program ends the one before it too', async () => {
  const { failures, newest, migrate } = await watched();
  await migrate(newest + 1, newest + 1);
  await eventually(
    () => failures,
    ({ length }) => length > 0,
  );
});

test('an old program starts beside a newer schema that permits it, as owner and without, and refuses another', async () => {
  const { access, adminUrl, prefix, drop } = await makeInstallation();
  onTestFinished(drop);
  const urls = { ...access, owner: null };
  const starts = [() => prepareDatabase(access), () => prepareDatabase(urls, { schemaWaitMs: 0 })];
  await prepareDatabase(access);
  const newest = await newestVersion();
  const migrateTo = (version: number, oldest: number | null) =>
    ask(
      adminUrl,
      `INSERT INTO schema_migration (version, name, oldest_program) VALUES (${version}, 'later', ${oldest})`,
    );
  await migrateTo(newest + 1, null);
  // What the newer program stores with a role is no business of this one.
  await ask(adminUrl, `ALTER ROLE ${prefix}_service SET jit = off`);
  for (const start of starts) await start();
  const settings = `SELECT FROM pg_db_role_setting WHERE setrole = '${prefix}_service'::regrole AND 'jit=off' = ANY (setconfig)`;
  expect(await ask(adminUrl, settings)).toHaveLength(1);
  await migrateTo(newest + 2, newest);
  for (const start of starts) await start();
  await migrateTo(newest + 3, newest + 1);
  for (const start of starts) await expect(start()).rejects.toThrow(`データベース ${newest + 3}、プログラム ${newest}`);
});

test('from then on each request gets 503 and when to ask again', async () => {
  let isOutdated = false;
  const app = await httpApp({ isOutdated: () => isOutdated });
  app.get('/', async () => 'ok');
  const ask = async () => {
    const { statusCode, headers, body } = await app.inject('/');
    return [statusCode, headers['retry-after'], body];
  };
  expect(await ask()).toStrictEqual([200, undefined, 'ok']);
  isOutdated = true;
  expect(await ask()).toStrictEqual([503, '5', expect.stringContaining('new_version')]);
});
