import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Role } from '#domain/account/role.ts';
import { INVITATION_DAYS, MAX_MEMBERS, MAX_TEAM } from '#domain/limits.ts';
import { DAY_MS } from '#domain/time-units.ts';
import { addMember } from '#test/accounts.ts';
import { type Client, clientAt, serveApp } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addTestMailbox } from '#test/mailboxes.ts';
import { addGroup, addTenant, type Tenant } from '#test/prospects.ts';
import { acceptRun, eventually, untilBlocked } from '#test/sending.ts';
import { accountDbOf } from '../../platform/database/account-db.ts';
import { openSession } from '../auth/session.ts';
import { mailInvitation } from './mail-invitation.command.ts';
import { updateMember } from './update-member.command.ts';

let database: TestDatabase;
let address: string;
let tenant: Tenant;
let admin: Client;
/** How the mail server answers each mail, in order; afterwards `sent`. */
let answers: Promise<string>[];

beforeEach(async () => {
  database = await emptyDatabase();
  answers = [];
  const mailer = async () => ({ kind: await (answers.shift() ?? 'sent'), reply: '' });
  ({ address } = await serveApp({ ...database, mailer: mailer as never }));
  tenant = await addTenant(database.db);
  admin = await clientOf(tenant.memberId);
});

const services = () => ({
  login: database.login,
  now: Date.now,
  mailer: async () => ({ kind: 'sent' as const, reply: '' }),
  urlOf: () => 'http://localhost',
});
const clientOf = async (memberId: number): Promise<Client> =>
  clientAt(
    address,
    `Bearer ${await openSession(database.login, { accountId: tenant.accountId, memberId }, Date.now())}`,
  );
const addPerson = (role: Role) => addMember(database.db, tenant.accountId, { role, name: '鈴木 彩' });
const invite = (...emails: string[]) => admin.post('/invitation', { add_info: { emails, role: 'sales' } });

async function change(id: number, update_info: object, more: object = {}) {
  const members = (await admin.get('/member/list')).body as { id: number; version: string }[];
  const { version } = members.find((member) => member.id === id) ?? { version: '' };
  return admin.put(`/member/${id}`, { version, update_info, ...more });
}

/** Holds a row while `ask` waits for it, then makes the change and lets `ask` go on. */
async function whileWaiting(row: string, ask: () => Promise<unknown>, meanwhile: string) {
  const holder = await database.pool.connect();
  try {
    await holder.query('BEGIN');
    await holder.query(`SELECT FROM ${row} FOR NO KEY UPDATE`);
    const answer = ask();
    await untilBlocked(database);
    await holder.query(meanwhile);
    await holder.query('COMMIT');
    return answer;
  } finally {
    // Also where nothing waited: the next test could not empty the database.
    await holder.query('ROLLBACK');
    holder.release();
  }
}

describe('no act outlasts a stop', () => {
  test.each([
    [
      'PUT /account/:id with a new address',
      'sales',
      async (client: Client) =>
        client.put(`/account/${tenant.accountId}`, { update_info: { email_before_confirmation: 'new@example.jp' } }),
    ],
    [
      'POST /member/:id/password_reset',
      'admin',
      async (client: Client, other: number) => client.post(`/member/${other}/password_reset`, {}),
    ],
    [
      'PUT /member/:id',
      'admin',
      async (client: Client, other: number) =>
        client.put(`/member/${other}`, { version: '', update_info: { role: 'admin' } }),
    ],
    [
      'POST /invitation',
      'admin',
      async (client: Client) => client.post('/invitation', { add_info: { emails: ['a@example.jp'], role: 'sales' } }),
    ],
  ] as const)('%s that waited for it', async (_, role, ask) => {
    const id = await addPerson(role);
    const client = await clientOf(id);
    const held = role === 'sales' ? `member WHERE id = ${id}` : `account, member WHERE member.id = ${tenant.memberId}`;
    const answer = await whileWaiting(
      held,
      () => ask(client, tenant.memberId),
      `UPDATE member SET active = false WHERE id = ${id}`,
    );
    expect(answer).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
    for (const table of ['email_change', 'password_reset', 'invitation'] as const) {
      expect([table, await database.db.selectFrom(table).select('account_id').execute()]).toStrictEqual([table, []]);
    }
  });

  test('and mails about notices of before it are not sent after the member is back', async () => {
    const id = await addPerson('sales');
    const add = (kind: string) =>
      sql`INSERT INTO notice (account_id, member_id, kind, count, subjects, first_at, last_at, on_screen, mail_due_at)
        VALUES (${tenant.accountId}, ${id}, ${kind}, 1, '{}', now(), now(), true, now())`.execute(database.db);
    const due = async () =>
      (await database.db.selectFrom('notice').select('kind').where('mail_due_at', 'is not', null).execute()).length;
    await add('reply');
    expect(await change(id, { active: 0 })).toMatchObject({ status: 200 });
    expect(await due()).toBe(0);
    // A worker that read the member before the stop.
    await add('refusal');
    expect(await change(id, { active: 1 })).toMatchObject({ status: 200 });
    expect(await due()).toBe(0);
  });
});

test('a stop waits for a worker that changes notices of the member, and neither deadlocks', async () => {
  const id = await addPerson('sales');
  const stop = () => change(id, { active: 0 });
  expect(await whileWaiting(`notice_member WHERE member_id = ${id}`, stop, 'SELECT')).toMatchObject({ status: 200 });
});

test('the list of invitations does not show whether an address is used by another account', async () => {
  await addMember(database.db, (await addTenant(database.db)).accountId, { email: 'there@example.jp' });
  const emails = ['there@example.jp', 'new@example.jp'];
  await invite(...emails);
  const sent = async () =>
    (await admin.get('/invitation/list')).body as { mail_state: string; expires_at: string; created_at: string }[];
  await eventually(sent, (all) => all.length === 2 && all.every(({ mail_state }) => mail_state === 'sent'));
  // As if the mails had begun a minute after the invitations.
  const moved = `UPDATE invitation SET expires_at = expires_at - interval '1 minute'`;
  await database.pool.query(moved);
  for (const email of emails) {
    const { id } = await database.db
      .selectFrom('invitation')
      .select('id')
      .where('email', '=', email)
      .executeTakeFirstOrThrow();
    const mailed = () => mailInvitation(services(), database.account(tenant.accountId), id);
    expect(await mailed()).toStrictEqual({ status: 'sent' });
  }
  const lives = (await sent()).map(({ expires_at, created_at }) => Date.parse(expires_at) - Date.parse(created_at));
  expect(lives.filter((ms) => ms < INVITATION_DAYS * DAY_MS)).toStrictEqual([]);
});

describe('limits of members and invitations', () => {
  test('a refused call uses up no limit of mails', async () => {
    const addresses = (from: number, count: number) =>
      Array.from({ length: count }, (_, at) => `a${from + at}@example.jp`);
    for (const [from, count, status] of [
      [0, 20, 200],
      [20, 20, 200],
      [40, 20, 429],
      [40, 10, 200],
      [50, 1, 429],
    ] as const) {
      expect([from, count, (await invite(...addresses(from, count))).status]).toStrictEqual([from, count, status]);
    }
  });

  test('a stopped member comes back to an account with the most members, but not to a full team', async () => {
    const add = (from: number, to: number, active: boolean) =>
      sql`INSERT INTO member (account_id, email, name, password_hash, role, active)
        SELECT ${tenant.accountId}, 'm' || n || '@example.jp', 'm', 'none', 'viewer', ${active}
        FROM generate_series(${sql.lit(from)}, ${sql.lit(to)}) n`.execute(database.db);
    const id = await addPerson('viewer');
    expect(await change(id, { active: 0 })).toMatchObject({ status: 200 });
    await add(1, MAX_MEMBERS - 2, false);
    expect(await invite('a@example.jp')).toMatchObject({ status: 409, body: { code: 'too_many_members' } });
    expect(await change(id, { active: 1 })).toMatchObject({ status: 200 });
    expect(await change(id, { active: 0 })).toMatchObject({ status: 200 });
    await sql`UPDATE member SET active = true WHERE email IN (
      SELECT 'm' || n || '@example.jp' FROM generate_series(1, ${sql.lit(MAX_TEAM - 1)}) n)`.execute(database.db);
    expect(await change(id, { active: 1 })).toMatchObject({ status: 409, body: { code: 'too_many_members' } });
  });

  test('groups are those of sales, and of the own account', async () => {
    const id = await addPerson('sales');
    const stranger = await addTenant(database.db);
    const own = await addGroup(database.db, tenant);
    expect(await change(id, { sender_group_ids: [stranger.senderGroupId] })).toMatchObject({ status: 404 });
    expect(await change(id, { role: 'admin', sender_group_ids: [own.senderGroupId] })).toMatchObject({ status: 400 });
    const viewers = { emails: ['a@example.jp'], role: 'viewer', sender_group_ids: [own.senderGroupId] };
    expect(await admin.post('/invitation', { add_info: viewers })).toMatchObject({
      status: 400,
      body: { details: [{ path: 'add_info.sender_group_ids' }] },
    });
  });
});

test('a fault of an earlier mail leaves the state of the later one', async () => {
  const { promise, resolve: fail } = Promise.withResolvers<string>();
  answers.push(promise);
  await invite('a@example.jp');
  const read = async () =>
    ((await admin.get('/invitation/list')).body as { id: number; mail_state: string }[])[0] ?? {
      id: 0,
      mail_state: '',
    };
  const { id } = await eventually(read, () => answers.length === 0);
  expect(await admin.post(`/invitation/${id}/send`, {})).toMatchObject({ status: 200 });
  fail('not-taken');
  // The mail of another invitation follows the first one's last write.
  await invite('b@example.jp');
  await eventually(
    async () =>
      (await database.db.selectFrom('invitation').select('mail_state').execute()).map((row) => row.mail_state),
    (states) => !states.includes('sending'),
  );
  expect(
    (await database.db.selectFrom('invitation').select(['mail_state', 'secret_hash']).execute()).map(
      ({ mail_state, secret_hash }) => [mail_state, secret_hash !== null],
    ),
  ).toStrictEqual([
    ['sent', true],
    ['sent', true],
  ]);
});

test('an erased member is in no list, and nobody brings it back', async () => {
  const id = await addPerson('sales');
  expect(await change(id, { active: 0 })).toMatchObject({ status: 200 });
  await sql`UPDATE member SET email = 'erased-' || id || '@invalid' WHERE id = ${id}`.execute(database.db);
  expect((await admin.get('/member/list')).body).toHaveLength(1);
  expect(await change(id, { active: 1 })).toMatchObject({ status: 404 });
});

describe('the mailboxes of a member who is stopped', () => {
  const mailboxes = () => database.db.selectFrom('mailbox').select(['id', 'state', 'secret']).orderBy('id').execute();

  test('are disconnected, after a question where mails wait for them; those of others stay', async () => {
    const id = await addPerson('sales');
    const own = await addTestMailbox(database.db, tenant.accountId, {
      owner_id: id,
      other_from: ['sender@example.com'],
    });
    const shared = await addTestMailbox(database.db, tenant.accountId, { address: 'info@haru.example' });
    const other = await addTenant(database.db);
    const others = await addTestMailbox(database.db, other.accountId, { owner_id: other.memberId });
    await database.db
      .updateTable('sender_profile')
      .set({ mailbox_id: own })
      .where('account_id', '=', tenant.accountId)
      .execute();
    await acceptRun(database, tenant, 2);
    const open = { code: 'has_open_mails', message: 'この人のメールボックスから送る予定の2通は、送信されません。' };
    expect(await change(id, { active: 0 })).toMatchObject({ status: 409, body: open });
    const usable = { state: 'ok', secret: expect.any(Buffer) };
    expect(await mailboxes()).toMatchObject([{ id: own, ...usable }, usable, usable]);
    expect(await change(id, { active: 0 }, { confirmed: 1 })).toMatchObject({ status: 200 });
    expect(await mailboxes()).toMatchObject([
      { id: own, state: 'off', secret: null },
      { id: shared, ...usable },
      { id: others, ...usable },
    ]);
    const events = await database.db
      .selectFrom('audit_event')
      .select(['member_id', 'detail'])
      .where('kind', '=', 'mailbox_disconnected')
      .execute();
    expect(events).toMatchObject([{ member_id: tenant.memberId, detail: { mailbox_id: own } }]);
    // Brought back, the member connects it anew.
    expect(await change(id, { active: 1 })).toMatchObject({ status: 200 });
    expect(await mailboxes()).toMatchObject([{ state: 'off' }, {}, {}]);
  });

  test('are asked about by nobody where no mail waits, and by no operator', async () => {
    const [first, second] = [await addPerson('sales'), await addPerson('sales')];
    await addTestMailbox(database.db, tenant.accountId, { owner_id: first });
    expect(await change(first, { active: 0 })).toMatchObject({ status: 200 });
    const info = { owner_id: second, address: 'b@haru.example', other_from: ['sender@example.com'] };
    const id = await addTestMailbox(database.db, tenant.accountId, info);
    await database.db.updateTable('sender_profile').set({ mailbox_id: id }).execute();
    await acceptRun(database, tenant, 1);
    const operator = accountDbOf(database.service.db)(tenant.accountId, null);
    expect(await updateMember(operator, second, { update_info: { active: 0 } }, Date.now())).toMatchObject({
      status: 'updated',
    });
    expect(await mailboxes()).toMatchObject([{ state: 'off' }, { state: 'off' }]);
  });
});
