import { beforeEach, describe, expect, test } from 'vitest';
import type { FromTrust } from '#domain/mail/reply.ts';
import { listLeftOut, previewAttackList } from '#server/features/attack-list/attack-list.queries.ts';
import { startReservation } from '#server/features/reservations/due.command.ts';
import { openSessionOf } from '#test/accounts.ts';
import { type Client, clientAt, serveApp } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { TEST_MAILING } from '#test/mailing.ts';
import { addDelivery, addReservation } from '#test/prospect-history.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { acceptRun, claimMails, unbalancedRuns } from '#test/sending.ts';
import { sweepStopped } from '../delivery/after-sending/sweep-stopped.queries.ts';
import { insertReply } from '../replies/insert-reply.queries.ts';

let database: TestDatabase;
let tenant: Tenant;
let client: Client;
let company: number;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  [company = 0] = await addProspects(database.db, tenant.accountId, [
    { company_name: '甲', company_email: 'Info@a.example' },
  ]);
  const { address } = await serveApp(database);
  client = clientAt(address, `Bearer ${await openSessionOf(database.login, tenant.accountId, Date.now())}`);
});

const note = (prospect_id: number, more: object = {}) => client.post('/reply', { add_info: { prospect_id, ...more } });
const change = (id: number, update_info: object) => client.put(`/reply/${id}`, { update_info });
const view = async (query = '') => (await client.get(`/reply/view${query}`)).body as { rows: { id: number }[] };

/** Stores what somebody wrote in answer to a mail. */
async function storeAnswer(
  prospectId: number,
  kind: 'reply' | 'auto_reply' = 'reply',
  deliveryId?: number,
  more: { readonly from?: string; readonly trust?: FromTrust } = {},
) {
  const answer = { from: 'hanako@a.example', subject: 'Re: 件名', excerpt: '資料をください', ...more };
  const id = await database.account(tenant.accountId).transaction((tx) =>
    insertReply(tx, {
      accountId: tenant.accountId,
      prospectId,
      kind,
      ...answer,
      ...(deliveryId !== undefined && { deliveryId }),
    }),
  );
  return id ?? expect.unreachable();
}

const settings = { filter: {}, sort: {}, daysFromLastday: 7, limit: 10 };
const reasonOf = async () => {
  const { left_out } = await previewAttackList(
    database.account(tenant.accountId),
    tenant.senderGroupId,
    settings,
    Date.now(),
  );
  return Object.entries(left_out).flatMap(([reason, count]) => (count > 0 ? [reason] : []));
};
const mails = () => database.db.selectFrom('delivery').select(['state', 'reason']).orderBy('id').execute();
const events = async () =>
  (await database.db.selectFrom('audit_event').select(['kind', 'detail']).orderBy('id').execute()).filter(({ kind }) =>
    kind.startsWith('reply'),
  );

test('an answer by telephone counts in the run and the report of the last mail, once', async () => {
  const { id: runId, prospectIds } = await acceptRun(database, tenant, 2);
  const [mailed = 0, other = 0] = prospectIds;
  await database.db.updateTable('delivery').set({ state: 'sent', finished_at: new Date() }).execute();
  const { body } = await note(mailed);
  await change((body as { id: number }).id, { handled: 1 });
  await note(mailed, { note: '再度のお電話' });
  await note(company);
  await storeAnswer(other, 'auto_reply');
  expect((await view('?state=open')).rows).toMatchObject([
    { prospect_id: company, delivery_id: null },
    { prospect_id: mailed, delivery_id: expect.any(Number), send_log_id: runId },
  ]);
  const results = await database.db.selectFrom('delivery').select(['prospect_id', 'replied']).orderBy('id').execute();
  expect(results).toStrictEqual(prospectIds.map((id) => ({ prospect_id: id, replied: id === mailed })));
  expect((await client.get(`/send_log/${runId}/results`)).body).toMatchObject({ times: [{ replied: 1 }] });
});

describe('an answer that is open', () => {
  test('leaves its company out, until it is handled', async () => {
    const id = await storeAnswer(company);
    expect(await reasonOf()).toStrictEqual(['replied']);
    const left = await listLeftOut(
      database.account(tenant.accountId),
      tenant.senderGroupId,
      { ...settings, reason: 'replied', offset: 0 },
      Date.now(),
    );
    expect(left).toMatchObject({ total: 1, rows: [{ prospect_id: company }] });
    expect(await change(id, { handled: 1 })).toStrictEqual({ status: 200, body: { status: 'updated' } });
    expect(await reasonOf()).toStrictEqual([]);
    await change(id, { handled: 0 });
    expect(await reasonOf()).toStrictEqual(['replied']);
    expect((await events()).map(({ detail }) => detail)).toMatchObject([{ act: 'handled' }, { act: 'reopened' }]);
  });

  test('is the status of its company in the list, which can be filtered by it', async () => {
    const [other = 0] = await addProspects(database.db, tenant.accountId, [{ company_name: '乙' }]);
    await storeAnswer(company);
    await storeAnswer(company);
    await storeAnswer(other, 'auto_reply');
    const list = async (query: string) =>
      (await client.get(`/prospect/view?sender_group_id=${tenant.senderGroupId}${query}`)).body;
    expect(await list('&status=replied')).toMatchObject({ total: 1, rows: [{ id: company, status: 'replied' }] });
    expect(await list('&status=replied&search=甲')).toMatchObject({ total: 1, rows: [{ id: company }] });
    expect(await list('')).toMatchObject({ rows: [{ status: 'replied' }, { status: 'unsent' }] });
    await client.post(`/prospect/${company}/archive`, {});
    expect(await list('&status=replied')).toMatchObject({ total: 0, rows: [] });
  });

  test('cancels the mails that wait, of this company alone, and a claim begun before it', async () => {
    const { prospectIds } = await acceptRun(database, tenant, 3);
    await claimMails(database, { rows: 1 });
    for (const id of prospectIds.slice(0, 2)) await note(id);
    expect(await mails()).toStrictEqual([
      { state: 'cancelled', reason: 'replied' },
      { state: 'cancelled', reason: 'replied' },
      { state: 'queued', reason: null },
    ]);
    expect(await unbalancedRuns(database.db)).toStrictEqual([]);
  });

  test('is found at the claim, and by the sweep where its process died before it cancelled', async () => {
    const { prospectIds } = await acceptRun(database, tenant, 2);
    await storeAnswer(prospectIds[0] ?? 0);
    expect(await claimMails(database)).toHaveLength(1);
    expect(await mails()).toMatchObject([{ state: 'cancelled', reason: 'replied' }, { state: 'claimed' }]);
    await storeAnswer(prospectIds[1] ?? 0);
    await sweepStopped(database.service.db);
    expect(await mails()).toMatchObject([{ reason: 'replied' }, { state: 'cancelled', reason: 'replied' }]);
    expect(await database.db.selectFrom('reply').select('id').where('cancels_mails', '=', true).execute()).toEqual([]);
  });

  test('that was handled before the sweep cancels nothing; as an answer of a robot taken back it does', async () => {
    const { prospectIds } = await acceptRun(database, tenant, 1);
    const id = await storeAnswer(prospectIds[0] ?? 0);
    await database.db.updateTable('reply').set({ handled_at: new Date() }).execute();
    await sweepStopped(database.service.db);
    expect(await mails()).toStrictEqual([{ state: 'queued', reason: null }]);
    await database.db.updateTable('reply').set({ handled_at: null, kind: 'auto_reply' }).execute();
    await change(id, { kind: 'reply' });
    expect(await mails()).toStrictEqual([{ state: 'cancelled', reason: 'replied' }]);
  });

  test('leaves its company out of a reservation that falls due', async () => {
    const [other = 0] = await addProspects(database.db, tenant.accountId, [{ company_email: 'b@b.example' }]);
    const reservationId = await addReservation(database.db, tenant, [company, other], { sendAt: new Date() });
    await note(company);
    const due = { accountId: tenant.accountId, id: reservationId };
    await startReservation(database.service.db, due, Date.now(), TEST_MAILING);
    expect(await mails()).toStrictEqual(
      expect.arrayContaining([
        { state: 'cancelled', reason: 'replied' },
        { state: 'queued', reason: null },
      ]),
    );
  });

  test('of a robot stops nothing, and one that is treated as such releases its company', async () => {
    await storeAnswer(company, 'auto_reply');
    expect(await reasonOf()).toStrictEqual([]);
    expect(await view('?state=open')).toMatchObject({ total: 0 });
    const id = await storeAnswer(company);
    expect(await reasonOf()).toStrictEqual(['replied']);
    await change(id, { kind: 'auto_reply' });
    expect(await reasonOf()).toStrictEqual([]);
    await change(id, { kind: 'reply' });
    expect(await reasonOf()).toStrictEqual(['replied']);
  });
});

/** A mail to the company, sent to the address that it had then. @returns its id */
async function sendMail(): Promise<number> {
  const run = await addDelivery(database.db, tenant, company, { state: 'sent', mailTo: 'Old@a.example' });
  const mail = database.db.selectFrom('delivery').select('id').where('send_log_id', '=', run);
  return (await mail.executeTakeFirstOrThrow()).id;
}

describe('the address of who wrote an answer', () => {
  const MINE = ['info@a.example', 'old@a.example'];
  const CEO = 'ceo@b.example';
  const refusedNow = async () =>
    (await database.db.selectFrom('suppression').select('value').orderBy('value').execute()).map(({ value }) => value);

  test.each([
    ['of the mail', 'old@a.example', 'none', 'checked'],
    ['of the company by now', 'info@a.example', 'none', 'checked'],
    ['of their domain', 'hanako@a.example', 'single', 'checked'],
    ['of another domain that was authenticated', CEO, 'authenticated', 'checked'],
    ['of their domain in one of several From fields', 'hanako@a.example', 'none', 'unchecked'],
    ['of another domain', CEO, 'single', 'unchecked'],
    ['of none', 'Hanako', 'none', 'none'],
  ] as const)('%s: %s, %s, is %s', async (_, from, trust, from_check) => {
    const id = await storeAnswer(company, 'reply', await sendMail(), { from, trust });
    expect(await view()).toMatchObject({
      rows: [{ from_check, from_company: null, folded: 0 }],
    });
    await change(id, { refused: 1 });
    const known = from_check === 'checked' ? [from] : [];
    expect(await refusedNow()).toStrictEqual([...new Set([...MINE, ...known])].toSorted());
  });

  test.each([
    ['an address in its domain', 'shop@b.example', false, null],
    ['this address', CEO, false, '乙'],
    ['this address, and is archived', CEO, true, '乙'],
  ])('is unchecked, whatever its server says, where another company has %s', async (_, email, isArchived, name) => {
    const companies = [{ company_name: '乙', company_email: email }];
    const [other = 0] = await addProspects(database.db, tenant.accountId, companies);
    const foreign = await addTenant(database.db);
    await addProspects(database.db, foreign.accountId, [{ company_name: '他社', company_email: CEO }]);
    if (isArchived) await client.post(`/prospect/${other}/archive`, {});
    await storeAnswer(company, 'reply', await sendMail(), { from: CEO, trust: 'authenticated' });
    expect(await view()).toMatchObject({
      rows: [{ from_check: 'unchecked', from_company: name && { id: other, company_name: name } }],
    });
  });

  test('is refused too where the member names it, in any case, and no other', async () => {
    const id = await storeAnswer(company, 'reply', await sendMail(), { from: CEO, trust: 'single' });
    const other = await change(id, { refused: 1, from_address: 'before@b.example' });
    expect(other).toMatchObject({ status: 409, body: { code: 'reply_changed' } });
    expect(await refusedNow()).toStrictEqual([]);
    expect(await view('?state=open')).toMatchObject({ total: 1 });
    expect(await change(id, { refused: 1, from_address: 'CEO@b.example' })).toMatchObject({ status: 200 });
    expect(await refusedNow()).toStrictEqual([CEO, ...MINE]);
    expect(await view()).toMatchObject({ rows: [{ from_check: 'refused', from_company: null }] });
  });
});

describe('what a member does', () => {
  test('refuses for all addresses of the answer, once, and handles it', async () => {
    const deliveryId = await sendMail();
    const id = await storeAnswer(company, 'reply', deliveryId, { trust: 'single' });
    for (let round = 0; round < 2; round += 1) expect(await change(id, { refused: 1 })).toMatchObject({ status: 200 });
    const refused = { class: 'refused', source: 'reply', cancels_mails: false, delivery_id: deliveryId };
    const { memberId: member_id } = tenant;
    expect(
      await database.db
        .selectFrom('suppression')
        .select(['value', 'class', 'source', 'cancels_mails', 'member_id', 'delivery_id'])
        .orderBy('value')
        .execute(),
    ).toStrictEqual(
      ['hanako@a.example', 'info@a.example', 'old@a.example'].map((value) => ({ value, member_id, ...refused })),
    );
    expect(await view('?state=handled')).toMatchObject({ rows: [{ id, handled_at: expect.any(String) }] });
    expect(await events()).toHaveLength(1);
  });

  test('marks a company once, with a note', async () => {
    const first = await note(company, { note: ' 電話で返事 ' });
    expect(first).toMatchObject({ status: 200, body: { status: 'added' } });
    expect(await note(company)).toStrictEqual({ ...first, body: { ...(first.body as object), status: 'no-added' } });
    expect(await view(`?prospect_id=${company}`)).toMatchObject({
      total: 1,
      rows: [
        {
          kind: 'manual',
          company_name: '甲',
          excerpt: '電話で返事',
          noted_by: '利用者',
          handled_by: null,
          delivery_id: null,
          is_refusal: 0,
        },
      ],
    });
    expect((await client.get(`/prospect/${company}/timeline`)).body).toMatchObject([{ kind: 'replied' }, {}]);
    const { id } = first.body as { id: number };
    expect(await change(id, { kind: 'auto_reply' })).toMatchObject({ status: 409, body: { code: 'noted_by_hand' } });
  });

  test('marks a company that only a robot has answered, once of several requests at a time', async () => {
    await storeAnswer(company, 'auto_reply');
    const answers = await Promise.all(Array.from({ length: 5 }, () => note(company)));
    const statuses = answers.map(({ body }) => (body as { status: string }).status).toSorted();
    expect(statuses).toStrictEqual(['added', 'no-added', 'no-added', 'no-added', 'no-added']);
  });

  test.each([
    {},
    { handled: 1, refused: 1 },
    { kind: 'manual' },
    { refused: 0 },
    { from_address: 'hanako@a.example' },
    { handled: 1, from_address: 'hanako@a.example' },
    { refused: 1, from_address: 'a\0@a.example' },
  ])('%j is refused', async (info) => {
    expect(await change(await storeAnswer(company), info)).toMatchObject({ status: 400 });
  });
});
