import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { type BoxSinks, boxServices, passwordOf, sendByBox, startBoxSink } from '#test/box-sinks.ts';
import { emptyDatabase, type TestDatabase, testDatabase } from '#test/db.ts';
import { addTenant } from '#test/prospects.ts';
import { giveTestKey, testSecrets } from '#test/secrets.ts';
import { acceptRun, countStates, eventually, testSink, testWorker, untilSettled } from '#test/sending.ts';
import { accountDbOf } from '../../platform/database/account-db.ts';
import { setCell } from '../../platform/database/cell.ts';
import { openMailbox, readMailbox } from '../mailboxes/mailbox.queries.ts';
import { moveAccount } from './move-account.command.ts';

const HOST = 'mail.haru.example';
const NEW_HOME = 'https://acme.kaitaku.example.jp';
const MAILS = 6;

test('a mailbox moves with its account: seal, state and senders; its other mails leave by the new home alone', async () => {
  const [home, target] = [await emptyDatabase(), await testDatabase()];
  await setCell(target.pool, 3);
  await giveTestKey(target.db);
  const tenant = await addTenant(home.db);
  const { accountId } = tenant;
  await home.db
    .insertInto('account_host')
    .values({ account_id: accountId, host: new URL(NEW_HOME).host, is_current: true })
    .execute();
  const sinks: BoxSinks = new Map();
  const relay = await testSink();
  const sink = await startBoxSink(sinks, HOST);
  const id = await sendByBox(home, tenant, HOST, { per_minute: 60 });
  await home.db
    .updateTable('mailbox_state')
    .set({ max_mail_bytes: 9_000_000, uid_validity: 7, last_uid: 42 })
    .execute();
  await acceptRun(home, tenant, MAILS);
  const worker = (database: TestDatabase) => testWorker(database, relay, { mailboxes: boxServices(sinks) });
  worker(home);
  await eventually(
    () => sink.mails.length,
    (count) => count >= 2,
  );
  const rowsIn = async ({ db }: TestDatabase) =>
    (
      await sql`SELECT to_jsonb(m) AS mailbox, to_jsonb(s) AS state, p.id AS profile, p.email
        FROM mailbox m JOIN mailbox_state s ON s.account_id = m.account_id AND s.mailbox_id = m.id
        JOIN sender_profile p ON p.account_id = m.account_id AND p.mailbox_id = m.id
        WHERE m.account_id = ${accountId}`.execute(db)
    ).rows;
  let there: unknown[] = [];
  let byHome = 0;
  const moved = await moveAccount(
    {
      home: home.service,
      target,
      url: NEW_HOME,
      lateMailTo: 'b-{key}@new.example',
      thawServices: (db) => ({ db, accountDb: accountDbOf(db), takeHeldMail: async () => 'ignored' }),
      onStep: async (step) => {
        if (step !== 'thaw') return;
        there = await rowsIn(target);
        byHome = sink.mails.length;
      },
    },
    accountId,
  );
  expect(moved).toMatchObject({ cell: 3 });
  expect(there).toHaveLength(1);
  expect(there).toStrictEqual(await rowsIn(home));
  const box = await readMailbox(target.db, { accountId, id });
  expect(box && openMailbox(testSecrets, box)).toStrictEqual({ password: passwordOf(HOST) });

  // The worker of the home still runs, and the copy has waiting mails.
  expect(byHome).toBeLessThan(MAILS);
  worker(target);
  await untilSettled(target.db, 60_000);
  expect(await countStates(target.db)).toStrictEqual({ sent: MAILS });
  const { sent: sentAtHome = 0 } = await countStates(home.db);
  expect(sentAtHome).toBe(byHome);
  expect(new Set(sink.mails.map(({ messageId }) => messageId)).size).toBe(MAILS);
  expect([sink.mails.length, relay.mails.length]).toStrictEqual([MAILS, 0]);
});
