import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import type { CallAnswer } from '#contract/call.ts';
import type { getSendLog, SendAnswer } from '#contract/sending/runs.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { TEST_MAILING } from '#test/mailing.ts';
import { addReservation } from '#test/prospect-history.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { attackList } from '#test/reservations.ts';
import {
  acceptRun,
  chooseUndo,
  claimMails,
  countStates,
  finishDeliveries,
  markSending,
  unbalancedRuns,
} from '#test/sending.ts';
import { settleReplies } from '../delivery/after-sending/cancel-replied.queries.ts';
import { insertReply } from '../replies/insert-reply.queries.ts';
import { startReservation } from '../reservations/due.command.ts';

/** A real send at once can be taken back, before any of its mails begins (decisions/undo-window). */

const SECONDS = 30;

let database: TestDatabase;
let tenant: Tenant;
let client: Client;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  client = await clientOf(database, tenant.accountId);
  await chooseUndo(database.db, tenant.accountId, SECONDS);
  return async () => expect(await unbalancedRuns(database.db)).toStrictEqual([]);
});

const steer = (id: number, state: string) => client.put(`/send_log/${id}`, { update_info: { state } });
const run = async (id: number) => (await client.get(`/send_log/${id}`)).body as CallAnswer<typeof getSendLog>;
const claim = () => claimMails(database);

/** The ends of the windows of all runs. */
const windows = async () =>
  (await database.db.selectFrom('send_log').select('starts_at').orderBy('id').execute()).map(
    ({ starts_at }) => starts_at,
  );
/** When the mails that are not paused may leave, by the row and by the notes that wake workers. */
const dueTimes = async () => {
  const { rows } = await sql<{ at: Date }>`
    SELECT not_before AS at FROM delivery WHERE state = 'queued' AND not_before < 'infinity'
    UNION SELECT due_at FROM sender_due`.execute(database.db);
  return rows.map(({ at }) => at);
};

/** Lets the windows of all runs end now: their mails stand as they would then. */
async function endWindows(): Promise<void> {
  await sql`UPDATE send_log SET starts_at = now() WHERE starts_at > now()`.execute(database.db);
  await sql`UPDATE delivery SET not_before = now() WHERE state = 'queued' AND not_before < 'infinity'`.execute(
    database.db,
  );
}

describe('a send at once', () => {
  test('waits for the end of its window, of which the answer, its run and the notes for workers tell', async () => {
    const ids = await addProspects(database.db, tenant.accountId, [{ company_email: 'a@a.example' }]);
    const body = { test_send_mode: 0, attack_list: attackList(ids) };
    const key = { 'idempotency-key': crypto.randomUUID() };
    const answer = (await client.post(`/mail/send/${tenant.senderId}`, body, key)).body as SendAnswer;
    const startsAt = (await windows())[0] ?? expect.unreachable();
    const { created_at } = await database.db.selectFrom('delivery').select('created_at').executeTakeFirstOrThrow();
    expect(startsAt.getTime() - created_at.getTime()).toBeGreaterThanOrEqual(SECONDS * 1000);
    expect(startsAt.getMilliseconds()).toBe(0);
    expect(await dueTimes()).toStrictEqual([startsAt]);
    expect(answer).toMatchObject({ accepted: 1, starts_at: formatSecond(startsAt.getTime()) });
    expect((await client.post(`/mail/send/${tenant.senderId}`, body, key)).body).toStrictEqual(answer);
    expect(await run(answer.send_log_id ?? 0)).toMatchObject({ queued: 1, starts_at: answer.starts_at });
    expect(await claim()).toStrictEqual([]);
    await endWindows();
    expect(await claim()).toHaveLength(1);
  });

  test('keeps its window when the rule changes', async () => {
    await acceptRun(database, tenant, 1);
    const before = await windows();
    await chooseUndo(database.db, tenant.accountId, 0);
    await acceptRun(database, tenant, 1);
    expect(await windows()).toStrictEqual([...before, null]);
    expect(await claim()).toHaveLength(1);
  });
});

describe('no window has', () => {
  test('a test run', async () => {
    const { id } = await acceptRun(database, tenant, 1, { test: true });
    expect(await claim()).toHaveLength(1);
    expect(await run(id)).toMatchObject({ starts_at: null });
  });

  test('a reservation', async () => {
    const ids = await addProspects(database.db, tenant.accountId, [{ company_email: 'a@a.example' }]);
    const id = await addReservation(database.db, tenant, ids, { sendAt: new Date(Date.now() - 1000) });
    const key = { accountId: tenant.accountId, id };
    await startReservation(database.service.db, key, Date.now(), TEST_MAILING);
    expect(await claim()).toHaveLength(1);
  });

  test('a failed mail that is sent again', async () => {
    const { id } = await acceptRun(database, tenant, 1);
    await endWindows();
    const held = await claim();
    await markSending(database.service.db, held);
    const failed = { kind: 'failed', reply: '550 5.1.1 no', badAddress: true } as const;
    await finishDeliveries(
      database.service.db,
      held.map((one) => ({ claim: one, outcome: failed })),
    );
    await database.db.deleteFrom('suppression').execute();
    expect((await client.post(`/send_log/${id}/retry`, {})).body).toMatchObject({ accepted: 1 });
    expect(await claim()).toHaveLength(1);
  });
});

describe('an undo', () => {
  test('cancels all mails, and its companies are free at once, without a contact', async () => {
    const { id, prospectIds } = await acceptRun(database, tenant, 3);
    expect(await steer(id, 'cancelled')).toMatchObject({ status: 200, body: { cancelled: 3, left: 0 } });
    expect(await run(id)).toMatchObject({ cancelled: 3, finished: true, undone: 1 });
    const contacts = await database.db.selectFrom('contact_state').select('prospect_id').execute();
    expect(contacts).toStrictEqual([]);
    const again = { test_send_mode: 0, attack_list: attackList(prospectIds) };
    const { body } = await client.post(`/mail/send/${tenant.senderId}`, again);
    expect(body).toMatchObject({ accepted: 3, skipped: [] });
  });

  test('after the window answers how many mails had left, also when it is repeated', async () => {
    const { id } = await acceptRun(database, tenant, 5);
    await endWindows();
    const [sent, unknown, sending] = await claimMails(database, { rows: 3 });
    if (!sent || !unknown || !sending) return expect.unreachable();
    await markSending(database.service.db, [sent, unknown, sending]);
    await finishDeliveries(database.service.db, [
      { claim: sent, outcome: { kind: 'sent', reply: '250' } },
      { claim: unknown, outcome: { kind: 'unknown', reply: '' } },
    ]);
    const answer = { status: 200, body: { status: 'updated', cancelled: 2, left: 3 } };
    expect(await steer(id, 'cancelled')).toStrictEqual(answer);
    expect(await steer(id, 'cancelled')).toStrictEqual(answer);
    expect(await run(id)).toMatchObject({ cancelled: 2, undone: 0 });
  });

  test('does not count as taken back what was left out before', async () => {
    const { id, prospectIds } = await acceptRun(database, tenant, 2);
    await sql`UPDATE delivery SET state = 'cancelled', reason = 'suppressed', finished_at = now()
      WHERE prospect_id = ${prospectIds[0]}`.execute(database.db);
    expect((await steer(id, 'cancelled')).body).toStrictEqual({ status: 'updated', cancelled: 1, left: 0 });
    expect(await run(id)).toMatchObject({ cancelled: 2, undone: 1 });
  });

  test('is none of a run without a window, nor where mails were left out and nobody cancelled the run', async () => {
    const { id } = await acceptRun(database, tenant, 2);
    await sql`UPDATE delivery SET state = 'cancelled', reason = 'suppressed', finished_at = now()`.execute(database.db);
    expect(await run(id)).toMatchObject({ cancelled: 2, finished: true, undone: 0 });
    await chooseUndo(database.db, tenant.accountId, 0);
    const { id: without } = await acceptRun(database, tenant, 2);
    await steer(without, 'cancelled');
    expect(await run(without)).toMatchObject({ cancelled: 2, finished: true, undone: 0 });
  });

  test.each(['sending', 'sent', 'failed', 'unknown'] as const)(
    'is none of a run with a mail that is %s',
    async (state) => {
      const { id } = await acceptRun(database, tenant, 3);
      await endWindows();
      const [claimed] = await claimMails(database, { rows: 1 });
      if (!claimed) return expect.unreachable();
      await markSending(database.service.db, [claimed]);
      const reply = '550 5.7.1 no';
      if (state !== 'sending')
        await finishDeliveries(database.service.db, [
          {
            claim: claimed,
            outcome: state === 'failed' ? { kind: state, reply, badAddress: false } : { kind: state, reply },
          },
        ]);
      await steer(id, 'cancelled');
      expect(await run(id)).toMatchObject({ [state]: 1, cancelled: 2, undone: 0 });
    },
  );
});

describe('within the window nothing is due', () => {
  test('after a pause and a resume; after the window a resume lets all go', async () => {
    const { id } = await acceptRun(database, tenant, 2);
    const [window] = await windows();
    expect((await steer(id, 'paused')).body).toStrictEqual({ status: 'updated' });
    await steer(id, 'sending');
    expect(await dueTimes()).toStrictEqual([window]);
    expect(await windows()).toStrictEqual([window]);
    await steer(id, 'paused');
    await endWindows();
    expect(await claim()).toStrictEqual([]);
    await steer(id, 'sending');
    expect(await claim()).toHaveLength(2);
  });

  test('when a mail that an answer in doubt held is released', async () => {
    const { prospectIds } = await acceptRun(database, tenant, 1);
    const { accountId } = tenant;
    const [prospectId = 0] = prospectIds;
    const doubt = {
      accountId,
      prospectId,
      kind: 'reply',
      excerpt: '結構です。',
      doubtedAddress: 'x@a.example',
    } as const;
    const account = database.account(accountId);
    const id = (await account.transaction((tx) => insertReply(tx, doubt))) ?? 0;
    await account.transaction((tx) => settleReplies(tx, accountId, [id]));
    await client.put(`/reply/${id}`, { update_info: { kind: 'auto_reply' } });
    expect(await countStates(database.db)).toStrictEqual({ queued: 1 });
    const [window] = await windows();
    expect(await dueTimes()).toStrictEqual([window]);
  });
});
