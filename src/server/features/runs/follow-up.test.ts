import { beforeEach, describe, expect, test } from 'vitest';
import { previewAttackList } from '#server/features/attack-list/attack-list.queries.ts';
import { readFollowUpRuns } from '#server/features/attack-list/follow-up.queries.ts';
import { Problem } from '#server/platform/problem.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { TEST_MAILING } from '#test/mailing.ts';
import { addSenderGroup, addTenant, type Tenant } from '#test/prospects.ts';
import { acceptRun, claimMails, testSink, testWorker, untilSettled } from '#test/sending.ts';
import { sentRun, setBack } from '#test/sent-run.ts';
import { viewDelivery } from '../send-logs/run-mails.queries.ts';
import { acceptSend } from './accept.command.ts';

const DAY_MS = 86_400_000;

let database: TestDatabase;
let tenant: Tenant;
let first: { readonly id: number; readonly prospectIds: number[] };

/** A run of five mails, sent ten days ago. */
beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  first = await sentRun(database, tenant, 5);
});

const idOf = (n: number) => first.prospectIds[n] ?? expect.unreachable();
const mailsOf = (run: number) =>
  database.db.selectFrom('delivery').selectAll().where('send_log_id', '=', run).orderBy('prospect_id').execute();

async function send(prospectIds: readonly number[], { followUpOf = first.id, days = 7, test = false } = {}) {
  const body = {
    test_send_mode: test ? (1 as const) : (0 as const),
    attack_list: prospectIds.map((prospect_id) => ({ prospect_id, company_email: 'test@example.com' })),
    datetime_list: null,
    days_from_lastday: days,
    follow_up_of: followUpOf,
  };
  const request = { senderId: tenant.senderId, body, idempotencyKey: null, ...TEST_MAILING };
  return acceptSend(database.account(tenant.accountId, tenant.memberId), request, Date.now());
}

async function preview(followUpOf = first.id, daysFromLastday = 7) {
  const settings = { filter: {}, sort: {}, daysFromLastday, followUpOf, limit: 10 };
  const { rows, left_out, matched } = await previewAttackList(
    database.account(tenant.accountId),
    tenant.senderGroupId,
    settings,
    Date.now(),
  );
  return { ids: rows.map(({ prospect_id }) => prospect_id), left_out, matched };
}

const addReply = (prospect_id: number, more: object = {}) =>
  database.db
    .insertInto('reply')
    .values({ account_id: tenant.accountId, prospect_id, kind: 'reply', ...more })
    .execute();

describe('the list of a follow-up', () => {
  test('has only the companies of the run whose mails were sent', async () => {
    await acceptRun(database, tenant, 1);
    expect((await preview()).ids).toStrictEqual(first.prospectIds);
    await database.db.updateTable('delivery').set({ state: 'failed' }).where('prospect_id', '=', idOf(0)).execute();
    expect((await preview()).ids).toStrictEqual(first.prospectIds.slice(1));
  });

  test('leaves out companies that answered, even when that is handled, but not by a robot', async () => {
    await addReply(idOf(0));
    await addReply(idOf(1), { handled_at: new Date() });
    await addReply(idOf(2), { kind: 'auto_reply' });
    await addReply(idOf(3), { handled_at: new Date(), at: new Date(Date.now() - 20 * DAY_MS) });
    expect(await preview()).toMatchObject({ ids: [idOf(2), idOf(3), idOf(4)], left_out: { replied: 2 } });
  });

  test('leaves out what was mailed later, refused, or mailed too recently', async () => {
    await database.db
      .insertInto('suppression')
      .values({ account_id: tenant.accountId, kind: 'address', value: 'info0@a.example', class: 'refused' })
      .execute();
    await database.db
      .updateTable('contact_state')
      .set({ last_sent_at: new Date(Date.now() - 8 * DAY_MS) })
      .where('prospect_id', '=', idOf(1))
      .execute();
    expect(await preview()).toMatchObject({
      ids: [idOf(2), idOf(3), idOf(4)],
      matched: 4,
      left_out: { suppressed: 1 },
    });
    expect(await preview(first.id, 30)).toMatchObject({ ids: [], left_out: { recently_sent: 3 } });
  });

  test('has a company whose later mail was cancelled', async () => {
    await send([idOf(0)]);
    expect((await preview()).ids).toStrictEqual(first.prospectIds.slice(1));
    await database.db
      .updateTable('delivery')
      .set({ state: 'cancelled', reason: 'run_cancelled', finished_at: new Date() })
      .where('send_log_id', '<>', first.id)
      .execute();
    expect((await preview()).ids).toStrictEqual(first.prospectIds);
  });

  test('is empty for the run of another group', async () => {
    const group = await addSenderGroup(database.db, tenant.accountId);
    await database.db.updateTable('delivery').set({ sender_group_id: group }).execute();
    expect((await preview()).ids).toStrictEqual([]);
  });
});

test('the runs that can be followed up are old enough, real, and have a first mail that was sent', async () => {
  await acceptRun(database, tenant, 1);
  const { senderGroupId: sender_group_id } = tenant;
  const wanted = { sender_group_id };
  const list = (days_from_lastday: number, by: object = wanted) =>
    readFollowUpRuns(database.account(tenant.accountId), { ...by, days_from_lastday }, Date.now());
  expect((await list(7)).rows).toMatchObject([{ id: first.id, sender_group_id, subject: expect.any(String) }]);
  expect((await list(7, { send_log_id: first.id })).rows).toHaveLength(1);
  expect((await list(7, { send_log_id: first.id + 1 })).rows).toStrictEqual([]);
  expect((await list(0)).rows).toHaveLength(1);
  expect((await list(11)).rows).toStrictEqual([]);
  await database.db.updateTable('sender_group').set({ active: false }).execute();
  expect((await list(7, {})).rows).toStrictEqual([]);
  await database.db.updateTable('sender_group').set({ active: true }).execute();
  await database.db.updateTable('delivery').set({ state: 'failed' }).execute();
  expect((await list(7)).rows).toStrictEqual([]);
});

describe('a follow-up', () => {
  test('goes into the thread of its first mail, with that subject, and has no follow-up itself', async () => {
    await database.db.updateTable('mail_template').set({ subject: '{{ company_name }}様への続き' }).execute();
    const answer = await send([idOf(1)]);
    if (answer instanceof Problem) throw new Error(answer.message);
    expect(answer).toMatchObject({ status: 'accepted', accepted: 1 });
    const run = answer.send_log_id ?? 0;
    const sink = await testSink();
    const worker = testWorker(database, sink);
    await untilSettled(database.db);
    await worker.stop();
    const followed = (await mailsOf(first.id))[1];
    const [mail] = sink.mails;
    expect(mail?.source).toContain(
      `\r\nIn-Reply-To: ${followed?.message_id}\r\nReferences: ${followed?.message_id}\r\n`,
    );
    const [delivery] = await mailsOf(run);
    expect(delivery).toMatchObject({ state: 'sent', follows_id: followed?.id });
    const view = await viewDelivery(database.account(tenant.accountId), delivery?.id ?? 0);
    const shown = await viewDelivery(database.account(tenant.accountId), followed?.id ?? 0);
    if (view instanceof Problem || shown instanceof Problem) throw new Error('no mail');
    expect(view.mail?.subject).toBe(`Re: ${shown.mail?.subject}`);

    await setBack(database, 10);
    expect((await preview(run)).ids).toStrictEqual([]);
    expect((await preview()).ids).toStrictEqual(first.prospectIds.filter((id) => id !== idOf(1)));
    expect(await send([idOf(1)], { followUpOf: run })).toMatchObject({
      accepted: 0,
      skipped: [{ prospect_id: idOf(1), reason: 'not_followable' }],
    });
  });

  test('is judged target by target, and each reason told', async () => {
    const later = await acceptRun(database, tenant, 1);
    await addReply(idOf(0), { handled_at: new Date() });
    const asked = [...first.prospectIds.slice(0, 2), ...later.prospectIds];
    expect(await send(asked)).toMatchObject({
      accepted: 1,
      skipped: [
        { prospect_id: idOf(0), reason: 'replied' },
        { prospect_id: later.prospectIds[0], reason: 'open_delivery' },
      ],
    });
    expect(await send([idOf(2)], { days: 30 })).toMatchObject({ skipped: [{ reason: 'recently_sent' }] });
  });

  test('of a run of another account, or of another group, is 404', async () => {
    const other = await addTenant(database.db);
    const foreign = await acceptRun(database, other, 1);
    const group = await addSenderGroup(database.db, tenant.accountId);
    for (const refuse of [
      () => send([idOf(0)], { followUpOf: foreign.id }),
      async () => {
        await database.db.updateTable('send_log').set({ sender_group_id: group }).where('id', '=', first.id).execute();
        return send([idOf(0)]);
      },
    ]) {
      expect(await refuse()).toMatchObject({ code: 'not_found' });
    }
  });

  test('leaves after answers of robots, and after one from before it', async () => {
    await addReply(idOf(0), { handled_at: new Date(), at: new Date(Date.now() - 20 * DAY_MS) });
    await send([idOf(0)]);
    await addReply(idOf(0), { kind: 'auto_reply' });
    expect(await claimMails(database)).toHaveLength(1);
  });

  test.each([
    ['an answer that was handled', 'replied', () => addReply(idOf(0), { handled_at: new Date() })],
    [
      'a bounce of the first mail',
      'not_followable',
      () => database.db.updateTable('delivery').set({ state: 'failed' }).where('send_log_id', '=', first.id).execute(),
    ],
  ] as const)('is cancelled at its claim after %s', async (_, reason, happen) => {
    const answer = await send([idOf(0)]);
    await happen();
    expect(await claimMails(database)).toStrictEqual([]);
    const run = answer instanceof Problem ? 0 : (answer.send_log_id ?? 0);
    expect(await mailsOf(run)).toMatchObject([{ state: 'cancelled', reason }]);
  });
});
