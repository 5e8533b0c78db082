import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addMember, updateMember } from '#test/accounts.ts';
import { type Answer, type Client, clientAt, serve } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { attackList, nextReservable, reservationBody } from '#test/reservations.ts';
import { hashPassword } from './password.ts';
import { openSession } from './session.ts';

/** Two people of one account: the data is one, the person is two. */

const PASSWORD = '正しい馬 電池 ホチキス';
const NEXT = '次の馬 電池 ホチキス 橋';

let database: TestDatabase;
let address: string;
let passwordHash: string;
let tenant: Tenant;
let first: Person;
let second: Person;
let serial = 0;

interface Person {
  readonly memberId: number;
  readonly email: string;
  readonly client: Client;
}

beforeAll(async () => {
  database = await emptyDatabase();
  address = await serve(database);
  passwordHash = await hashPassword(PASSWORD);
});

beforeEach(async () => {
  serial += 1;
  tenant = await addTenant(database.db);
  const emails = [`ichiro${serial}@example.jp`, `jiro${serial}@example.jp`] as const;
  await updateMember(database.db, tenant.accountId, { email: emails[0], name: '一郎', passwordHash });
  const other = { email: emails[1], name: '二郎', passwordHash };
  [first, second] = [
    await logIn(tenant.memberId, emails[0]),
    await logIn(await addMember(database.db, tenant.accountId, other), emails[1]),
  ];
});

async function logIn(memberId: number, email: string): Promise<Person> {
  const token = await openSession(database.login, { accountId: tenant.accountId, memberId }, Date.now());
  return { memberId, email, client: clientAt(address, `Bearer ${token}`) };
}

const profileOf = async ({ client }: Person) => (await client.get(`/account/${tenant.accountId}`)).body;
const update = ({ client }: Person, update_info: object) => client.put(`/account/${tenant.accountId}`, { update_info });
const tryPassword = ({ email }: Person, password = PASSWORD): Promise<Answer> =>
  clientAt(address, '').post('/auth/login', { email, password });
const setActive = ({ memberId }: Person, active: boolean) =>
  database.service.db.updateTable('member').set({ active }).where('id', '=', memberId).execute();

test('each member logs in with an own address, and sees the own name', async () => {
  for (const [person, name] of [
    [first, '一郎'],
    [second, '二郎'],
  ] as const) {
    expect(await tryPassword(person)).toMatchObject({ status: 200, body: { account_id: tenant.accountId } });
    expect(await profileOf(person)).toMatchObject({ id: tenant.accountId, email: person.email, name, company: '会社' });
  }
});

test('a changed name concerns one member, a changed company both', async () => {
  expect(await update(second, { name: '次郎' })).toMatchObject({ status: 200 });
  expect(await update(second, { company: '新会社' })).toMatchObject({ status: 200 });
  expect(await profileOf(first)).toMatchObject({ name: '一郎', company: '新会社' });
  expect(await profileOf(second)).toMatchObject({ name: '次郎', company: '新会社' });
});

test('a new password is of one, whose other sessions end; the sessions of the other live on', async () => {
  const elsewhere = await logIn(second.memberId, second.email);
  const passwords = { current_password: PASSWORD, new_password: NEXT };
  expect(await second.client.put(`/auth/password/${tenant.accountId}`, passwords)).toMatchObject({ status: 200 });
  expect((await elsewhere.client.get(`/account/${tenant.accountId}`)).status).toBe(401);
  expect((await first.client.get(`/account/${tenant.accountId}`)).status).toBe(200);
  expect([await tryPassword(first), await tryPassword(second)]).toMatchObject([{ status: 200 }, { status: 401 }]);
  expect(await tryPassword(second, NEXT)).toMatchObject({ status: 200 });
});

test('a change of the address is of one: the other can neither send its mail nor confirm it, nor is logged out', async () => {
  const path = `/auth/confirmation_token/${tenant.accountId}`;
  const target = `new${serial}@example.jp`;
  const send = (person: Person, confirmation_token: string) =>
    person.client.post(`/mail/send/confirmation/${tenant.accountId}`, {
      email_before_confirmation: target,
      confirmation_token,
    });
  const mails: string[] = [];
  const served = await serve({
    ...database,
    mailer: async ({ text }) => {
      mails.push(text);
      return { kind: 'sent', reply: '250 OK' };
    },
  });
  for (const person of [first, second]) {
    const { accountId } = tenant;
    const token = await openSession(database.login, { accountId, memberId: person.memberId }, Date.now());
    Object.assign(person, { client: clientAt(served, `Bearer ${token}`) });
  }

  expect(await update(first, { email_before_confirmation: target })).toMatchObject({ status: 200 });
  expect(await profileOf(second)).toMatchObject({ email_before_confirmation: null });
  const { confirmation_token: ticket } = (await first.client.put(path)).body as { confirmation_token: string };
  expect(await send(second, ticket)).toMatchObject({ status: 400, body: { code: 'invalid_ticket' } });
  // The same address may be wanted by both: each has a change of its own.
  expect(await update(second, { email_before_confirmation: target })).toMatchObject({ status: 200 });
  expect(await send(first, ticket)).toMatchObject({ status: 200 });
  const secret = /\/confirmation\/([\w-]{43})/.exec(mails[0] ?? '')?.[1] ?? '';
  const confirm = (person: Person) => person.client.post(`${path}/confirm`, { confirmation_token: secret });
  expect(await confirm(second)).toMatchObject({ status: 400, body: { code: 'invalid_confirmation' } });
  expect(await confirm(first)).toMatchObject({ status: 200 });
  const move = { email: target, email_before_confirmation: '', hashed_confirmation_token: '' };
  expect(await update(second, move)).toMatchObject({ status: 400, body: { code: 'not_confirmed' } });
  expect(await update(first, move)).toMatchObject({ status: 200 });
  expect((await first.client.get(`/account/${tenant.accountId}`)).status).toBe(401);
  expect(await profileOf(second)).toMatchObject({ email: second.email, email_before_confirmation: target });
});

test('an address that another person has is taken, also within the account', async () => {
  await expect(addMember(database.db, tenant.accountId, { email: first.email.toUpperCase() })).rejects.toThrow(
    'member_email_key',
  );
});

describe('a member who is not active any more', () => {
  test('is out at once, and in again when active; the others notice nothing', async () => {
    await setActive(second, false);
    expect((await second.client.get(`/account/${tenant.accountId}`)).status).toBe(401);
    const refused = await tryPassword(second);
    expect(refused).toStrictEqual(await clientAt(address, '').post('/auth/login', { email: 'x@y.jp', password: 'z' }));
    expect((await first.client.get(`/account/${tenant.accountId}`)).status).toBe(200);
    await setActive(second, true);
    expect(await tryPassword(second)).toMatchObject({ status: 200 });
  });
});

test('runs and reservations name the member who asked, and mails have that name', async () => {
  const { senderId, accountId } = tenant;
  const [company] = await database.db
    .insertInto('prospect')
    .values({
      account_id: accountId,
      identity_key: 'a',
      company_name: 'A',
      company_email: 'a@a.jp',
      email_search: 'a@a.jp',
    })
    .returning('id')
    .execute();
  const ids = [company?.id ?? 0];
  const body = { test_send_mode: 1, attack_list: attackList(ids, 'test@example.com') };
  for (const { client } of [first, second]) {
    expect(await client.post(`/mail/send/${senderId}`, body)).toMatchObject({ status: 200, body: { accepted: 1 } });
  }
  const wanted = reservationBody({ ...body, sender_id: senderId, send_at: nextReservable(), test_send_mode: 1 });
  expect(await second.client.post('/reservation', wanted)).toMatchObject({ status: 200, body: { status: 'added' } });

  const runs = await database.db
    .selectFrom('send_log')
    .select(['member_id', 'mail'])
    .where('account_id', '=', accountId)
    .orderBy('id')
    .execute();
  expect(runs).toMatchObject([
    { member_id: first.memberId, mail: { account: { name: '一郎', company: '会社' } } },
    { member_id: second.memberId, mail: { account: { name: '二郎', company: '会社' } } },
  ]);
  const reserved = database.db.selectFrom('reservation').select('member_id').where('account_id', '=', accountId);
  expect(await reserved.execute()).toStrictEqual([{ member_id: second.memberId }]);
});

test('the audit of a deleted member stays, without a member', async () => {
  const { accountId } = tenant;
  await update(second, { name: '次郎' });
  await database.db.deleteFrom('member').where('id', '=', second.memberId).execute();
  expect((await second.client.get(`/account/${accountId}`)).status).toBe(401);
  const events = database.db
    .selectFrom('audit_event')
    .select(['kind', 'member_id'])
    .where('account_id', '=', accountId);
  expect(await events.execute()).toStrictEqual([{ kind: 'profile_changed', member_id: null }]);
});
