import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import {
  type BoxSinks,
  boxServices,
  leaveBy,
  outboundTo,
  passwordOf,
  sendByBox,
  startBoxSink,
} from '#test/box-sinks.ts';
import { emptyDatabase, type TestDatabase, testDatabase } from '#test/db.ts';
import { addOAuthMailbox, registerOAuthApp } from '#test/mailboxes.ts';
import { OAUTH_CLIENT, serveOAuth } from '#test/oauth-provider.ts';
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

/** Two cells with one key, and an account at home that has an address at the new one. */
async function cells() {
  const [home, target] = [await emptyDatabase(), await testDatabase()];
  await setCell(target.pool, 3);
  await giveTestKey(target.db);
  const tenant = await addTenant(home.db);
  await home.db
    .insertInto('account_host')
    .values({ account_id: tenant.accountId, host: new URL(NEW_HOME).host, is_current: true })
    .execute();
  return { home, target, tenant };
}

/** @param before the thaw, when both cells have the account */
const move = (home: TestDatabase, target: TestDatabase, accountId: number, before: () => Promise<void>) =>
  moveAccount(
    {
      home: home.service,
      target,
      url: NEW_HOME,
      lateMailTo: 'b-{key}@new.example',
      thawServices: (db) => ({ db, accountDb: accountDbOf(db), takeHeldMail: async () => 'ignored' }),
      onStep: async (step) => {
        if (step === 'thaw') await before();
      },
    },
    accountId,
  );

const rowsIn = async ({ db }: TestDatabase, accountId: number) =>
  (
    await sql`SELECT to_jsonb(m) AS mailbox, to_jsonb(s) AS state, p.id AS profile, p.email, to_jsonb(o) AS app
      FROM mailbox m JOIN mailbox_state s ON s.account_id = m.account_id AND s.mailbox_id = m.id
      JOIN sender_profile p ON p.account_id = m.account_id AND p.mailbox_id = m.id
      LEFT JOIN oauth_app o ON o.account_id = m.account_id
      WHERE m.account_id = ${accountId}`.execute(db)
  ).rows;

test('a mailbox moves with its account: seal, state and senders; its other mails leave by the new home alone', async () => {
  const { home, target, tenant } = await cells();
  const { accountId } = tenant;
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
  let there: unknown[] = [];
  let byHome = 0;
  const moved = await move(home, target, accountId, async () => {
    there = await rowsIn(target, accountId);
    byHome = sink.mails.length;
  });
  expect(moved).toMatchObject({ cell: 3 });
  expect(there).toHaveLength(1);
  expect(there).toStrictEqual(await rowsIn(home, accountId));
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

test('a consent moves with its registration: the new home alone renews its token, and no started consent moves', async () => {
  const { home, target, tenant } = await cells();
  const { accountId } = tenant;
  const provider = await serveOAuth();
  const sinks: BoxSinks = new Map();
  const sink = await startBoxSink(sinks, HOST);
  const from = `person@${HOST}`;
  Object.assign(sink, {
    login: null,
    token: (user: string, token: string) => user === from && provider.accepts(token),
  });
  await registerOAuthApp(home.db, accountId, 'microsoft');
  const info = { address: from, username: from, smtp_host: HOST, token_expires_at: new Date(Date.now() - 1000) };
  const id = await addOAuthMailbox(home.db, accountId, provider, info);
  await leaveBy(home, tenant, id, from);
  const held = { token_lease: randomUUID(), token_lease_until: new Date(Date.now() - 1) };
  await home.db.updateTable('mailbox').set(held).execute();
  await home.db
    .insertInto('oauth_start')
    .values({
      account_id: accountId,
      state_hash: Buffer.alloc(32, 1),
      member_id: tenant.memberId,
      mailbox_id: id,
      redirect_uri: 'https://old.example/oauth/callback',
      verifier: 'v',
      expires_at: new Date(Date.now() + 600_000),
    })
    .execute();
  await acceptRun(home, tenant, 2);
  const services = { ...boxServices(sinks), outbound: { ...outboundTo(sinks), fetch: provider.outbound.fetch } };
  let there: unknown[] = [];
  await move(home, target, accountId, async () => {
    there = await rowsIn(target, accountId);
    // The home is frozen: it asks for no token, and claims nothing.
    testWorker(home, await testSink(), { mailboxes: services });
  });
  expect(there).toStrictEqual(await rowsIn(home, accountId));
  expect(there).toMatchObject([{ app: { provider: 'microsoft', client_id: OAUTH_CLIENT.id } }]);
  expect(await target.db.selectFrom('oauth_start').selectAll().execute()).toStrictEqual([]);
  const before = await readMailbox(home.db, { accountId, id });
  expect(provider.asked).toStrictEqual([]);

  testWorker(target, await testSink(), { mailboxes: services });
  await untilSettled(target.db, 60_000);
  expect(await countStates(target.db)).toStrictEqual({ sent: 2 });
  expect([sink.mails.length, provider.asked.length]).toStrictEqual([2, 1]);
  const after = await readMailbox(target.db, { accountId, id });
  expect(after?.secret?.equals(before?.secret ?? Buffer.alloc(0))).toBe(false);
  expect(await readMailbox(home.db, { accountId, id })).toStrictEqual(before);
});
