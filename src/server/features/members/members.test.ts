import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Role } from '#domain/account/role.ts';
import { MAX_TEAM } from '#domain/limits.ts';
import { DAY_MS } from '#domain/time-units.ts';
import { addMember } from '#test/accounts.ts';
import { type Client, clientAt, serveApp } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addReservation } from '#test/prospect-history.ts';
import { addGroup, addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { eventually } from '#test/sending.ts';
import { openSession } from '../auth/session.ts';
import { deleteOldInvitations } from './invitation-list.queries.ts';

const PASSWORD = '次の馬 電池 ホチキス 橋';
let database: TestDatabase;
let address: string;
let tenant: Tenant;
let admin: Client;
let mails: { to: string; subject: string; text: string }[];
let isDown = false;
const visitor = () => clientAt(address, '');

beforeEach(async () => {
  database = await emptyDatabase();
  mails = [];
  isDown = false;
  const mailer = async (mail: (typeof mails)[number]) => {
    if (isDown) return { kind: 'not-taken', reply: 'down' };
    mails.push(mail);
    return { kind: 'sent' };
  };
  ({ address } = await serveApp({ ...database, mailer: mailer as never }));
  tenant = await addTenant(database.db);
  await database.db.updateTable('member').set({ name: '田中 直樹', email: 'tanaka@example.jp' }).execute();
  admin = await clientOf(tenant.memberId);
});

const clientOf = async (memberId: number): Promise<Client> =>
  clientAt(
    address,
    `Bearer ${await openSession(database.login, { accountId: tenant.accountId, memberId }, Date.now())}`,
  );

async function addPerson(role: Role, name = '鈴木 彩', accountId = tenant.accountId): Promise<number> {
  return addMember(database.db, accountId, { role, name });
}

interface Listed {
  readonly id: number;
  readonly role: Role;
  readonly active: 0 | 1;
  readonly version: string;
  readonly sender_group_ids: readonly number[] | null;
}
const listed = async (id: number, client = admin) =>
  ((await client.get('/member/list')).body as Listed[]).find((member) => member.id === id) ?? expect.unreachable();
const change = async (id: number, update_info: object, more: object = {}, client = admin) =>
  client.put(`/member/${id}`, { version: (await listed(id)).version, update_info, ...more });

const invite = (add_info: object, client = admin) => client.post('/invitation', { add_info });
/** Returns the key of the newest mail to an address. */
async function keyTo(to: string): Promise<string> {
  const mail = await eventually(
    () => mails.findLast((one) => one.to === to),
    (one) => one !== undefined,
  );
  return /\/invitation\/([\w-]{43})/.exec(mail?.text ?? '')?.[1] ?? '';
}
const accept = (key: string, name = '佐藤 花子') =>
  visitor().post('/invitation/accept', { key, name, new_password: PASSWORD });
const invitations = async () =>
  (await admin.get('/invitation/list')).body as { id: number; email: string; state: string; mail_state: string }[];

describe('an invitation', () => {
  test('is mailed, shown to whoever has its key, and accepted once', async () => {
    const group = await addGroup(database.db, tenant);
    const groups = [group.senderGroupId];
    expect(await invite({ emails: ['sato@example.jp'], role: 'sales', sender_group_ids: groups })).toMatchObject({
      status: 200,
      body: { status: 'added', invited: 1, skipped: [] },
    });
    const key = await keyTo('sato@example.jp');
    const mail = mails.at(-1);
    expect(mail?.subject).toBe('【Kaitaku】会社からの招待');
    expect(mail?.text).toContain('田中 直樹さんが、あなたを会社のKaitakuに招待しました。7日以内に');
    expect((await visitor().post('/invitation/check', { key })).body).toStrictEqual({
      company: '会社',
      email: 'sato@example.jp',
      role: 'sales',
      invited_by: '田中 直樹',
    });
    expect(await accept(key)).toMatchObject({ status: 200, body: { status: 'accepted' } });
    expect(await accept(key)).toMatchObject({ status: 400, body: { code: 'invalid_key' } });
    const login = await visitor().post('/auth/login', { email: 'sato@example.jp', password: PASSWORD });
    const { member, token } = login.body as { member: { id: number; role: Role }; token: string };
    expect(member.role).toBe('sales');
    expect(await listed(member.id)).toMatchObject({ role: 'sales', sender_group_ids: groups, active: 1 });
    const settings = (await clientAt(address, `Bearer ${token}`).get('/notice_setting')).body as {
      kinds: { screen: number; mail: number }[];
      morning_summary: number;
    };
    expect(settings.morning_summary).toBe(0);
    expect(settings.kinds.every(({ screen, mail: byMail }) => screen === 1 && byMail === 0)).toBe(true);
    expect(await invitations()).toMatchObject([{ state: 'accepted', mail_state: 'sent' }]);
  });

  test('skips who needs none, each address once', async () => {
    const stopped = await addPerson('sales');
    await database.db
      .updateTable('member')
      .set({ active: false, email: 'old@example.jp' })
      .where('id', '=', stopped)
      .execute();
    await invite({ emails: ['waiting@example.jp'], role: 'sales' });
    const emails = [
      'TANAKA@example.jp',
      'old@example.jp',
      'waiting@example.jp',
      '名前 <a@b>',
      'x',
      'new@example.jp',
      'NEW@example.jp',
    ];
    expect((await invite({ emails, role: 'viewer' })).body).toMatchObject({
      invited: 1,
      skipped: expect.arrayContaining([
        { email: '名前 <a@b>', reason: 'invalid' },
        { email: 'x', reason: 'invalid' },
        { email: 'NEW@example.jp', reason: 'repeated' },
        { email: 'TANAKA@example.jp', reason: 'already_member' },
        { email: 'old@example.jp', reason: 'stopped' },
        { email: 'waiting@example.jp', reason: 'already_invited' },
      ]),
    });
  });

  test.each([
    [{ emails: Array.from({ length: 21 }, (_, n) => `a${n}@example.jp`), role: 'sales' }],
    [{ emails: [], role: 'sales' }],
    [{ emails: ['a@example.jp'], role: 'owner' }],
    [{ emails: ['a@example.jp'], role: 'sales', sender_group_ids: [] }],
  ])('is refused: %j', async (add_info) => {
    expect(await invite(add_info)).toMatchObject({ status: 400, body: { code: 'invalid_input' } });
  });

  test.each([
    ['', 'invalid'],
    [' \n ', 'invalid'],
    ['Name <a@b.example>', 'invalid'],
    ['a@example.jp\r\nBcc: b@example.jp', 'invalid'],
    ['a@example.jp\u202e', 'invalid'],
    [`${'a'.repeat(300)}@example.jp`, 'invalid'],
    ['a,b@example.jp', 'invalid'],
    ['ＡＢ＠example.jp', null],
    [' <A@EXAMPLE.jp> ', null],
  ])('of %j is skipped as %s', async (email, reason) => {
    const { status, body } = await invite({ emails: [email], role: 'sales' });
    const skipped = reason === null ? [] : [{ email, reason }];
    expect([status, body]).toMatchObject([200, { invited: reason === null ? 1 : 0, skipped }]);
    const stored = await database.db.selectFrom('invitation').select('email').execute();
    expect(stored.every((row) => /^[A-Za-z]+@example\.jp$/.test(row.email))).toBe(true);
  });

  test.each([
    ['a key of 10 MB', { key: 'x'.repeat(10_000_000) }, 413],
    ['a long key', { key: 'x'.repeat(201) }, 400],
    ['another key', { key: 'x'.repeat(43) }, 400],
    ['no key', { key: null }, 400],
    ['a name with a direction mark', { name: '佐藤\u202e花子' }, 400],
    ['a name of spaces', { name: '　' }, 400],
    ['a short password', { new_password: 'short' }, 400],
    ['the invited address as the password', { new_password: 'sato@example.jp' }, 400],
  ])('is not accepted with %s, and stays', async (_, wrong, status) => {
    await invite({ emails: ['sato@example.jp'], role: 'sales' });
    const key = await keyTo('sato@example.jp');
    const asked = { key, name: '佐藤 花子', new_password: PASSWORD, ...wrong };
    expect(await visitor().post('/invitation/accept', asked)).toMatchObject({ status });
    // A mail scanner opens links.
    expect(await visitor().get('/invitation/check')).toMatchObject({ status: 404 });
    expect(await accept(key)).toMatchObject({ status: 200 });
  });

  test('is refused for a foreign group, and beyond the team that an account may have', async () => {
    const stranger = await addTenant(database.db);
    const foreign = { emails: ['a@example.jp'], role: 'sales', sender_group_ids: [stranger.senderGroupId] };
    expect(await invite(foreign)).toMatchObject({ status: 404 });
    await sql`INSERT INTO member (account_id, email, name, password_hash, role)
      SELECT ${tenant.accountId}, 'm' || n || '@example.jp', 'm', 'none', 'viewer'
      FROM generate_series(1, ${MAX_TEAM - 2}) n`.execute(database.db);
    expect(await invite({ emails: ['a@example.jp'], role: 'sales' })).toMatchObject({ status: 200 });
    const more = await invite({ emails: ['b@example.jp'], role: 'sales' });
    expect(more).toMatchObject({ status: 409, body: { code: 'too_many_members' } });
  });

  test('to an address of another account says so in its mail alone, without a key', async () => {
    const other = await addTenant(database.db);
    await addMember(database.db, other.accountId, { email: 'there@example.jp' });
    expect((await invite({ emails: ['there@example.jp'], role: 'sales' })).body).toMatchObject({
      invited: 1,
      skipped: [],
    });
    expect(await keyTo('there@example.jp')).toBe('');
    expect(mails.at(-1)?.text).toContain('すでにKaitakuの別のアカウントで使われています');
    expect(await invitations()).toMatchObject([{ state: 'waiting', mail_state: 'sent' }]);
  });

  test('whose address came to be used elsewhere is refused as it is accepted, and stays', async () => {
    await invite({ emails: ['late@example.jp'], role: 'sales' });
    const key = await keyTo('late@example.jp');
    const other = await addTenant(database.db);
    await addMember(database.db, other.accountId, { email: 'late@example.jp' });
    expect(await accept(key)).toMatchObject({ status: 409, body: { code: 'address_in_use' } });
    expect(await invitations()).toMatchObject([{ state: 'waiting' }]);
  });

  test('is sent again with a new key, by whoever sends it, and cancelled', async () => {
    await invite({ emails: ['a@example.jp'], role: 'sales' });
    const first = await keyTo('a@example.jp');
    const [{ id } = { id: 0 }] = await invitations();
    const second = await clientOf(await addPerson('admin'));
    expect(await second.post(`/invitation/${id}/send`, {})).toMatchObject({ status: 200, body: { status: 'sent' } });
    const next = await keyTo('a@example.jp');
    expect(next).not.toBe(first);
    expect(await accept(first)).toMatchObject({ status: 400, body: { code: 'invalid_key' } });
    for (let n = 0; n < 2; n += 1) {
      expect(await admin.put(`/invitation/${id}`, { update_info: { active: 0 } })).toMatchObject({ status: 200 });
    }
    expect(await accept(next)).toMatchObject({ status: 400, body: { code: 'invalid_key' } });
    expect(await admin.post(`/invitation/${id}/send`, {})).toMatchObject({ status: 409, body: { code: 'cancelled' } });
    expect((await invite({ emails: ['a@example.jp'], role: 'sales' })).body).toMatchObject({ invited: 1 });
  });

  test('whose mail fails has no key, and says so', async () => {
    isDown = true;
    await invite({ emails: ['a@example.jp'], role: 'sales' });
    await eventually(invitations, ([one]) => one?.mail_state === 'failed');
    const rows = await database.db.selectFrom('invitation').select('secret_hash').execute();
    expect(rows).toStrictEqual([{ secret_hash: null }]);
  });

  test('is worth nothing once it has expired, or its inviter is no admin', async () => {
    const other = await addPerson('admin');
    await invite({ emails: ['a@example.jp', 'b@example.jp'], role: 'sales' }, await clientOf(other));
    const [a, b] = [await keyTo('a@example.jp'), await keyTo('b@example.jp')];
    await sql`UPDATE invitation SET expires_at = now() - interval '1 minute' WHERE email = 'a@example.jp'`.execute(
      database.db,
    );
    expect(await accept(a)).toMatchObject({ status: 400, body: { code: 'invalid_key' } });
    expect(await change(other, { role: 'sales' })).toMatchObject({ status: 200 });
    expect(await accept(b)).toMatchObject({ status: 400, body: { code: 'invalid_key' } });
    expect((await invitations()).map(({ state }) => state).sort()).toStrictEqual(['cancelled', 'expired']);
    // An expired one makes room for the next.
    expect((await invite({ emails: ['a@example.jp'], role: 'sales' })).body).toMatchObject({ invited: 1 });
  });

  test('is listed for 30 days after its end, and kept for 90', async () => {
    await invite({ emails: ['a@example.jp', 'b@example.jp', 'c@example.jp'], role: 'sales' });
    await keyTo('c@example.jp');
    await sql`UPDATE invitation SET expires_at = now() - interval '29 days' WHERE email = 'a@example.jp'`.execute(
      database.db,
    );
    await sql`UPDATE invitation SET expires_at = now() - interval '89 days' WHERE email = 'b@example.jp'`.execute(
      database.db,
    );
    await sql`UPDATE invitation SET expires_at = now() - interval '91 days' WHERE email = 'c@example.jp'`.execute(
      database.db,
    );
    expect((await invitations()).map(({ email }) => email)).toStrictEqual(['a@example.jp']);
    await deleteOldInvitations(database.service.db);
    const kept = await database.db.selectFrom('invitation').select('email').orderBy('id').execute();
    expect(kept.map(({ email }) => email)).toStrictEqual(['a@example.jp', 'b@example.jp']);
  });

  test('is limited to five mails an hour to an address', async () => {
    await invite({ emails: ['a@example.jp'], role: 'sales' });
    await keyTo('a@example.jp');
    const [{ id } = { id: 0 }] = await invitations();
    for (let n = 0; n < 4; n += 1)
      expect(await admin.post(`/invitation/${id}/send`, {})).toMatchObject({ status: 200 });
    expect(await admin.post(`/invitation/${id}/send`, {})).toMatchObject({
      status: 429,
      body: { code: 'too_many_mails' },
    });
  });
});

describe('a change of a member', () => {
  test('of role and groups holds at the next request, and is refused to whoever has not seen the last', async () => {
    const id = await addPerson('sales');
    const groups = [(await addGroup(database.db, tenant)).senderGroupId];
    const { version } = await listed(id);
    expect(await change(id, { sender_group_ids: groups })).toMatchObject({ status: 200, body: { sessions_ended: 0 } });
    expect(await listed(id)).toMatchObject({ sender_group_ids: groups });
    const stale = await admin.put(`/member/${id}`, { version, update_info: { role: 'viewer' } });
    expect(stale).toMatchObject({ status: 409, body: { code: 'member_changed' } });
    const client = await clientOf(id);
    expect(await client.post('/prospect', { add_info: { company_name: '甲' } })).toMatchObject({ status: 200 });
    expect(await change(id, { role: 'viewer' })).toMatchObject({ status: 200 });
    expect(await client.post('/prospect', { add_info: { company_name: '乙' } })).toMatchObject({ status: 403 });
    expect(await listed(id)).toMatchObject({ role: 'viewer', sender_group_ids: null });
    const wrong = await change(id, { sender_group_ids: groups });
    expect(wrong).toMatchObject({ status: 400, body: { details: [{ path: 'update_info.sender_group_ids' }] } });
  });

  test('that changes nothing writes nothing', async () => {
    const id = await addPerson('sales');
    expect(await change(id, { role: 'sales', active: 1 })).toMatchObject({ status: 200 });
    expect(
      await database.db.selectFrom('audit_event').select('kind').where('kind', 'like', '%role%').execute(),
    ).toStrictEqual([]);
  });

  test('never takes the last admin; of two who lower each other one stays', async () => {
    const last = await change(tenant.memberId, { role: 'sales' });
    expect(last).toMatchObject({ status: 409, body: { code: 'last_admin' } });
    for (let round = 0; round < 10; round += 1) {
      const other = await addPerson('admin');
      await database.db.updateTable('member').set({ role: 'admin' }).where('id', '=', tenant.memberId).execute();
      const clients = [admin, await clientOf(other)] as const;
      const versions = [await listed(other), await listed(tenant.memberId)] as const;
      const answers = await Promise.all([
        clients[0].put(`/member/${other}`, { version: versions[0].version, update_info: { role: 'viewer' } }),
        clients[1].put(`/member/${tenant.memberId}`, { version: versions[1].version, update_info: { role: 'viewer' } }),
      ]);
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toStrictEqual([200, 403]);
      const { rows } = await sql<{ admins: number }>`
        SELECT count(*)::integer AS admins FROM member
        WHERE account_id = ${tenant.accountId} AND role = 'admin' AND active`.execute(database.db);
      expect(rows).toStrictEqual([{ admins: 1 }]);
      await database.db.updateTable('member').set({ role: 'admin' }).where('id', '=', tenant.memberId).execute();
      await database.db.updateTable('member').set({ role: 'viewer' }).where('id', '=', other).execute();
    }
  });
});

describe('a stop', () => {
  test('of oneself ends the own log-in, unless no other admin is there', async () => {
    const stopMyself = (client: Client, id: number) => change(id, { active: 0 }, {}, client);
    expect(await stopMyself(admin, tenant.memberId)).toMatchObject({ status: 409, body: { code: 'last_admin' } });
    const other = await addPerson('admin');
    const client = await clientOf(other);
    expect(await stopMyself(client, other)).toMatchObject({ status: 200, body: { sessions_ended: 1 } });
    expect(await client.get('/member/list')).toMatchObject({ status: 401 });
  });

  test('ends every way in, and keeps what the member wrote', async () => {
    const id = await addPerson('admin');
    const client = await clientOf(id);
    await invite({ emails: ['a@example.jp'], role: 'sales' }, client);
    const key = await keyTo('a@example.jp');
    await sql`INSERT INTO password_reset (account_id, member_id, secret_hash, expires_at)
      VALUES (${tenant.accountId}, ${id}, 'x', now() + interval '1 hour')`.execute(database.db);
    expect(await change(id, { active: 0 })).toMatchObject({ status: 200, body: { sessions_ended: 1 } });
    expect(await client.get('/member/list')).toMatchObject({ status: 401 });
    expect(await accept(key)).toMatchObject({ status: 400 });
    expect(await database.db.selectFrom('password_reset').select('member_id').execute()).toStrictEqual([]);
    expect(await listed(id)).toMatchObject({ active: 0 });
    const reset = await admin.post(`/member/${id}/password_reset`, {});
    expect(reset).toMatchObject({ status: 409, body: { code: 'member_stopped' } });
    expect(await change(id, { active: 1 })).toMatchObject({ status: 200 });
    expect(await admin.post(`/member/${id}/password_reset`, {})).toMatchObject({ status: 200 });
    const kinds = await database.db.selectFrom('audit_event').select('kind').orderBy('id').execute();
    expect(kinds.map(({ kind }) => kind)).toStrictEqual([
      'member_invited',
      'member_stopped',
      'invitation_cancelled',
      'member_brought_back',
      'password_reset_requested',
    ]);
  });

  test('hands reservations to a colleague who may have them', async () => {
    const id = await addPerson('sales');
    const [company] = await addProspects(database.db, tenant.accountId, [{ company_name: '甲' }]);
    const reservationId = await addReservation(database.db, tenant, [company ?? 0], {
      sendAt: new Date(Date.now() + DAY_MS),
    });
    await database.db.updateTable('reservation').set({ member_id: id }).execute();
    const heir = await addPerson('sales', '森 一');
    const group = await addGroup(database.db, tenant);
    const bound = { account_id: tenant.accountId, member_id: heir, sender_group_id: group.senderGroupId };
    await database.db.insertInto('member_group').values(bound).execute();
    const viewer = await addPerson('viewer');
    expect(await change(id, { active: 0 })).toMatchObject({
      status: 409,
      body: { code: 'hand_over_needed', details: [{ path: 'reservations', message: '1' }] },
    });
    for (const hand_over_to of [id, viewer, heir, 999_999]) {
      const answer = await change(id, { active: 0 }, { hand_over_to });
      expect([hand_over_to, answer]).toMatchObject([
        hand_over_to,
        { status: 400, body: { details: [{ path: 'hand_over_to' }] } },
      ]);
    }
    expect(await listed(id)).toMatchObject({ active: 1 });
    expect(await change(id, { active: 0 }, { hand_over_to: tenant.memberId })).toMatchObject({ status: 200 });
    const { member_id, version } = await database.db
      .selectFrom('reservation')
      .select(['member_id', 'version'])
      .where('id', '=', reservationId)
      .executeTakeFirstOrThrow();
    expect([member_id, version]).toStrictEqual([tenant.memberId, 2]);
    expect((await admin.get(`/reservation/${reservationId}`)).body).toMatchObject({
      history: [{ kind: 'changed', changes: { taken_over: 1 } }],
    });
  });
});
