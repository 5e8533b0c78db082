import { beforeEach, expect, test } from 'vitest';
import { type Client, clientOf, serveApp } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addPrimary, removePrimary } from '#test/people.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { claimMails, eventually, testSink, testWorker, unbalancedRuns, untilSettled } from '#test/sending.ts';
import { requeueClaims } from './leases/lease.queries.ts';

/** What becomes of mails to main contact persons (主担当) while they wait, are claimed, or are sent again. */

let database: TestDatabase;
let tenant: Tenant;
let client: Client;
let ids: number[];
beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  client = await clientOf(database, tenant.accountId);
  const companies = [0, 1, 2].map((n) => ({ company_email: `info${n}@a.example`, ceo: `代表 ${n}` }));
  ids = await addProspects(database.db, tenant.accountId, companies);
});

const idOf = (n: number) => ids[n] ?? expect.unreachable();
const SATO = { email: 'sato@a.example', department: '購買部', title: '部長', name: '佐藤 一郎' };
const SUZUKI = { email: 'suzuki@a.example', department: '情報システム部', title: '', name: '鈴木 花子' };
const primary = (n: number, person: object) => addPrimary(database.db, tenant, idOf(n), person);

async function send(companies: readonly number[], send_to?: string, days_from_lastday = 7): Promise<number> {
  const attack_list = companies.map((n) => ({ prospect_id: idOf(n) }));
  const { body, status } = await client.post(`/mail/send/${tenant.senderId}`, {
    test_send_mode: 0,
    attack_list,
    days_from_lastday,
    ...(send_to && { send_to }),
  });
  expect([status, body]).toMatchObject([200, { status: 'accepted' }]);
  return (body as { send_log_id: number }).send_log_id;
}

const mails = async () => {
  expect(await unbalancedRuns(database.db)).toStrictEqual([]);
  return database.db
    .selectFrom('delivery')
    .select(['state', 'reason', 'mail_to', 'person_id', 'person_in_charge', 'merge_values'])
    .orderBy('prospect_id')
    .execute();
};

const suppress = (...values: string[]) => client.post('/suppression', { add_info: { class: 'blocked', values } });

test('P2 the acceptance stores the person and whom the mail greets', async () => {
  const sato = await primary(0, SATO);
  await primary(1, { email: null, name: '高橋' });
  await send([0, 1, 2], 'primary_or_company');
  const toCompany = (n: number) => ({ mail_to: `info${n}@a.example`, person_id: null, person_in_charge: `代表 ${n}` });
  expect(await mails()).toMatchObject([
    { mail_to: SATO.email, person_id: sato, person_in_charge: '購買部 部長 佐藤 一郎' },
    toCompany(1),
    toCompany(2),
  ]);
  const targets = (await claimMails(database)).map(({ mailTo, target }) => [mailTo, target.person_in_charge]);
  expect(targets).toContainEqual([SATO.email, '購買部 部長 佐藤 一郎']);
});

test('an order that names no send_to goes to the companies', async () => {
  await primary(0, SATO);
  await send([0]);
  await primary(0, SUZUKI);
  const mail = { mail_to: 'info0@a.example', person_id: null, person_in_charge: '代表 0' };
  expect(await mails()).toMatchObject([mail]);
  expect(await claimMails(database)).toMatchObject([{ mailTo: 'info0@a.example' }]);
  expect(await mails()).toMatchObject([mail]);
});

test('P1 the claim takes address, person, greeting and values of another main contact person; a claimed mail keeps its own', async () => {
  await primary(0, SATO);
  await primary(1, SATO);
  await database.db
    .updateTable('prospect')
    .set({ person_email: 'b@a.example', person_email_search: 'b@a.example' })
    .where('id', '=', idOf(1))
    .execute();
  await send([0, 1], 'primary_or_company');
  const values = { custom: { rank: 'A' }, person: { name: '佐藤 一郎', department: '購買部', title: '部長' } };
  await database.db
    .updateTable('delivery')
    .set({ merge_values: JSON.stringify(values) })
    .execute();
  const [claim] = await claimMails(database, { rows: 1 });
  const n = ids.indexOf(claim?.prospectId ?? 0);
  const suzuki = [
    await primary(0, { ...SUZUKI, email: 'n0@a.example' }),
    await primary(1, { ...SUZUKI, email: 'n1@a.example' }),
  ];
  const [other] = await claimMails(database);
  const greeting = '情報システム部 鈴木 花子';
  expect([claim?.mailTo, other?.mailTo]).toStrictEqual([n === 0 ? SATO.email : 'b@a.example', `n${1 - n}@a.example`]);
  expect(other?.target).toMatchObject({ person_in_charge: greeting });
  const person = { name: '鈴木 花子', department: '情報システム部', title: '' };
  const moved = {
    person_id: suzuki[1 - n],
    person_in_charge: greeting,
    merge_values: { custom: { rank: 'A' }, person },
  };
  const kept = { person_in_charge: '購買部 部長 佐藤 一郎', merge_values: values };
  expect(await mails()).toMatchObject(n === 0 ? [kept, moved] : [moved, kept]);
  // Given back before its body left, it takes them too.
  await requeueClaims(database.service.db, claim ? [claim] : []);
  expect(await claimMails(database)).toMatchObject([
    { mailTo: `n${n}@a.example`, target: { person_in_charge: greeting } },
  ]);
});

test('P1 the claim takes another person at the same address, and the company where nobody is left', async () => {
  await primary(0, SATO);
  await primary(1, { ...SATO, email: 'sato1@a.example' });
  await send([0, 1], 'primary_or_company');
  const other = await primary(0, { ...SATO, name: '佐藤 二郎' });
  await removePrimary(database.db, tenant, idOf(1));
  await claimMails(database);
  expect(await mails()).toMatchObject([
    { state: 'claimed', mail_to: SATO.email, person_id: other, person_in_charge: '購買部 部長 佐藤 二郎' },
    { state: 'claimed', mail_to: 'info1@a.example', person_id: null, person_in_charge: '代表 1' },
  ]);
});

test('P1 a claim judges the address that it takes, without a way back to the company', async () => {
  await send([0, 1, 2], 'primary_or_company');
  await suppress('stop@a.example');
  await primary(0, { ...SATO, email: 'stop@a.example' });
  await primary(1, { ...SATO, email: 'info2@a.example' });
  await database.db
    .updateTable('prospect')
    .set({ company_email: null, email_search: null })
    .where('id', '=', idOf(2))
    .execute();
  await claimMails(database);
  expect(await mails()).toMatchObject([
    { state: 'cancelled', reason: 'suppressed' },
    { state: 'claimed', mail_to: 'info2@a.example' },
    { state: 'cancelled', reason: 'no_email' },
  ]);
});

test('main contact persons who exchange their addresses while their mails wait get one mail each', async () => {
  const [a, b] = [await primary(0, SATO), await primary(1, SUZUKI)];
  await send([0, 1], 'primary_or_company');
  for (const [n, id, email] of [
    [0, a, SUZUKI.email],
    [1, b, SATO.email],
  ] as const) {
    await database.db.updateTable('person').set({ email, email_search: email }).where('id', '=', id).execute();
    await database.db
      .updateTable('prospect')
      .set({ person_email: email, person_email_search: email })
      .where('id', '=', idOf(n))
      .execute();
  }
  await claimMails(database);
  expect(await mails()).toMatchObject([
    { state: 'claimed', mail_to: SUZUKI.email, person_id: a },
    { state: 'claimed', mail_to: SATO.email, person_id: b },
  ]);
});

test('P1 a mail that may have arrived never changes its person, but follows the address of the same one', async () => {
  const sato = await primary(0, SATO);
  const suzuki = await primary(1, SUZUKI);
  const run = await send([0, 1], 'primary_or_company');
  await database.db.updateTable('delivery').set({ state: 'unknown', claim_no: 1, finished_at: new Date() }).execute();
  await primary(0, { ...SATO, email: 'next@a.example', name: '後任' });
  await database.db
    .updateTable('prospect')
    .set({ person_email: 'Suzuki2@a.example', person_email_search: 'suzuki2@a.example' })
    .where('id', '=', idOf(1))
    .execute();
  const rows = await database.db.selectFrom('delivery').select('id').where('send_log_id', '=', run).execute();
  for (const { id } of rows) {
    const decided = await client.put(`/delivery/${id}`, { claim_no: 1, update_info: { state: 'queued' } });
    expect(decided).toMatchObject({ status: 200 });
  }
  await claimMails(database);
  expect(await mails()).toMatchObject([
    { state: 'claimed', mail_to: SATO.email, person_id: sato, person_in_charge: '購買部 部長 佐藤 一郎' },
    { state: 'claimed', mail_to: 'Suzuki2@a.example', person_id: suzuki },
  ]);
});

test('a failed mail is sent again to the main contact person of now, by the send_to of its own run', async () => {
  await primary(0, SATO);
  await primary(1, { ...SATO, email: 'sato1@a.example' });
  const runs = [await send([0], 'primary_or_company'), await send([1])];
  await database.db.updateTable('delivery').set({ state: 'failed', finished_at: new Date(), claim_no: 1 }).execute();
  const suzuki = await primary(0, SUZUKI);
  await primary(1, { ...SUZUKI, email: 'suzuki1@a.example' });
  for (const run of runs) {
    expect(await client.post(`/send_log/${run}/retry`, {})).toMatchObject({ body: { accepted: 1 } });
  }
  const again = [
    { mail_to: SUZUKI.email, person_id: suzuki, person_in_charge: '情報システム部 鈴木 花子' },
    { mail_to: 'info1@a.example', person_id: null, person_in_charge: '代表 1' },
  ];
  // Already before the claim: whoever is erased now is found.
  expect(await mails()).toMatchObject(again);
  await claimMails(database);
  expect(await mails()).toMatchObject(again);
});

test('suppressing a main contact person cancels what waits for them, not what goes to the company', async () => {
  await primary(0, SATO);
  await primary(1, { ...SATO, email: 'info0@a.example' });
  await send([0, 1], 'primary_or_company');
  await send([2]);
  expect(await suppress(SATO.email)).toMatchObject({ body: { companies: 1, queued: 1 } });
  await suppress('info0@a.example');
  expect(await mails()).toMatchObject([
    { state: 'cancelled', reason: 'suppressed' },
    { state: 'cancelled', reason: 'suppressed' },
    { state: 'queued' },
  ]);
});

test('suppressing an address that is not mailed cancels nothing', async () => {
  await primary(0, SATO);
  await primary(1, { ...SATO, email: 'sato1@a.example' });
  await send([0], 'primary_or_company');
  await send([1]);
  expect(await suppress('info0@a.example', 'sato1@a.example')).toMatchObject({ body: { companies: 2, queued: 0 } });
  expect(await mails()).toMatchObject([{ state: 'queued' }, { state: 'queued' }]);
  await suppress('@a.example');
  expect(await mails()).toMatchObject([{ reason: 'suppressed' }, { reason: 'suppressed' }]);
});

test('a refusal by link in mid-run stops the main contact person within a second, and the company in that run', async () => {
  await primary(0, SATO);
  const sink = await testSink();
  testWorker(database, sink);
  await send([0], 'primary_or_company', 0);
  await untilSettled(database.db);
  const mail = await database.db.selectFrom('delivery').select('mail_key').executeTakeFirstOrThrow();
  const others = Array.from({ length: 30 }, (_, n) => ({ company_email: `before${n}@a.example` }));
  ids.unshift(...(await addProspects(database.db, tenant.accountId, others)));
  sink.latencyMs = 100;
  await send([...ids.keys()].slice(0, 31), 'primary_or_company', 0);
  await eventually(
    () => Promise.resolve(sink.mails.length),
    (count) => count > 2,
  );
  const { address } = await serveApp(database, () => Date.now());
  const began = Date.now();
  const key = (mail.mail_key ?? '').replaceAll('-', '');
  expect((await fetch(new URL(`/u/${key}`, address), { method: 'POST' })).status).toBe(200);
  expect(Date.now() - began).toBeLessThan(1000);
  expect((await mails()).map(({ state, reason }) => [state, reason])).toContainEqual(['cancelled', 'suppressed']);
  expect(await untilSettled(database.db)).toStrictEqual({ sent: 31, cancelled: 1 });
  const to = sink.mails.flatMap((one) => one.to);
  expect(to.filter((one) => one === SATO.email)).toHaveLength(1);
  expect(to).not.toContain('info0@a.example');
});
