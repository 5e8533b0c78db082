import { beforeEach, expect, test } from 'vitest';
import type { CompanyPerson } from '#contract/companies/people.ts';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addPrimary } from '#test/people.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { attackList } from '#test/reservations.ts';
import { claimMails, finishDeliveries, markSending } from '#test/sending.ts';

/** Mails of the past show the person to whom they went, as they greeted them (decisions/people). */

let database: TestDatabase;
let tenant: Tenant;
let client: Client;
let ids: number[];

const SATO = { email: 'sato@a.example', department: '購買部', title: '部長', name: '佐藤 一郎' };

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  client = await clientOf(database, tenant.accountId);
  ids = await addProspects(
    database.db,
    tenant.accountId,
    [0, 1].map((n) => ({ company_email: `info${n}@a.example`, ceo: `代表 ${n}` })),
  );
});

const idOf = (n: number) => ids[n] ?? expect.unreachable();

async function send(test_send_mode: 0 | 1): Promise<number> {
  const { body } = await client.post(`/mail/send/${tenant.senderId}`, {
    test_send_mode,
    attack_list: attackList(ids, 'test@example.com'),
    days_from_lastday: 0,
    send_to: 'primary_or_company',
  });
  return (body as { send_log_id: number }).send_log_id;
}

async function sendAll(test_send_mode: 0 | 1): Promise<number> {
  const run = await send(test_send_mode);
  const claims = await claimMails(database);
  expect(claims).toHaveLength(2);
  await markSending(database.service.db, claims);
  const outcome = { kind: 'sent', reply: '250 OK' } as const;
  await finishDeliveries(
    database.service.db,
    claims.map((claim) => ({ claim, outcome })),
  );
  return run;
}

interface Mail {
  readonly id: number;
  readonly mail_to: string | null;
  readonly person: object | null;
}
const mailsOf = async (run: number) =>
  ((await client.get(`/send_log/${run}/deliveries?pagenate_num=1&pagenate_count=20`)).body as { rows: Mail[] }).rows;
const mailed = async () =>
  ((await client.get(`/prospect/${idOf(0)}/timeline`)).body as { kind: string; mail_to: string; person: object }[])
    .filter(({ kind }) => kind === 'mail')
    .map(({ mail_to, person }) => [mail_to, person]);

test('the page of a run, a mail and the company show the person as they were, after they and the 主担当 changed', async () => {
  const sato = await addPrimary(database.db, tenant, idOf(0), SATO);
  const run = await sendAll(0);
  await database.db.updateTable('person').set({ name: '高橋', title: '', email: 'new@a.example' }).execute();
  await addPrimary(database.db, tenant, idOf(0), { email: 'suzuki@a.example', name: '鈴木 花子' });
  const person = { id: sato, addressee: '購買部 部長 佐藤 一郎 様' };
  const [first, second] = await mailsOf(run);
  expect([first, second]).toMatchObject([
    { mail_to: SATO.email, person },
    { mail_to: 'info1@a.example', person: null },
  ]);
  expect((await client.get(`/delivery/${first?.id}`)).body).toMatchObject({ person, mail: { to: SATO.email } });
  expect(await mailed()).toStrictEqual([[SATO.email, person]]);
});

test('a mail whose address was taken out shows no person', async () => {
  await addPrimary(database.db, tenant, idOf(0), SATO);
  const run = await sendAll(0);
  await client.post('/personal_data/erase', { email: SATO.email });
  expect(await mailsOf(run)).toMatchObject([{ mail_to: null, person: null }, { person: null }]);
  expect(await mailed()).toStrictEqual([[null, null]]);
});

test('the company says when each of its people was last sent a mail: not a test, not a mail that did not leave', async () => {
  const sato = await addPrimary(database.db, tenant, idOf(0), SATO);
  const sentAt = async () =>
    ((await client.get(`/prospect/${idOf(0)}`)).body as { people: CompanyPerson[] }).people.map(({ id, sent_at }) => [
      id,
      sent_at,
    ]);
  await sendAll(1);
  expect(await sentAt()).toStrictEqual([[sato, null]]);
  await sendAll(0);
  await database.db
    .updateTable('delivery')
    .set({ finished_at: new Date('2026-11-20T03:00:59Z') })
    .where('test_send_mode', '=', false)
    .execute();
  expect(await sentAt()).toStrictEqual([[sato, '2026/11/20 12:00']]);
  const suzuki = await addPrimary(database.db, tenant, idOf(0), { email: 'suzuki@a.example', name: '鈴木 花子' });
  await send(0);
  expect(await sentAt()).toStrictEqual([
    [suzuki, null],
    [sato, '2026/11/20 12:00'],
  ]);
});
