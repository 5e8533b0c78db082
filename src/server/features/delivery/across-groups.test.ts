import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { TEST_MAILING } from '#test/mailing.ts';
import { addGroup, addProspects, addTenant, profileOf, type Tenant } from '#test/prospects.ts';
import {
  claimMails,
  eventually,
  finishDeliveries,
  markSending,
  testSink,
  testWorker,
  untilBlocked,
} from '#test/sending.ts';
import { acceptSend } from '../runs/accept.command.ts';
import { decideUnknown } from '../runs/decide-unknown.command.ts';
import { retryFailures } from '../runs/retry.command.ts';

/** Two groups of an account that look at each other's mails. */

let database: TestDatabase;
let first: Tenant;
let second: Tenant;

beforeEach(async () => {
  database = await emptyDatabase();
  first = await addTenant(database.db);
  second = await addGroup(database.db, first);
});

const lookAcross = () =>
  database.db.insertInto('account_rule').values({ account_id: first.accountId, across_groups: true }).execute();

const companies = (count: number, company_email?: string) =>
  addProspects(
    database.db,
    first.accountId,
    Array.from({ length: count }, (_, n) => ({ company_email: company_email ?? `info${n}@a.example` })),
  );

async function accept({ accountId, memberId, senderId }: Tenant, ids: readonly number[], days = 7, isTest = false) {
  const attack_list = ids.map((prospect_id) => ({ prospect_id, company_email: 'test@example.com' }));
  const body = { test_send_mode: isTest ? (1 as const) : (0 as const), attack_list, days_from_lastday: days };
  const request = { senderId, body, idempotencyKey: null, ...TEST_MAILING };
  const answer = await acceptSend(database.account(accountId, memberId), request, Date.now());
  if ('status' in answer && typeof answer.status === 'string') return answer;
  return expect.unreachable();
}
const skipped = async (...order: Parameters<typeof accept>) =>
  (await accept(...order)).skipped.map(({ reason }) => reason);

const claim = () => claimMails(database, { rows: 100 });
const groups = (claims: Awaited<ReturnType<typeof claim>>) => claims.map(({ senderGroupId }) => senderGroupId);
const states = async (of: Tenant) =>
  (
    await database.db
      .selectFrom('delivery')
      .select(['state', 'reason'])
      .where('sender_group_id', '=', of.senderGroupId)
      .orderBy('id')
      .execute()
  ).map(({ state, reason }) => [state, reason]);

/** Claims mails of one group, whichever have waited longer. */
async function claimOf({ senderId }: Tenant) {
  const profile = await profileOf(database.db, senderId);
  await sql`UPDATE sender_throttle SET next_at = now() - (profile_id = ${profile})::integer * interval '1 hour'`.execute(
    database.db,
  );
  return claim();
}

const UNKNOWN = { kind: 'unknown', reply: 'no answer' } as const;
const ELSEWHERE = 'recently_sent_elsewhere';

test('an order leaves out companies and addresses with an open mail of another group, a test run too', async () => {
  await lookAcross();
  const [id = 0, other = 0] = [...(await companies(1)), ...(await companies(1))];
  await accept(first, [id]);
  expect(await skipped(second, [id])).toStrictEqual([ELSEWHERE]);
  expect(await skipped(second, [other])).toStrictEqual([ELSEWHERE]);
  expect(await skipped(second, [id], 7, true)).toStrictEqual([ELSEWHERE]);
  expect(await skipped(second, [id], 0)).toStrictEqual([]);
});

test('what another group has sent counts within the interval, unless the account looks at one group', async () => {
  const [id = 0] = await companies(1);
  await accept(first, [id]);
  const claims = await claim();
  const results = claims.map((held) => ({ claim: held, outcome: { kind: 'sent', reply: '250' } as const }));
  await finishDeliveries(database.service.db, results, Date.now());
  expect(await skipped(second, [id], 7, true)).toStrictEqual([]);
  await lookAcross();
  expect(await skipped(second, [id])).toStrictEqual([ELSEWHERE]);
  // Its own mail is the reason that comes first.
  expect(await skipped(first, [id])).toStrictEqual(['recently_sent']);
});

test.each([0, 1])(
  'of two accepted mails to an address the earlier leaves, whichever is claimed first: %i',
  async (at) => {
    await accept(first, await companies(1));
    await accept(second, await companies(1));
    await lookAcross();
    const claims = [...(await claimOf(at === 0 ? first : second)), ...(await claimOf(at === 0 ? second : first))];
    expect(groups(claims)).toStrictEqual([first.senderGroupId]);
    expect(await states(second)).toStrictEqual([['cancelled', ELSEWHERE]]);
  },
);

test('a mail that was claimed while nobody looked across groups leaves, and the earlier one does not', async () => {
  const ids = await companies(1);
  await accept(first, ids);
  await accept(second, ids);
  expect(groups(await claimOf(second))).toStrictEqual([second.senderGroupId]);
  await lookAcross();
  expect(await claimOf(first)).toStrictEqual([]);
  expect(await states(first)).toStrictEqual([['cancelled', ELSEWHERE]]);
});

test('concurrent claims of one account recheck one after the other', async () => {
  await accept(first, await companies(1));
  await lookAcross();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: locked, resolve: lock } = Promise.withResolvers<void>();
  const holder = database.db.transaction().execute(async (tx) => {
    await tx.selectFrom('account_rule').select('account_id').forNoKeyUpdate().execute();
    lock();
    await released;
  });
  await locked;
  const claimed = claim();
  await untilBlocked(database);
  release();
  await holder;
  expect(await claimed).toHaveLength(1);
});

test('a failed mail is not sent again while another group is about to mail its company', async () => {
  await lookAcross();
  const [id = 0] = await companies(1);
  const { send_log_id } = await accept(first, [id]);
  const outcome = { kind: 'failed', reply: '550', badAddress: false } as const;
  const results = (await claim()).map((held) => ({ claim: held, outcome }));
  await finishDeliveries(database.service.db, results, Date.now());
  await accept(second, [id]);
  const account = database.account(first.accountId, first.memberId);
  expect(await retryFailures(account, send_log_id ?? 0, Date.now())).toMatchObject({
    accepted: 0,
    skipped: [{ reason: ELSEWHERE }],
  });
});

test('an unknown mail is not sent again to a company that another group has mailed since', async () => {
  const [id = 0] = await companies(1);
  await accept(first, [id]);
  const [held] = await claim();
  if (!held) return expect.unreachable();
  await markSending(database.service.db, [held]);
  await finishDeliveries(database.service.db, [{ claim: held, outcome: UNKNOWN }], Date.now());
  await accept(second, [id], 0);
  const account = database.account(first.accountId, first.memberId);
  const sendAgain = async () => {
    const { claim_no } = await database.db
      .selectFrom('delivery')
      .select('claim_no')
      .where('id', '=', held.id)
      .executeTakeFirstOrThrow();
    return decideUnknown(account, held.id, { state: 'queued', claimNo: claim_no }, Date.now());
  };
  await lookAcross();
  expect(await sendAgain()).toMatchObject({ code: 'left_out' });
  await database.db.updateTable('account_rule').set({ across_groups: false }).execute();
  expect(await sendAgain()).toStrictEqual({ status: 'updated' });
  await database.db.updateTable('account_rule').set({ across_groups: true }).execute();
  // It was asked for before; it stays unknown, as it may have arrived.
  await database.db
    .updateTable('delivery')
    .set({ state: 'sent', finished_at: new Date() })
    .where('sender_group_id', '=', second.senderGroupId)
    .execute();
  await database.db
    .insertInto('contact_state')
    .values({
      account_id: first.accountId,
      sender_group_id: second.senderGroupId,
      prospect_id: id,
      last_sent_at: new Date(),
    })
    .execute();
  expect(await claim()).toStrictEqual([]);
  expect(await states(first)).toStrictEqual([['unknown', ELSEWHERE]]);
});

test('eight workers and two groups with the same companies: each gets one mail', async () => {
  const ids = await companies(20);
  await accept(first, ids);
  await accept(second, ids.toReversed());
  await lookAcross();
  const sink = await testSink();
  for (let n = 0; n < 8; n += 1) testWorker(database, sink, { connections: 2 });
  await eventually(
    async () => [...(await states(first)), ...(await states(second))],
    (all) => all.every(([state]) => state === 'sent' || state === 'cancelled'),
  );
  expect(new Set(sink.mails.map(({ to }) => String(to))).size).toBe(20);
  expect(sink.mails).toHaveLength(20);
});
