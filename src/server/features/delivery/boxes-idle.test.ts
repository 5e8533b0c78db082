import { setTimeout as sleep } from 'node:timers/promises';
import type { PluginTransformQueryArgs } from 'kysely';
import { expect, test } from 'vitest';
import { type BoxSinks, boxServices, sendByBox, startBoxSink } from '#test/box-sinks.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addTenant } from '#test/prospects.ts';
import { acceptRun, countStates, eventually, testSink, testWorker } from '#test/sending.ts';
import { noteBoxMails } from '../mailboxes/mailbox-state.command.ts';

/** Counts the claims of mailboxes: each looks for a profile to lock. */
function countingClaims(database: TestDatabase): { readonly counted: TestDatabase; readonly claims: () => number } {
  let claims = 0;
  const db = database.service.db.withPlugin({
    transformQuery({ node }: PluginTransformQueryArgs) {
      if (JSON.stringify(node).includes('JOIN mailbox_state state') && JSON.stringify(node).includes('OF t SKIP'))
        claims += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  return { counted: { ...database, service: { ...database.service, db } }, claims: () => claims };
}

/** The done list's time, and the most claims of a worker in it. */
const [QUIET_MS, CLAIMS_MAX] = [5000, 1];

test('rule 8: two workers look for 1,000 mails of a lost mailbox at most once in 5 s each, and find them once it is able again', async () => {
  const database = await emptyDatabase();
  const tenant = await addTenant(database.db);
  const { accountId } = tenant;
  const sinks: BoxSinks = new Map();
  const host = 'mail.lost.example';
  const sink = await startBoxSink(sinks, host);
  const id = await sendByBox(database, tenant, host);
  await acceptRun(database, tenant, 1000);
  await database.db.updateTable('mailbox').set({ state: 'reconnect' }).execute();
  const relay = await testSink();
  const workers = [countingClaims(database), countingClaims(database)];
  for (const { counted } of workers) testWorker(counted, relay, { mailboxes: boxServices(sinks) });
  const claims = () => workers.map((worker) => worker.claims());
  // The first claim replaces the notes.
  await eventually(claims, (counts) => counts.some((count) => count > 0));
  await sleep(QUIET_MS / 2);
  const before = claims();
  await sleep(QUIET_MS);
  const since = claims().map((count, index) => count - (before[index] ?? 0));
  expect(since.filter((count) => count > CLAIMS_MAX)).toStrictEqual([]);
  expect(await countStates(database.db)).toStrictEqual({ queued: 1000 });
  expect(await database.db.selectFrom('sender_due').selectAll().execute()).toStrictEqual([]);

  await database.account(accountId, tenant.memberId).transaction(async (tx) => {
    await tx.updateTable('mailbox').set({ state: 'ok' }).where('id', '=', id).execute();
    await noteBoxMails(tx, { accountId, id });
  });
  await eventually(
    () => sink.mails.length,
    (mails) => mails > 0,
  );
});

test('mailboxes whose servers do not greet delay no mail of the mail server of the environment', async () => {
  const database = await emptyDatabase();
  const relays = await addTenant(database.db);
  const sinks: BoxSinks = new Map();
  for (let n = 0; n < 20; n += 1) {
    const tenant = await addTenant(database.db);
    const host = `mail${n}.slow.example`;
    const sink = await startBoxSink(sinks, host);
    sink.fault = (moment) => (moment === 'greeting' ? 'silence' : null);
    await sendByBox(database, tenant, host);
    await acceptRun(database, tenant, 5);
  }
  await acceptRun(database, relays, 300);
  const relay = await testSink();
  testWorker(database, relay, { mailboxes: boxServices(sinks) });
  await eventually(
    () => countStates(database.db),
    ({ sent }) => sent === 300,
    60_000,
  );
  expect(relay.mails).toHaveLength(300);
  // All lanes of mailboxes were tried meanwhile: one each.
  await eventually(
    () => [...sinks.values()].map(({ mostConnections }) => mostConnections),
    (connections) => connections.every((one) => one === 1),
  );
});
