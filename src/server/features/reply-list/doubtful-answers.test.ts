import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { openSessionOf } from '#test/accounts.ts';
import { type Client, clientAt, serveApp } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { TEST_MAILING } from '#test/mailing.ts';
import { addReservation } from '#test/prospect-history.ts';
import { addProspects, addSender, addSenderGroup, addTenant, type Tenant } from '#test/prospects.ts';
import { acceptRun, claimMails, markSending, unbalancedRuns } from '#test/sending.ts';
import { previewAttackList } from '../attack-list/attack-list.queries.ts';
import { settleReplies } from '../delivery/after-sending/cancel-replied.queries.ts';
import { sweepStopped } from '../delivery/after-sending/sweep-stopped.queries.ts';
import { insertReply } from '../replies/insert-reply.queries.ts';
import { startReservation } from '../reservations/due.command.ts';

/** Answers that may ask for no more mails: company and address wait until a member has decided (decisions/replies). */

let database: TestDatabase;
let tenant: Tenant;
let client: Client;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  const { address } = await serveApp(database);
  client = clientAt(address, `Bearer ${await openSessionOf(database.login, tenant.accountId, Date.now())}`);
});

const inAccount = <Result>(work: Parameters<ReturnType<TestDatabase['account']>['transaction']>[0]) =>
  database.account(tenant.accountId).transaction(work) as Promise<Result>;

/** Stores an answer that is in doubt. `settles`: as the reader does next, unless it died. */
async function storeDoubt(prospectId: number, address: string, { settles = true } = {}): Promise<number> {
  const { accountId } = tenant;
  const answer = { accountId, prospectId, kind: 'reply', excerpt: '結構です。', doubtedAddress: address } as const;
  const id = (await inAccount<number | null>((tx) => insertReply(tx, answer))) ?? expect.unreachable();
  if (settles) await inAccount((tx) => settleReplies(tx, accountId, [id]));
  return id;
}

const change = async (id: number, update_info: object) =>
  expect(await client.put(`/reply/${id}`, { update_info })).toMatchObject({ status: 200 });
const mails = async () =>
  (await database.db.selectFrom('delivery').select(['state', 'reason']).orderBy('id').execute()).map(
    ({ state, reason }) => (reason === null ? state : `${state} ${reason}`),
  );
const HELD = 'queued maybe_refused';
const giveAddress = (id: number | undefined, address: string) =>
  database.db
    .updateTable('prospect')
    .set({ company_email: address, email_search: address.toLowerCase() })
    .where('id', '=', id ?? 0)
    .execute();
const reasonsIn = async (senderGroupId: number) => {
  const settings = { filter: {}, sort: {}, daysFromLastday: 7, limit: 10 };
  const { left_out } = await previewAttackList(database.account(tenant.accountId), senderGroupId, settings, Date.now());
  return Object.entries(left_out).flatMap(([reason, count]) => (count > 0 ? [`${reason} ${count}`] : []));
};

describe('a mail that may be about something else', () => {
  const storeUnclear = async (prospectId: number, address: string) => {
    const id = await storeDoubt(prospectId, address);
    await database.db.updateTable('reply').set({ is_unclear: true }).where('id', '=', id).execute();
    return id;
  };

  test('is deleted where a member says that it is no reply, and the mails leave', async () => {
    const { prospectIds } = await acceptRun(database, tenant, 1);
    const id = await storeUnclear(prospectIds[0] ?? 0, 'info0@a.example');
    expect(await mails()).toStrictEqual([HELD]);
    expect((await client.get('/reply/view')).body).toMatchObject({ rows: [{ is_doubtful: 1, is_unclear: 1 }] });
    await change(id, { not_a_reply: 1 });
    expect(await mails()).toStrictEqual(['queued']);
    expect(await database.db.selectFrom('reply').selectAll().execute()).toStrictEqual([]);
    const { rows } = await database.pool.query("SELECT detail FROM audit_event WHERE kind = 'reply_changed'");
    expect(rows).toStrictEqual([{ detail: { reply_id: id, act: 'not_a_reply', suppression_ids: [] } }]);
    expect(await client.put(`/reply/${id}`, { update_info: { not_a_reply: 1 } })).toMatchObject({ status: 404 });
  });

  test('no longer counts as an answer to its mail', async () => {
    const { prospectIds } = await acceptRun(database, tenant, 1);
    const id = await storeUnclear(prospectIds[0] ?? 0, 'info0@a.example');
    const { id: delivery_id } = await database.db.selectFrom('delivery').select('id').executeTakeFirstOrThrow();
    await database.db.updateTable('reply').set({ delivery_id }).execute();
    const replied = () => database.db.selectFrom('delivery').select('replied').executeTakeFirstOrThrow();
    expect(await replied()).toStrictEqual({ replied: true });
    await change(id, { not_a_reply: 1 });
    expect(await replied()).toStrictEqual({ replied: false });
  });

  test('with a clear answer meanwhile, or only in doubt, is not deleted', async () => {
    const { prospectIds } = await acceptRun(database, tenant, 1);
    const id = await storeDoubt(prospectIds[0] ?? 0, 'info0@a.example');
    const answer = await client.put(`/reply/${id}`, { update_info: { not_a_reply: 1 } });
    expect(answer).toMatchObject({ status: 409, body: { code: 'reply_changed' } });
    expect(await mails()).toStrictEqual([HELD]);
  });
});

describe('while it is in doubt', () => {
  test('its company and all with the address of its mail are left out in all groups, until a member decides', async () => {
    const [company = 0] = await addProspects(database.db, tenant.accountId, [
      { company_name: '甲', company_email: 'new@a.example' },
      { company_name: '乙', company_email: 'Info@a.example' },
      { company_name: '丙', company_email: 'other@a.example' },
    ]);
    const other = await addSenderGroup(database.db, tenant.accountId);
    const id = await storeDoubt(company, 'info@a.example');
    for (const group of [tenant.senderGroupId, other])
      expect(await reasonsIn(group)).toStrictEqual(['maybe_refused 2']);
    expect((await client.get('/reply/view')).body).toMatchObject({ rows: [{ is_doubtful: 1, is_refusal: 0 }] });
    await change(id, { handled: 1 });
    for (const group of [tenant.senderGroupId, other]) expect(await reasonsIn(group)).toStrictEqual([]);
    await change(id, { handled: 0 });
    expect(await reasonsIn(other)).toStrictEqual(['maybe_refused 2']);
    await change(id, { refused: 1 });
    expect(await reasonsIn(other)).toStrictEqual(['suppressed 1']);
  });

  test('a company of another account with the address is mailed', async () => {
    const foreign = await addTenant(database.db);
    await acceptRun(database, foreign, 1);
    const [company = 0] = await addProspects(database.db, tenant.accountId, [{ company_email: 'x@a.example' }]);
    await storeDoubt(company, 'info0@a.example');
    expect(await mails()).toStrictEqual(['queued']);
    expect(await claimMails(database)).toHaveLength(1);
  });

  test('mails that wait, and claimed ones, are held; the others go on', async () => {
    const { prospectIds } = await acceptRun(database, tenant, 4);
    const [first = 0, second = 0] = prospectIds;
    const claims = await claimMails(database, { rows: 1 });
    await storeDoubt(first, 'info0@a.example');
    await storeDoubt(second, 'info2@a.example');
    expect(await mails()).toStrictEqual([HELD, HELD, HELD, 'queued']);
    expect(await markSending(database.service.db, claims)).toStrictEqual([false]);
    expect(await claimMails(database)).toMatchObject([{ prospectId: prospectIds[3] }]);
    expect(await claimMails(database)).toStrictEqual([]);
    expect(await unbalancedRuns(database.db)).toStrictEqual([]);
  });

  test('those of other groups too', async () => {
    const { accountId, memberId } = tenant;
    const senderGroupId = await addSenderGroup(database.db, accountId);
    const senderId = await addSender(database.db, { accountId, senderGroupId });
    const { prospectIds } = await acceptRun(database, { accountId, memberId, senderGroupId, senderId }, 1);
    await storeDoubt(prospectIds[0] ?? 0, 'elsewhere@a.example');
    expect(await mails()).toStrictEqual([HELD]);
  });

  test('a claim finds it where its reader died, and the sweep does the rest', async () => {
    const { prospectIds } = await acceptRun(database, tenant, 2);
    const [first = 0] = prospectIds;
    await storeDoubt(first, 'info1@a.example', { settles: false });
    expect(await claimMails(database, { rows: 1 })).toStrictEqual([]);
    expect(await mails()).toStrictEqual([HELD, 'queued']);
    await sweepStopped(database.service.db);
    expect(await mails()).toStrictEqual([HELD, HELD]);
  });

  test('a mail whose company takes the address while it waits is held by its claim', async () => {
    const { prospectIds } = await acceptRun(database, tenant, 1);
    const [company = 0] = await addProspects(database.db, tenant.accountId, [{ company_email: 'x@a.example' }]);
    await storeDoubt(company, 'doubt@a.example');
    await giveAddress(prospectIds[0], 'Doubt@a.example');
    expect(await claimMails(database)).toStrictEqual([]);
    expect(await mails()).toStrictEqual([HELD]);
  });

  test('a clear answer of the company cancels what is held', async () => {
    const { prospectIds } = await acceptRun(database, tenant, 1);
    await storeDoubt(prospectIds[0] ?? 0, 'info0@a.example');
    const { accountId } = tenant;
    const reply = { accountId, prospectId: prospectIds[0] ?? 0, kind: 'reply', excerpt: 'はい' } as const;
    const id = (await inAccount<number | null>((tx) => insertReply(tx, reply))) ?? 0;
    await inAccount((tx) => settleReplies(tx, accountId, [id]));
    expect(await mails()).toStrictEqual(['cancelled replied']);
  });

  test('a reservation that falls due waits, and a failed mail is not sent again', async () => {
    const { prospectIds } = await acceptRun(database, tenant, 1);
    await sql`UPDATE delivery SET state = 'failed', finished_at = now() - interval '1 year'`.execute(database.db);
    const [company = 0] = prospectIds;
    const reservation = await addReservation(database.db, tenant, [company], {
      sendAt: new Date(Date.now() + 3_600_000),
    });
    const id = await storeDoubt(company, 'info0@a.example');
    const where = `where_info=${encodeURIComponent(JSON.stringify({ sender_id: tenant.senderId }))}`;
    expect((await client.get(`/reservation/list?${where}`)).body).toMatchObject([{ maybe_refused: 1, replied: 0 }]);
    const { id: mail } = await database.db.selectFrom('delivery').select('id').executeTakeFirstOrThrow();
    expect((await client.post(`/delivery/${mail}/retry`, {})).body).toMatchObject({
      skipped: [{ prospect_id: company, reason: 'maybe_refused' }],
    });
    await sql`UPDATE reservation SET send_at = now() - interval '1 second'`.execute(database.db);
    const due = { accountId: tenant.accountId, id: reservation };
    await startReservation(database.service.db, due, Date.now(), TEST_MAILING);
    expect(await claimMails(database)).toStrictEqual([]);
    expect(await mails()).toStrictEqual(['failed', HELD]);
    await change(id, { handled: 1 });
    expect(await claimMails(database)).toMatchObject([{ prospectId: company }]);
  });
});

describe('once a member has decided', () => {
  test.each([
    ['送信を続ける', { handled: 1 }],
    ['an automatic answer', { kind: 'auto_reply' }],
  ])('%s: what was held can be claimed, and is sent', async (_, info) => {
    const { prospectIds } = await acceptRun(database, tenant, 2);
    const id = await storeDoubt(prospectIds[0] ?? 0, 'info1@a.example');
    expect(await claimMails(database)).toStrictEqual([]);
    await change(id, info);
    expect(await mails()).toStrictEqual(['queued', 'queued']);
    const claims = await claimMails(database);
    expect(claims).toHaveLength(2);
    expect(await markSending(database.service.db, claims)).toStrictEqual([true, true]);
    expect(await unbalancedRuns(database.db)).toStrictEqual([]);
  });

  test('今後送らない: it is cancelled, at every company with the address', async () => {
    const { prospectIds } = await acceptRun(database, tenant, 2);
    await giveAddress(prospectIds[1], 'INFO0@a.example');
    const id = await storeDoubt(prospectIds[0] ?? 0, 'info0@a.example');
    expect(await mails()).toStrictEqual([HELD, HELD]);
    await change(id, { refused: 1 });
    expect(await mails()).toStrictEqual(['cancelled suppressed', 'cancelled suppressed']);
  });

  test('what another answer in doubt is about stays held', async () => {
    const { prospectIds } = await acceptRun(database, tenant, 1);
    const id = await storeDoubt(prospectIds[0] ?? 0, 'info0@a.example');
    const second = await storeDoubt(prospectIds[0] ?? 0, 'info0@a.example');
    await change(id, { handled: 1 });
    expect(await mails()).toStrictEqual([HELD]);
    await change(second, { handled: 1 });
    expect(await mails()).toStrictEqual(['queued']);
  });

  test('a paused run keeps its mails; resuming it releases none that is held', async () => {
    const { id: run, prospectIds } = await acceptRun(database, tenant, 2);
    const pause = (state: string) => client.put(`/send_log/${run}`, { update_info: { state } });
    const id = await storeDoubt(prospectIds[0] ?? 0, 'info0@a.example');
    await pause('paused');
    await pause('sending');
    const due = await sql`SELECT FROM delivery WHERE not_before < 'infinity'`.execute(database.db);
    expect(due.rows).toHaveLength(1);
    expect(await claimMails(database)).toMatchObject([{ prospectId: prospectIds[1] }]);
    expect(await mails()).toStrictEqual([HELD, 'claimed']);
    await pause('paused');
    await change(id, { handled: 1 });
    expect(await claimMails(database)).toStrictEqual([]);
    expect(await unbalancedRuns(database.db)).toStrictEqual([]);
    await pause('sending');
    expect(await claimMails(database)).toHaveLength(2);
  });

  test.each([
    ['has another address by then', (id: number) => giveAddress(id, 'moved@a.example'), 'claimed'],
    ['is archived by then', (id: number) => client.post(`/prospect/${id}/archive`, {}), 'cancelled archived'],
  ])('the mail of a company that %s is not forgotten', async (_, arrange, state) => {
    const { prospectIds } = await acceptRun(database, tenant, 1);
    const [company = 0] = await addProspects(database.db, tenant.accountId, [{ company_email: 'x@a.example' }]);
    const id = await storeDoubt(company, 'info0@a.example');
    expect(await mails()).toStrictEqual([HELD]);
    await arrange(prospectIds[0] ?? 0);
    await change(id, { handled: 1 });
    await claimMails(database);
    expect(await mails()).toStrictEqual([state]);
  });

  test('the erasure of the address ends the doubt, and the mails of its company', async () => {
    const { prospectIds } = await acceptRun(database, tenant, 1);
    await storeDoubt(prospectIds[0] ?? 0, 'old@a.example');
    await client.post('/personal_data/erase', { email: 'old@a.example', record_refusal: 0 });
    const answers = await database.db.selectFrom('reply').select(['doubted_address', 'handled_at']).execute();
    expect(answers).toStrictEqual([{ doubted_address: null, handled_at: null }]);
    await sweepStopped(database.service.db);
    expect(await mails()).toStrictEqual(['cancelled replied']);
  });

  test('it settles in the sweep where its process died', async () => {
    const { prospectIds } = await acceptRun(database, tenant, 1);
    const id = await storeDoubt(prospectIds[0] ?? 0, 'info0@a.example');
    await sql`UPDATE reply SET handled_at = now(), cancels_mails = true WHERE id = ${id}`.execute(database.db);
    await sweepStopped(database.service.db);
    expect(await mails()).toStrictEqual(['queued']);
  });
});
