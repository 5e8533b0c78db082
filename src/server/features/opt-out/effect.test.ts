import { beforeEach, describe, expect, test } from 'vitest';
import { accountDbOf } from '#server/platform/database/account-db.ts';
import { Problem } from '#server/platform/problem.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { TEST_MAILING } from '#test/mailing.ts';
import { addPrimary } from '#test/people.ts';
import { addDelivery, addReservation } from '#test/prospect-history.ts';
import { addProspects, addSender, addSenderGroup, addTenant, profileOf, type Tenant } from '#test/prospects.ts';
import {
  acceptRun,
  claimMails,
  eventually,
  finishDeliveries,
  markSending,
  testSink,
  testWorker,
  unbalancedRuns,
  untilBlocked,
  untilSettled,
} from '#test/sending.ts';
import { sweepSuppressions } from '../delivery/after-sending/cancel-suppressed.queries.ts';
import type { Claim } from '../delivery/leases/claim.ts';
import { startReservation } from '../reservations/due.command.ts';
import { acceptSend } from '../runs/accept.command.ts';
import { retryFailures } from '../runs/retry.command.ts';
import { addSuppressions } from '../suppressions/write-suppressions.queries.ts';
import { refuseMail } from './link.command.ts';

let database: TestDatabase;
let tenant: Tenant;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
});

const mails = () =>
  database.db
    .selectFrom('delivery')
    .select(['id', 'state', 'reason', 'mail_to', 'mail_key', 'prospect_id', 'worker_id', 'lease_until'])
    .orderBy('id')
    .execute();
const stateOf = async (address: string) =>
  (await mails()).flatMap(({ mail_to, state, reason }) => (mail_to === address ? [[state, reason]] : []));

/** Refuses with the key of the first mail to an address. */
async function refuse(address: string) {
  const mail = (await mails()).find(({ mail_to }) => mail_to === address);
  const key = mail?.mail_key?.replaceAll('-', '') ?? '';
  const services = { login: database.login, now: Date.now, accountDb: accountDbOf(database.api) };
  return refuseMail(services, key, { source: 'one_click', wholeDomain: false, reason: null });
}

/** Stores a suppression, and cancels nothing yet. */
const suppress = (kind: 'address' | 'domain', value: string) =>
  database.account(tenant.accountId).transaction((tx) => {
    const { accountId } = tenant;
    const values = [{ kind, value }];
    return addSuppressions(tx, { accountId, values, class: 'blocked', source: 'manual', memberId: null });
  });

const CANCELLED = ['cancelled', 'suppressed'];
const OTHER = 'info1@a.example';
const REFUSED = 'info0@a.example';

describe('a mail to a refused address', () => {
  test('lawful 30: that waits is cancelled, also that of a paused run', async () => {
    await acceptRun(database, tenant, 2);
    await database.db
      .updateTable('delivery')
      .set({ not_before: 'infinity' as never })
      .execute();
    await refuse(REFUSED);
    expect(await stateOf(REFUSED)).toStrictEqual([CANCELLED]);
    expect(await stateOf(OTHER)).toStrictEqual([['queued', null]]);
  });

  test('lawful 31: that a worker holds is cancelled, and refused at its mark', async () => {
    await acceptRun(database, tenant, 2);
    const claims = await claimMails(database);
    await refuse(REFUSED);
    expect(await stateOf(REFUSED)).toStrictEqual([CANCELLED]);
    expect(await markSending(database.service.db, claims)).toStrictEqual(claims.map(({ mailTo }) => mailTo === OTHER));
  });

  test('is refused at its mark as soon as the refusal is stored, though nobody has cancelled it yet', async () => {
    await acceptRun(database, tenant, 2);
    const claims = await claimMails(database);
    await suppress('address', REFUSED);
    expect(await markSending(database.service.db, claims)).toStrictEqual(claims.map(({ mailTo }) => mailTo === OTHER));
    expect(await stateOf(REFUSED)).toStrictEqual([['claimed', null]]);
  });

  test('lawful 32: whose body is being sent arrives, and no other', async () => {
    await acceptRun(database, tenant, 1);
    const claims = await claimMails(database);
    await markSending(database.service.db, claims);
    await refuse(REFUSED);
    expect(await stateOf(REFUSED)).toStrictEqual([['sending', null]]);
    const outcome = { kind: 'sent', reply: '250 OK' } as const;
    expect(
      await finishDeliveries(
        database.service.db,
        claims.map((claim) => ({ claim, outcome })),
      ),
    ).toStrictEqual([true]);
    expect(await stateOf(REFUSED)).toStrictEqual([['sent', null]]);
  });

  test('lawful 33: whose claim has judged it and not committed yet is waited for, and cancelled', async () => {
    await acceptRun(database, tenant, 1);
    const { promise: isClaimed, resolve: hold } = Promise.withResolvers<void>();
    const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>();
    const claiming = database.service.db.transaction().execute(async (tx) => {
      await tx
        .updateTable('delivery')
        .set({ state: 'claimed', lease_until: new Date(Date.now() + 60_000), claim_no: 1 })
        .execute();
      hold();
      await mayCommit;
    });
    await isClaimed;
    const refused = refuse(REFUSED);
    await untilBlocked(database);
    commit();
    await claiming;
    await refused;
    expect(await stateOf(REFUSED)).toStrictEqual([CANCELLED]);
  });

  test('lawful 34: is cancelled by the sweep where the process died between its two transactions', async () => {
    await acceptRun(database, tenant, 2);
    await suppress('address', REFUSED);
    expect(await sweepSuppressions(database.service.db, 500)).toBe(1);
    expect(await stateOf(REFUSED)).toStrictEqual([CANCELLED]);
    expect(await stateOf(OTHER)).toStrictEqual([['queued', null]]);
    expect(await sweepSuppressions(database.service.db, 500)).toBe(0);
  });

  test('lawful 36: of a reservation that is being started is cancelled at its claim', async () => {
    const { accountId, senderId } = tenant;
    const [company = 0] = await addProspects(database.db, accountId, [{ company_email: REFUSED }]);
    const profile = { account_id: accountId, profile_id: await profileOf(database.db, senderId) };
    await addDelivery(database.db, tenant, company, { state: 'failed', mailTo: REFUSED });
    const id = await addReservation(database.db, tenant, [company], { sendAt: new Date(Date.now() - 1000) });
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const holding = database.db.transaction().execute(async (tx) => {
      await tx.insertInto('sender_throttle').values(profile).execute();
      locked.resolve();
      await released;
    });
    await locked.promise;
    const starting = startReservation(database.service.db, { accountId, id }, Date.now(), TEST_MAILING);
    // Its target was checked, and its mail is not written yet.
    await untilBlocked(database);
    await refuse(REFUSED);
    release();
    await holding;
    expect(await starting).toMatchObject({ sendLogId: expect.any(Number) });
    expect(await stateOf(REFUSED)).toStrictEqual([
      ['failed', null],
      ['queued', null],
    ]);
    expect(await claimMails(database)).toStrictEqual([]);
    expect((await stateOf(REFUSED)).at(-1)).toStrictEqual(CANCELLED);
  });

  test('lawful 37: that failed is not sent again', async () => {
    const { id } = await acceptRun(database, tenant, 1);
    const claims = await claimMails(database);
    const outcome = { kind: 'failed', reply: '554 no', badAddress: false } as const;
    await finishDeliveries(
      database.service.db,
      claims.map((claim) => ({ claim, outcome })),
    );
    await refuse(REFUSED);
    const answer = await retryFailures(database.account(tenant.accountId, tenant.memberId), id, Date.now());
    expect(answer).not.toBeInstanceOf(Problem);
    expect(answer).toMatchObject({ accepted: 0, skipped: [{ reason: 'suppressed' }] });
  });

  test('lawful 38: that was sent again after an unknown result becomes unknown again', async () => {
    await acceptRun(database, tenant, 1);
    await database.db.updateTable('delivery').set({ maybe_sent: true }).execute();
    await refuse(REFUSED);
    expect(await stateOf(REFUSED)).toStrictEqual([['unknown', 'suppressed']]);
  });

  test('lawful 41, 42: goes to no second company with it; a company with another address is mailed', async () => {
    const { prospectIds } = await acceptRun(database, tenant, 3);
    const [first = 0, second = 0] = prospectIds;
    const move = (id: number, address: string) =>
      database.db
        .updateTable('prospect')
        .set({ company_email: address, email_search: address })
        .where('id', '=', id)
        .execute();
    // The first company gave its address to the second one; both mails wait.
    await move(first, 'new@a.example');
    await move(second, REFUSED);
    await refuse(REFUSED);
    const states = (await mails()).map(({ prospect_id, state, reason }) => [
      prospectIds.indexOf(prospect_id),
      state,
      reason,
    ]);
    expect(states).toStrictEqual([
      [0, 'queued', null],
      [1, ...CANCELLED],
      [2, 'queued', null],
    ]);
  });

  test('lawful 43, 44: is cancelled in every group, and in no other account', async () => {
    const group = { ...tenant, senderGroupId: await addSenderGroup(database.db, tenant.accountId) };
    const second = { ...group, senderId: await addSender(database.db, group) };
    const other = await addTenant(database.db);
    await acceptRun(database, tenant, 1);
    await acceptRun(database, second, 1);
    await acceptRun(database, other, 1);
    await database.db
      .updateTable('delivery')
      .set({ mail_to: REFUSED })
      .where('account_id', '=', tenant.accountId)
      .execute();
    await database.db
      .updateTable('prospect')
      .set({ company_email: REFUSED, email_search: REFUSED })
      .where('account_id', '=', tenant.accountId)
      .execute();
    await refuse(REFUSED);
    expect(await stateOf(REFUSED)).toStrictEqual([CANCELLED, CANCELLED, ['queued', null]]);
  });

  test('lawful 45: a refused domain does not cover the domains below it', async () => {
    await acceptRun(database, tenant, 3);
    const [first, second] = await mails();
    await database.db
      .updateTable('prospect')
      .set({ company_email: 'info@sub.a.example', email_search: 'info@sub.a.example' })
      .where('id', '=', second?.prospect_id ?? 0)
      .execute();
    await suppress('domain', 'a.example');
    await sweepSuppressions(database.service.db, 500);
    expect((await mails()).map(({ state }) => state)).toStrictEqual(['cancelled', 'queued', 'cancelled']);
    expect(first?.mail_to).toBe(REFUSED);
  });

  test('of a test run is sent: its address was typed in', async () => {
    await acceptRun(database, tenant, 1, { test: true });
    const claims: readonly Claim[] = await claimMails(database);
    await suppress('address', 'test+0@example.com');
    await sweepSuppressions(database.service.db, 500);
    expect(await markSending(database.service.db, claims)).toStrictEqual([true]);
  });
});

test('no mail is claimed or marked after the answer to its refusal, while two workers send a run', async () => {
  const sink = await testSink();
  sink.latencyMs = 10;
  await acceptRun(database, tenant, 150);
  testWorker(database, sink, { connections: 2 });
  testWorker(database, sink, { connections: 2 });
  await eventually(
    () => sink.mails.length,
    (sent) => sent > 0,
  );
  const atAnswer = new Map<string, string | undefined>();
  for (let n = 5; n < 150; n += 5) {
    const address = `info${n}@a.example`;
    await refuse(address);
    const [[state] = []] = await stateOf(address);
    atAnswer.set(address, state ?? undefined);
  }
  await untilSettled(database.db);
  const states = [...atAnswer.values()];
  expect(states.filter((state) => state !== 'cancelled' && state !== 'sending' && state !== 'sent')).toStrictEqual([]);
  expect(states).toContain('cancelled');
  const arrived = new Set(sink.mails.flatMap(({ to }) => to));
  expect([...atAnswer].filter(([address, state]) => arrived.has(address) === (state === 'cancelled'))).toStrictEqual(
    [],
  );
  expect(await unbalancedRuns(database.db)).toStrictEqual([]);
});

test('a refusal by the link of a person stops their address, and nothing goes to their company instead, while two workers send a run', async () => {
  const sink = await testSink();
  sink.latencyMs = 10;
  const { accountId, senderId } = tenant;
  const ids = await addProspects(
    database.db,
    accountId,
    Array.from({ length: 90 }, (_, n) => ({ company_email: `info${n}@a.example` })),
  );
  for (const [n, id] of ids.entries()) await addPrimary(database.db, tenant, id, { email: `person${n}@a.example` });
  const body = { test_send_mode: 0 as const, datetime_list: null, days_from_lastday: 7 };
  const attack_list = ids.map((prospect_id) => ({ prospect_id }));
  const request = { senderId, body: { ...body, attack_list, send_to: 'primary_or_company' as const } };
  const account = database.account(accountId, tenant.memberId);
  await acceptSend(account, { ...request, idempotencyKey: null, ...TEST_MAILING }, Date.now());
  testWorker(database, sink, { connections: 2 });
  testWorker(database, sink, { connections: 2 });
  await eventually(
    () => sink.mails.length,
    (sent) => sent > 0,
  );
  const atAnswer = new Map<number, string | undefined>();
  for (let n = 85; n > 5; n -= 5) {
    await refuse(`person${n}@a.example`);
    atAnswer.set(n, (await stateOf(`person${n}@a.example`))[0]?.[0] ?? undefined);
  }
  await untilSettled(database.db);
  const states = [...atAnswer.values()];
  expect(states).toContain('cancelled');
  expect(states.filter((state) => !['cancelled', 'sending', 'sent'].includes(state ?? ''))).toStrictEqual([]);
  const arrived = new Set(sink.mails.flatMap(({ to }) => to));
  expect([...arrived].filter((address) => address.startsWith('info'))).toStrictEqual([]);
  const wrong = [...atAnswer].filter(([n, state]) => arrived.has(`person${n}@a.example`) === (state === 'cancelled'));
  expect(wrong).toStrictEqual([]);
  expect(await unbalancedRuns(database.db)).toStrictEqual([]);
});
