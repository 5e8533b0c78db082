import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { Problem } from '#server/platform/problem.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { TEST_MAILING } from '#test/mailing.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { nextReservable } from '#test/reservations.ts';
import { testSink, testWorker, untilSettled } from '#test/sending.ts';
import { sentRun } from '#test/sent-run.ts';
import { startReservation } from './due.command.ts';
import { reserve } from './reservation.command.ts';

let database: TestDatabase;
let tenant: Tenant;
let first: Awaited<ReturnType<typeof sentRun>>;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  first = await sentRun(database, tenant, 4);
});

/** Reserves mails for the next hour. @param follow_up_of undefined: first mails */
async function reserveMails(prospectIds: readonly number[], follow_up_of?: number) {
  const content = { attack_list: prospectIds.map((prospect_id) => ({ prospect_id })), active: 1 as const };
  const add_info = {
    ...content,
    sender_id: tenant.senderId,
    send_at: new Date(nextReservable()),
    test_send_mode: 0 as const,
  };
  const account = database.account(tenant.accountId, tenant.memberId);
  const body = { add_info, duplicate_key_update_info: content, follow_up_of };
  const answer = await reserve(account, body, Date.now(), TEST_MAILING);
  if (answer instanceof Problem) throw new Error(answer.message);
  return answer;
}

/** Has a reservation fall due now. */
async function start(id: number | null): Promise<void> {
  await sql`UPDATE reservation SET send_at = now() - interval '1 second' WHERE id = ${id}`.execute(database.db);
  const due = { accountId: tenant.accountId, id: id ?? 0 };
  expect(await startReservation(database.service.db, due, Date.now(), TEST_MAILING)).toMatchObject({
    sendLogId: expect.any(Number),
  });
}

const mailsAfter = (run: number) =>
  database.db
    .selectFrom('delivery')
    .select(['prospect_id', 'state', 'reason', 'follows_id'])
    .where('send_log_id', '>', run)
    .orderBy('row_index')
    .execute();
const firstMailOf = async (prospectId: number | undefined) =>
  database.db
    .selectFrom('delivery')
    .select(['id', 'message_id'])
    .where('send_log_id', '=', first.id)
    .where('prospect_id', '=', prospectId ?? 0)
    .executeTakeFirstOrThrow();

test('a reserved follow-up is judged again when it falls due, and goes into the thread of its first mail', async () => {
  const { accountId: account_id } = tenant;
  const [answered = 0, bounced = 0, refused = 0, silent = 0] = first.prospectIds;
  const { status, id, skipped } = await reserveMails(first.prospectIds, first.id);
  expect([status, skipped]).toStrictEqual(['added', []]);
  const { db } = database;
  // Somebody has handled it: it stops no first mail, but a follow-up.
  const answer = { account_id, prospect_id: answered, kind: 'reply', handled_at: new Date() };
  await db.insertInto('reply').values(answer).execute();
  const { id: bouncedMail } = await firstMailOf(bounced);
  await db.updateTable('delivery').set({ state: 'failed' }).where('id', '=', bouncedMail).execute();
  const stop = { account_id, kind: 'address', value: 'info2@a.example', class: 'refused' };
  await db.insertInto('suppression').values(stop).execute();

  await start(id);
  const followed = await firstMailOf(silent);
  expect(await mailsAfter(first.id)).toMatchObject([
    { prospect_id: answered, state: 'cancelled', reason: 'replied' },
    { prospect_id: bounced, state: 'cancelled', reason: 'not_followable' },
    { prospect_id: refused, state: 'cancelled', reason: 'suppressed' },
    { prospect_id: silent, state: 'queued', reason: null, follows_id: followed.id },
  ]);
  const sink = await testSink();
  testWorker(database, sink);
  await untilSettled(db);
  expect(sink.mails.map(({ source }) => /^In-Reply-To: (.*)\r$/m.exec(source)?.[1])).toStrictEqual([
    followed.message_id,
  ]);
});

test('one reservation may hold first mails and follow-ups', async () => {
  const [followed = 0] = first.prospectIds;
  const [fresh = 0] = await addProspects(database.db, tenant.accountId, [{ company_email: 'new@a.example' }]);
  const { id } = await reserveMails([fresh]);
  expect(await reserveMails([followed], first.id)).toMatchObject({ status: 'updated', id });
  await start(id);
  expect(await mailsAfter(first.id)).toMatchObject([
    { prospect_id: fresh, state: 'queued', follows_id: null },
    { prospect_id: followed, state: 'queued', follows_id: (await firstMailOf(followed)).id },
  ]);
});
