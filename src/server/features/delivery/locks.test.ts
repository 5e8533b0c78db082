import { sql } from 'kysely';
import { pino } from 'pino';
import { beforeEach, expect, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addTenant, addTextOf, profileOf, type Tenant } from '#test/prospects.ts';
import { acceptRun, claimMails, countStates, finishDeliveries, markSending, untilBlocked } from '#test/sending.ts';
import { updateLimit } from '../rule-settings/limits.command.ts';
import type { Claim } from './leases/claim.ts';
import { lockRun, pauseRun } from './queue/run-rows.queries.ts';
import { recordSenderLimits } from './quota/sender-limits.command.ts';
import { setSenderPace } from './quota/sender-pace.command.ts';

let database: TestDatabase;
let tenant: Tenant;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
});

/** Runs `work` while another transaction holds the locks of `query`. A claim that waits for them never ends. */
const whileLocked = <Result>(query: string, work: () => Promise<Result>): Promise<Result> =>
  database.service.db.transaction().execute(async (tx) => {
    await sql.raw(query).execute(tx);
    return work();
  });

test('a claim skips mails that another transaction has locked', async () => {
  await acceptRun(database, tenant, 3);
  const claim = () => claimMails(database);
  expect(await whileLocked('SELECT FROM delivery ORDER BY id LIMIT 1 FOR UPDATE', claim)).toHaveLength(2);
  expect(await claim()).toHaveLength(1);
});

test('a claim skips a profile for which another worker is claiming, and takes the next', async () => {
  await acceptRun(database, tenant, 2);
  const other = await addTenant(database.db);
  const lockFirst = `SELECT FROM sender_throttle WHERE account_id = ${tenant.accountId} FOR UPDATE`;
  expect(await whileLocked(lockFirst, () => claimMails(database))).toStrictEqual([]);
  await acceptRun(database, other, 1);
  const claimed = await whileLocked(lockFirst, () => claimMails(database));
  expect(claimed.map(({ senderId }) => senderId)).toStrictEqual([other.senderId]);
  expect(await claimMails(database)).toHaveLength(2);
});

const requeues: [string, (claims: readonly Claim[]) => Promise<unknown>][] = [
  [
    'a new pace',
    () => setSenderPace(database.service.db, { accountId: tenant.accountId, id: tenant.senderId }, { perMinute: 60 }),
  ],
  [
    'a limit of ours',
    ([claim]) =>
      recordSenderLimits({ db: database.service.db, log: pino({ level: 'silent' }) }, [
        { claim: claim as Claim, outcome: { kind: 'limited', reply: '550 5.4.5', seconds: 3600 } },
      ]),
  ],
];

test.each(requeues)(
  '%s locks the profile before the mails of its texts, so that it waits for claims',
  async (_, act) => {
    await acceptRun(database, await addTextOf(database.db, tenant), 2);
    await acceptRun(database, tenant, 2);
    const claims = [...(await claimMails(database)), ...(await claimMails(database))];
    expect(claims).toHaveLength(4);
    const { acting } = await whileLocked('SELECT FROM sender_throttle FOR UPDATE', async () => {
      const begun = act(claims);
      await untilBlocked(database);
      const free = await database.pool.query('SELECT FROM delivery FOR UPDATE SKIP LOCKED');
      expect(free.rowCount).toBe(4);
      return { acting: begun };
    });
    await acting;
    expect(await countStates(database.db)).toStrictEqual({ queued: 4 });
  },
);

test('a limit of the day is changed after the mails are locked, as bounces that pause a run do', async () => {
  await acceptRun(database, tenant, 1);
  await claimMails(database);
  const profileId = await profileOf(database.db, tenant.senderId);
  const member = { ...database.account(tenant.accountId), memberId: tenant.memberId };
  await updateLimit(member, profileId, { update_info: { per_day: 5 } });
  await claimMails(database);
  const { changing } = await whileLocked('SELECT FROM delivery FOR UPDATE', async () => {
    const begun = updateLimit(member, profileId, { update_info: { per_day: 6 } });
    await untilBlocked(database);
    const free = await database.pool.query('SELECT FROM sender_limit FOR UPDATE SKIP LOCKED');
    expect(free.rowCount).toBe(1);
    return { changing: begun };
  });
  expect(await changing).toMatchObject({ status: 'updated' });
});

test('a mail that is deferred while a person pauses its run waits for the resume', async () => {
  const { id } = await acceptRun(database, tenant, 1);
  const claims = await claimMails(database);
  expect(await markSending(database.service.db, claims)).toStrictEqual([true]);
  const deferred = claims.map((claim) => ({ claim, outcome: { kind: 'deferred', reply: '451' } as const }));
  const run = { accountId: tenant.accountId, id };
  const finished = await database.service.db.transaction().execute(async (tx) => {
    await lockRun(tx, run);
    await pauseRun(tx, run, 'user');
    const finishing = finishDeliveries(database.service.db, deferred);
    await untilBlocked(database);
    return { finishing };
  });
  expect(await finished.finishing).toStrictEqual([true]);
  const { rows } = await database.pool.query('SELECT state, not_before::text FROM delivery');
  expect(rows).toStrictEqual([{ state: 'queued', not_before: 'infinity' }]);
});
