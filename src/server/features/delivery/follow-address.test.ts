import { beforeEach, describe, expect, test } from 'vitest';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addDelivery } from '#test/prospect-history.ts';
import { addProspects, addSender, addTenant, type Tenant } from '#test/prospects.ts';
import { claimMails, testSink, testWorker, unbalancedRuns, untilBlocked, untilSettled } from '#test/sending.ts';
import { requeueClaims } from './leases/lease.queries.ts';

/** What becomes of mails to a company whose address is changed, or that is archived, while they wait. */

let database: TestDatabase;
let tenant: Tenant;
let client: Client;
let ids: number[];
beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  client = await clientOf(database, tenant.accountId);
  ids = await addProspects(
    database.db,
    tenant.accountId,
    [0, 1, 2].map((n) => ({ company_name: `会社${n}`, company_email: `old${n}@a.example` })),
  );
});

const send = async (prospectIds: readonly number[], { senderId = tenant.senderId, test = 0, days = 7 } = {}) => {
  const attack_list = prospectIds.map((prospect_id) => ({ prospect_id, company_email: 'test@a.example' }));
  const body = { test_send_mode: test, attack_list, days_from_lastday: days };
  return (await client.post(`/mail/send/${senderId}`, body)).body as { send_log_id: number };
};

const edit = async (id = 0, company_email: string | null = 'new@a.example') => {
  const { body } = await client.get(`/prospect/${id}`);
  const { version } = body as { version: string };
  expect(await client.put(`/prospect/${id}`, { version, update_info: { company_email } })).toMatchObject({
    status: 200,
  });
};

const mails = async () => {
  const rows = await database.db
    .selectFrom('delivery')
    .select(['prospect_id', 'state', 'reason', 'mail_to'])
    .orderBy('id')
    .execute();
  expect(await unbalancedRuns(database.db)).toStrictEqual([]);
  return rows.map(({ prospect_id, ...row }) => ({ company: ids.indexOf(prospect_id), ...row }));
};

test('a waiting mail goes to the new address, a claimed one to the old', async () => {
  await send(ids.slice(0, 2));
  const [claim] = await claimMails(database, { rows: 1 });
  const first = ids.indexOf(claim?.prospectId ?? 0);
  for (const n of [0, 1]) await edit(ids[n], `new${n}@a.example`);
  const others = await claimMails(database, { rows: 10 });
  expect(claim?.mailTo).toBe(`old${first}@a.example`);
  expect(others.map(({ mailTo }) => mailTo)).toStrictEqual([`new${1 - first}@a.example`]);
  expect(new Set((await mails()).map(({ mail_to }) => mail_to))).toStrictEqual(
    new Set([`new${1 - first}@a.example`, `old${first}@a.example`]),
  );
  // Given back before its body left, it takes the new one.
  await requeueClaims(database.service.db, claim ? [claim] : []);
  const [again] = await claimMails(database, { rows: 10 });
  expect(again).toMatchObject({ prospectId: claim?.prospectId, mailTo: `new${first}@a.example` });
});

test('the real worker sends to the new address, and records the contact there', async () => {
  const sink = await testSink();
  await send([ids[0] ?? 0]);
  await edit(ids[0], 'New@a.example');
  testWorker(database, sink);
  expect(await untilSettled(database.db)).toStrictEqual({ sent: 1 });
  expect(sink.mails.map(({ to }) => to)).toStrictEqual([['New@a.example']]);
  const contacts = await database.db.selectFrom('address_contact').select('address_key').execute();
  expect(contacts).toStrictEqual([{ address_key: 'new@a.example' }]);
});

test('the new address is checked again: suppressed, recently mailed, or missing', async () => {
  await send(ids);
  const row = { account_id: tenant.accountId, kind: 'address', value: 'stop@a.example', reason: 'test' };
  await database.db.insertInto('suppression').values(row).execute();
  const contact = { account_id: tenant.accountId, sender_group_id: tenant.senderGroupId, last_sent_at: new Date() };
  await database.db
    .insertInto('address_contact')
    .values({ ...contact, address_key: 'lately@a.example' })
    .execute();
  await edit(ids[0], 'stop@a.example');
  await edit(ids[1], 'lately@a.example');
  await edit(ids[2], null);
  expect(await claimMails(database)).toStrictEqual([]);
  expect(await mails()).toMatchObject([
    { company: 0, state: 'cancelled', reason: 'suppressed' },
    { company: 1, state: 'cancelled', reason: 'recently_sent' },
    { company: 2, state: 'cancelled', reason: 'no_email' },
  ]);
});

test('a mail whose old address was suppressed goes to the new one', async () => {
  await send(ids.slice(0, 1));
  const row = { account_id: tenant.accountId, kind: 'address', value: 'old0@a.example', reason: 'test' };
  await database.db.insertInto('suppression').values(row).execute();
  await edit(ids[0]);
  expect(await claimMails(database)).toMatchObject([{ mailTo: 'new@a.example' }]);
});

test('an address gets one mail: of a run, and of a group', async () => {
  const senderId = await addSender(database.db, tenant);
  await send(ids.slice(0, 2), { days: 0 });
  await send(ids.slice(2), { senderId, days: 0 });
  await edit(ids[1], 'OLD0@a.example');
  const claims = await claimMails(database);
  expect(claims.map(({ mailTo }) => mailTo)).toStrictEqual(['old0@a.example']);
  await edit(ids[2], 'old0@a.example');
  expect(await claimMails(database)).toStrictEqual([]);
  expect(await mails()).toMatchObject([
    { company: 0, state: 'claimed' },
    { company: 1, state: 'cancelled', reason: 'duplicate' },
    { company: 2, state: 'cancelled', reason: 'open_delivery' },
  ]);
});

test('two companies of a run that get the same new address get one mail', async () => {
  await send(ids.slice(0, 2), { days: 0 });
  for (const id of ids.slice(0, 2)) await edit(id);
  expect(await claimMails(database)).toMatchObject([{ mailTo: 'new@a.example' }]);
  expect(new Set((await mails()).map(({ state }) => state))).toStrictEqual(new Set(['cancelled', 'claimed']));
});

test('a claim waits for a run that is being accepted to the new address, and then gives way', async () => {
  await send(ids.slice(0, 1), { days: 0 });
  await edit(ids[0], 'shared@a.example');
  await edit(ids[1], 'shared@a.example');
  const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>();
  const { promise: isInserted, resolve: setInserted } = Promise.withResolvers<void>();
  const accepting = database.db.transaction().execute(async (tx) => {
    await addDelivery(tx, tenant, ids[1] ?? 0, { state: 'queued', mailTo: 'shared@a.example' });
    setInserted();
    await mayCommit;
  });
  await isInserted;
  const claiming = claimMails(database);
  await untilBlocked(database);
  commit();
  await accepting;
  expect(await claiming).toStrictEqual([]);
  const first = database.db
    .selectFrom('delivery')
    .select(['state', 'reason'])
    .where('prospect_id', '=', ids[0] ?? 0);
  expect(await first.execute()).toStrictEqual([{ state: 'cancelled', reason: 'open_delivery' }]);
});

test('tests keep their address, and a failed mail is sent again to the new one', async () => {
  await send([ids[0] ?? 0], { test: 1 });
  const { send_log_id } = await send([ids[1] ?? 0]);
  for (const id of ids.slice(0, 2)) await edit(id, `new${id}@a.example`);
  const [testMail] = await claimMails(database, { rows: 1 });
  expect(testMail?.mailTo).toBe('test@a.example');
  const failed = { state: 'failed', finished_at: new Date(), claim_no: 1 };
  await database.db.updateTable('delivery').set(failed).where('send_log_id', '=', send_log_id).execute();
  await edit(ids[1], 'newest@a.example');
  expect(await client.post(`/send_log/${send_log_id}/retry`, {})).toMatchObject({ body: { accepted: 1 } });
  expect(await claimMails(database)).toMatchObject([{ mailTo: 'newest@a.example' }]);
});

test('bad-inputs 241: a company that is archived while its mail waits gets none', async () => {
  await send(ids.slice(0, 2));
  await client.post(`/prospect/${ids[0]}/archive`, {});
  expect(await claimMails(database)).toMatchObject([{ prospectId: ids[1] }]);
  expect(await mails()).toMatchObject([
    { company: 0, state: 'cancelled', reason: 'archived' },
    { company: 1, state: 'claimed' },
  ]);
});

describe('companies that exchange their addresses while their mails wait', () => {
  /** Gives each company the address of the next one. */
  async function rotate(companies: readonly number[]): Promise<void> {
    for (const n of companies) await edit(ids[n], `between${n}@a.example`);
    for (const [at, n] of companies.entries()) {
      await edit(ids[n], `old${companies[(at + 1) % companies.length]}@a.example`);
    }
  }
  const to = async () => (await mails()).map(({ company, state, mail_to }) => [company, state, mail_to]);

  test('get one mail each: two of a run', async () => {
    await send(ids.slice(0, 2), { days: 0 });
    await rotate([0, 1]);
    await claimMails(database);
    expect(await to()).toStrictEqual([
      [0, 'claimed', 'old1@a.example'],
      [1, 'claimed', 'old0@a.example'],
    ]);
  });

  test('get one mail each: three of a run, claimed one by one', async () => {
    await send(ids, { days: 0 });
    await rotate([0, 1, 2]);
    for (const _ of ids) await claimMails(database, { rows: 1 });
    expect(await to()).toStrictEqual([
      [0, 'claimed', 'old1@a.example'],
      [1, 'claimed', 'old2@a.example'],
      [2, 'claimed', 'old0@a.example'],
    ]);
  });

  test('get one mail each: of two runs of two senders', async () => {
    await send(ids.slice(0, 1), { days: 0 });
    await send(ids.slice(1, 2), { senderId: await addSender(database.db, tenant), days: 0 });
    await rotate([0, 1]);
    for (const _ of ids) await claimMails(database);
    expect(await to()).toStrictEqual([
      [0, 'claimed', 'old1@a.example'],
      [1, 'claimed', 'old0@a.example'],
    ]);
  });

  test('get no second mail where one of them takes its address back', async () => {
    await send(ids.slice(0, 1), { days: 0 });
    await send(ids.slice(1, 2), { senderId: await addSender(database.db, tenant), days: 0 });
    await rotate([0, 1]);
    const [first] = await claimMails(database);
    const [one, other] = ids.indexOf(first?.prospectId ?? 0) === 0 ? [0, 1] : [1, 0];
    expect(first?.mailTo).toBe(`old${other}@a.example`);
    await edit(ids[other], `old${other}@a.example`);
    expect(await claimMails(database)).toStrictEqual([]);
    expect(await mails()).toMatchObject(
      [0, 1].map((company) => (company === one ? { company, state: 'claimed' } : { company, reason: 'open_delivery' })),
    );
  });

  test('get no mail at an address where an earlier try may have arrived', async () => {
    await send(ids.slice(0, 2), { days: 0 });
    await database.db
      .updateTable('delivery')
      .set({ maybe_sent: true })
      .where('prospect_id', '=', ids[1] ?? 0)
      .execute();
    await rotate([0, 1]);
    await claimMails(database);
    expect(await mails()).toMatchObject([
      { company: 0, state: 'cancelled', reason: 'duplicate' },
      { company: 1, state: 'claimed', mail_to: 'old0@a.example' },
    ]);
  });

  test('get no second mail where both have one address in the end', async () => {
    await send(ids.slice(0, 2), { days: 0 });
    await edit(ids[0], 'old1@a.example');
    expect(await claimMails(database)).toMatchObject([{ prospectId: ids[1], mailTo: 'old1@a.example' }]);
    expect(await mails()).toMatchObject([{ state: 'cancelled', reason: 'duplicate' }, { state: 'claimed' }]);
  });
});
