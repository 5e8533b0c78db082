import { beforeEach, describe, expect, test } from 'vitest';
import type { Role } from '#domain/account/role.ts';
import { openSession } from '#server/features/auth/session.ts';
import { openMailbox, readMailbox } from '#server/features/mailboxes/mailbox.queries.ts';
import { outboundWith } from '#server/platform/outbound/outbound.ts';
import { secretsWith } from '#server/platform/secrets/secrets.ts';
import { addMember } from '#test/accounts.ts';
import { type Client, clientAt, serve } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { type DnsZone, serveZone } from '#test/dns-zone.ts';
import { addTestMailbox } from '#test/mailboxes.ts';
import { addReservation } from '#test/prospect-history.ts';
import { addProspects, addTenant, profileOf, type Tenant } from '#test/prospects.ts';
import { testSecrets } from '#test/secrets.ts';
import { acceptRun, claimBoxMail, claimMails, countStates } from '#test/sending.ts';

let database: TestDatabase;
let zone: DnsZone;
let address: string;
let tenant: Tenant;

beforeEach(async () => {
  database = await emptyDatabase();
  zone = await serveZone({
    'A smtp.haru.example': ['8.8.8.8'],
    'A imap.haru.example': ['8.8.4.4'],
    'A inside.haru.example': ['8.8.8.8', '10.0.0.1'],
  });
  address = await serve({ ...database, outbound: outboundWith({ dnsServers: [zone.server] }) });
  tenant = await addTenant(database.db);
});

interface Person {
  readonly memberId: number;
  readonly client: Client;
}

async function personOf(role: Role, name = '鈴木 彩'): Promise<Person> {
  const memberId = await addMember(database.db, tenant.accountId, { role, name });
  const token = await openSession(database.login, { accountId: tenant.accountId, memberId }, Date.now());
  return { memberId, client: clientAt(address, `Bearer ${token}`) };
}

const INFO = { kind: 'smtp', name: '鈴木 彩', address: 'aya@haru.example', smtp_host: 'smtp.haru.example' } as const;
const add = ({ client }: Person, info: object = {}) => client.post('/mailbox', { add_info: { ...INFO, ...info } });
const addedId = async (person: Person, info: object = {}) => ((await add(person, info)).body as { id: number }).id;
const list = async ({ client }: Person) => (await client.get('/mailbox/list')).body as Record<string, unknown>[];
const stored = async (id: number) => {
  const box = await readMailbox(database.db, { accountId: tenant.accountId, id });
  if (!box) throw new Error('no mailbox');
  return box;
};
const put = async ({ client }: Person, id: number, update_info: object, more: object = {}) =>
  client.put(`/mailbox/${id}`, { version: (await stored(id)).version, update_info, ...more });
const events = async () =>
  (await database.db.selectFrom('audit_event').select(['kind', 'detail']).orderBy('id').execute()).filter(({ kind }) =>
    kind.startsWith('mailbox_'),
  );

describe('a new mailbox', () => {
  test('is of its member, unchecked, without a secret, and with the defaults of its kind', async () => {
    const sales = await personOf('sales');
    expect(await add(sales)).toMatchObject({ status: 200, body: { status: 'added', version: 1 } });
    expect(await list(sales)).toMatchObject([
      {
        ...INFO,
        owner_id: sales.memberId,
        owner: '鈴木 彩',
        is_mine: 1,
        may_change: 1,
        smtp_port: 587,
        security: 'starttls',
        username: 'aya@haru.example',
        imap_host: null,
        reads_replies: 0,
        state: 'unchecked',
        per_day: 500,
        per_minute: 30,
        used_today: 0,
        senders: [],
      },
    ]);
    const detail = { mailbox_kind: 'smtp', address: 'aya@haru.example', is_shared: false };
    expect(await events()).toMatchObject([{ kind: 'mailbox_added', detail }]);
  });

  test('of Google and Microsoft has the known servers, which nobody names', async () => {
    const sales = await personOf('sales');
    const known = { smtp_host: undefined, reads_replies: 1 };
    await add(sales, { ...known, kind: 'google', address: 'a@haru.example' });
    await add(sales, { ...known, kind: 'microsoft', address: 'b@haru.example' });
    expect(await list(sales)).toMatchObject([
      { smtp_host: 'smtp.gmail.com', smtp_port: 587, imap_host: 'imap.gmail.com', per_day: 300, per_minute: 20 },
      { smtp_host: 'smtp.office365.com', imap_host: 'outlook.office365.com', username: 'b@haru.example', per_day: 300 },
    ]);
    expect(await add(sales, { kind: 'google', address: 'c@haru.example' })).toMatchObject({
      status: 400,
      body: { code: 'invalid_input', details: [{ path: 'add_info.smtp_host' }] },
    });
  });

  test('a port 465 is TLS from the first byte', async () => {
    const sales = await personOf('sales');
    await add(sales, { smtp_port: 465 });
    expect(await list(sales)).toMatchObject([{ smtp_port: 465, security: 'tls' }]);
  });

  test.each([
    [{ smtp_host: undefined }, 'add_info.smtp_host', 'invalid_input', 'SMTPサーバーを入力してください'],
    [{ smtp_port: 22 }, 'add_info.smtp_port', 'invalid_input', 'ポートは465、587、2525のどれかにしてください'],
    [{ username: 'aya\u0001auth=Bearer x' }, 'add_info.username', 'invalid_input', '制御文字は使えません'],
    [{ reads_replies: 1 }, 'add_info.imap_host', 'invalid_input', 'IMAPサーバーを入力してください'],
    [{ smtp_host: 'a b' }, 'add_info.smtp_host', 'invalid_host', '読み取れません'],
    [{ smtp_host: 'user@smtp.haru.example' }, 'add_info.smtp_host', 'invalid_host', '読み取れません'],
    [{ smtp_host: 'smtp.haru.example:25' }, 'add_info.smtp_host', 'invalid_host', '読み取れません'],
    [{ smtp_host: '127.0.0.1' }, 'add_info.smtp_host', 'invalid_host', 'MAIL_HOSTS_ALLOWED'],
    [{ smtp_host: '2130706433' }, 'add_info.smtp_host', 'invalid_host', 'MAIL_HOSTS_ALLOWED'],
    [{ smtp_host: '[::1]' }, 'add_info.smtp_host', 'invalid_host', 'MAIL_HOSTS_ALLOWED'],
    [{ smtp_host: '169.254.169.254' }, 'add_info.smtp_host', 'invalid_host', 'MAIL_HOSTS_ALLOWED'],
    [{ smtp_host: 'inside.haru.example' }, 'add_info.smtp_host', 'invalid_host', 'MAIL_HOSTS_ALLOWED'],
    [{ imap_host: 'inside.haru.example' }, 'add_info.imap_host', 'invalid_host', 'MAIL_HOSTS_ALLOWED'],
  ])('%j is refused at its field', async (info, path, code, message) => {
    const answer = await add(await personOf('sales'), info);
    const { details } = answer.body as { details: { path: string; message: string }[] };
    expect(answer).toMatchObject({ status: 400, body: { code } });
    expect(details.map((one) => one.path)).toContain(path);
    expect(details.map((one) => one.message).join()).toContain(message);
    expect(await database.db.selectFrom('mailbox').select('id').execute()).toStrictEqual([]);
  });

  test('what the DNS does not know may be stored: the check says it', async () => {
    expect(await add(await personOf('sales'), { smtp_host: 'Nowhere.Haru.example.' })).toMatchObject({ status: 200 });
    expect(await database.db.selectFrom('mailbox').select('smtp_host').execute()).toStrictEqual([
      { smtp_host: 'nowhere.haru.example' },
    ]);
  });

  test('a shared one is for admins', async () => {
    const [sales, admin] = [await personOf('sales'), await personOf('admin')];
    expect(await add(sales, { is_shared: 1 })).toMatchObject({ status: 403, body: { code: 'not_allowed' } });
    expect(await add(sales)).toMatchObject({ status: 200 });
    expect(await add(admin, { is_shared: 1, address: 'info@haru.example' })).toMatchObject({ status: 200 });
    expect(await list(sales)).toMatchObject([{ is_mine: 1 }, { owner_id: null, owner: null, is_mine: 0 }]);
  });

  test('an address has one mailbox, of other accounts apart', async () => {
    const sales = await personOf('sales');
    const other = await addTenant(database.db);
    await addTestMailbox(database.db, other.accountId);
    expect(await add(sales)).toMatchObject({ status: 200 });
    expect(await add(sales, { address: 'AYA@haru.example' })).toMatchObject({
      status: 409,
      body: { code: 'address_taken', details: [{ path: 'add_info.address' }] },
    });
  });

  test('a repeated request with its key is answered as before', async () => {
    const { client } = await personOf('sales');
    const headers = { 'idempotency-key': 'one-mailbox' };
    const first = await client.post('/mailbox', { add_info: INFO }, headers);
    expect(await client.post('/mailbox', { add_info: INFO }, headers)).toStrictEqual(first);
  });

  test('500 are the most, those that are off too', async () => {
    const sales = await personOf('sales');
    const row = { account_id: tenant.accountId, kind: 'smtp', name: '箱', smtp_host: 'x.example', smtp_port: 587 };
    const more = { security: 'starttls', username: 'u', per_day: 1, per_minute: 1, state: 'off' };
    const rows = Array.from({ length: 500 }, (_, n) => ({ ...row, ...more, address: `${n}@haru.example` }));
    await database.db.insertInto('mailbox').values(rows).execute();
    expect(await add(sales)).toMatchObject({ status: 409, body: { code: 'too_many_mailboxes' } });
  });

  test('without a key of seals none is added', async () => {
    const secrets = secretsWith({ current: null, old: null });
    address = await serve({ ...database, secrets });
    expect(await add(await personOf('sales'))).toMatchObject({ status: 503, body: { code: 'no_secret_key' } });
  });

  test('the demo has none: its password is public', async () => {
    await database.db
      .insertInto('audit_event')
      .values({ account_id: tenant.accountId, kind: 'demo_created', detail: '{}' })
      .execute();
    const admin = await personOf('admin');
    expect(await add(admin)).toMatchObject({ status: 409, body: { code: 'not_in_demo' } });
    const { body } = await admin.client.get(`/account/${tenant.accountId}`);
    // By this the screens offer none.
    expect(body).toMatchObject({ is_demo: 1 });
  });
});

describe('who may see and change', () => {
  test('all see the list, and its user only who may change it', async () => {
    const [owner, colleague, admin, viewer] = [
      await personOf('sales'),
      await personOf('sales', '佐藤 花子'),
      await personOf('admin', '田中 直樹'),
      await personOf('viewer', '木村 健'),
    ];
    const id = await addedId(owner, { username: 'aya-login' });
    const seen = async (person: Person) => {
      const [row] = await list(person);
      return [row?.may_change, row?.is_mine, row?.username];
    };
    expect(await seen(owner)).toStrictEqual([1, 1, 'aya-login']);
    expect(await seen(colleague)).toStrictEqual([0, 0, '']);
    expect(await seen(viewer)).toStrictEqual([0, 0, '']);
    expect(await seen(admin)).toStrictEqual([1, 0, 'aya-login']);
    const refused = { status: 403, body: { code: 'not_allowed' } };
    for (const person of [colleague, viewer]) {
      expect(await put(person, id, { name: '他人' })).toMatchObject(refused);
      expect(await person.client.post(`/mailbox/${id}/check`, {})).toMatchObject(refused);
    }
    expect(await add(viewer)).toMatchObject(refused);
    expect(await put(owner, id, { name: '本人' })).toMatchObject({ status: 200 });
    expect(await put(admin, id, { name: '管理者' })).toMatchObject({ status: 200 });
    // A shared one is an admin's.
    expect(await put(owner, id, { is_shared: 1 })).toMatchObject(refused);
    expect(await put(admin, id, { is_shared: 1 })).toMatchObject({ status: 200 });
    expect(await put(owner, id, { name: '本人' })).toMatchObject(refused);
    expect(await put(admin, id, { is_shared: 0 })).toMatchObject({ status: 200 });
    expect((await stored(id)).owner_id).toBe(admin.memberId);
  });

  test('an owner who became a viewer changes nothing any more', async () => {
    const owner = await personOf('sales');
    const id = await addedId(owner);
    await database.db.updateTable('member').set({ role: 'viewer' }).where('id', '=', owner.memberId).execute();
    expect(await list(owner)).toMatchObject([{ is_mine: 1, may_change: 0, username: '' }]);
    expect(await put(owner, id, { active: 0 })).toMatchObject({ status: 403 });
  });
});

describe('a change', () => {
  let owner: Person;
  let id: number;

  beforeEach(async () => {
    owner = await personOf('sales');
    id = await addTestMailbox(database.db, tenant.accountId, {
      owner_id: owner.memberId,
      smtp_host: 'smtp.haru.example',
      imap_host: 'imap.haru.example',
      other_from: ['info@haru.example'],
      ids: 'kept',
    });
  });

  test('of its name and limits leaves it usable, and raises the version', async () => {
    const answer = await put(owner, id, { name: '新しい名前', per_day: 100, per_minute: 10 });
    expect(answer).toMatchObject({ status: 200, body: { version: 2 } });
    expect(await stored(id)).toMatchObject({ state: 'ok', name: '新しい名前', other_from: ['info@haru.example'] });
    expect(await events()).toMatchObject([
      { kind: 'mailbox_changed', detail: { fields: ['name', 'per_day', 'per_minute'] } },
    ]);
  });

  /** What a change makes of a mailbox that was ok. */
  test.each([
    [{ smtp_host: 'other.haru.example' }, { state: 'unchecked', other_from: [], ids: 'unknown', secret: null }],
    [{ username: 'other' }, { state: 'unchecked', other_from: [], secret: null }],
    [{ imap_host: 'other.haru.example' }, { state: 'unchecked', other_from: [], secret: null }],
    [{ address: 'new@haru.example' }, { state: 'unchecked', other_from: [], secret: expect.any(Buffer) }],
    [{ smtp_port: 2525 }, { state: 'unchecked', other_from: [], secret: expect.any(Buffer) }],
    [{ password: 'new' }, { state: 'unchecked', other_from: ['info@haru.example'], secret: expect.any(Buffer) }],
    [{ imap_host: null }, { state: 'ok', other_from: ['info@haru.example'], secret: expect.any(Buffer) }],
  ])('of %j', async (change, after) => {
    expect(await put(owner, id, change)).toMatchObject({ status: 200 });
    expect(await stored(id)).toMatchObject({ version: 2, ...after });
  });

  test('of the server with its password keeps only the new one', async () => {
    await put(owner, id, { smtp_host: 'other.haru.example', password: '合言葉 secret' });
    const box = await stored(id);
    expect(openMailbox(testSecrets, box)).toStrictEqual({ password: '合言葉 secret' });
    expect(await events()).toMatchObject([{ detail: { fields: ['smtp_host', 'password'] } }]);
    const detail = JSON.stringify(await database.db.selectFrom('audit_event').selectAll().execute());
    expect(detail).not.toContain('合言葉');
  });

  test('of the user beside a password of a mailbox of a provider is refused at its field', async () => {
    await database.db.updateTable('mailbox').set({ kind: 'google' }).execute();
    expect(await put(owner, id, { password: 'x' })).toMatchObject({
      status: 400,
      body: { details: [{ path: 'update_info.password' }] },
    });
    // The tokens are of the former address.
    await put(owner, id, { address: 'new@haru.example' });
    expect(await stored(id)).toMatchObject({ username: 'new@haru.example', secret: null, state: 'unchecked' });
  });

  test('by somebody who has not seen the last one is refused; a repeated one is not', async () => {
    const ask = (name: string) => owner.client.put(`/mailbox/${id}`, { version: 1, update_info: { name } });
    expect(await ask('甲')).toMatchObject({ status: 200, body: { version: 2 } });
    expect(await ask('甲')).toMatchObject({ status: 200, body: { version: 2 } });
    expect(await ask('乙')).toMatchObject({ status: 409, body: { code: 'mailbox_changed' } });
  });

  test.each([
    ['smtp', 10_000, 10_001],
    ['google', 1500, 1501],
    ['microsoft', 5000, 5001],
  ])('the most a day of %s is %i', async (kind, most, more) => {
    await database.db.updateTable('mailbox').set({ kind }).execute();
    expect(await put(owner, id, { per_day: most - 1 })).toMatchObject({ status: 200 });
    const refused = { status: 400, body: { details: [{ path: 'update_info.per_day' }] } };
    expect(await put(owner, id, { per_day: more })).toMatchObject(refused);
    expect(await put(owner, id, { per_minute: 61 })).toMatchObject({ status: 400 });
  });

  test.each([
    ['x'.repeat(1001), 'update_info.password'],
    ['x'.repeat(10_240), 'update_info.password'],
    ['', 'update_info.password'],
  ])('a password that no server takes is refused (%#)', async (password, path) => {
    expect(await put(owner, id, { password })).toMatchObject({ status: 400, body: { details: [{ path }] } });
    expect(await stored(id)).toMatchObject({ version: 1 });
  });

  test('NUL is refused before any field', async () => {
    const refused = { status: 400, body: { code: 'invalid_json', message: expect.stringContaining('使えない文字') } };
    expect(await put(owner, id, { password: 'a\u0000b' })).toMatchObject(refused);
    expect(await put(owner, id, { username: 'aya\u0000' })).toMatchObject(refused);
  });

  test('to the address of another mailbox is refused', async () => {
    await addTestMailbox(database.db, tenant.accountId, { address: 'other@haru.example' });
    expect(await put(owner, id, { address: 'Other@haru.example' })).toMatchObject({
      status: 409,
      body: { code: 'address_taken' },
    });
    expect(await put(owner, id, { address: 'AYA@haru.example' })).toMatchObject({ status: 200 });
  });

  test('reading begins when it is switched on, and does not end while refusals go there', async () => {
    await put(owner, id, { reads_replies: 1 });
    const state = () => database.db.selectFrom('mailbox_state').select('reads_from').executeTakeFirstOrThrow();
    expect((await state()).reads_from).toBeInstanceOf(Date);
    await database.db.updateTable('mailbox').set({ takes_refusals: true }).execute();
    const refused = { status: 409, body: { code: 'reads_refusals' } };
    expect(await put(owner, id, { reads_replies: 0 })).toMatchObject(refused);
    expect(await put(owner, id, { address: 'other@haru.example' })).toMatchObject(refused);
    expect(await put(owner, id, { imap_host: null, reads_replies: 0 })).toMatchObject(refused);
    expect(await put(owner, id, { name: '名前' })).toMatchObject({ status: 200 });
  });

  test('takes claimed mails back: none leaves by what it was before', async () => {
    const profile_id = await profileOf(database.db, tenant.senderId);
    await acceptRun(database, tenant, 3);
    await claimMails(database);
    await database.db.updateTable('sender_profile').set({ mailbox_id: id }).where('id', '=', profile_id).execute();
    await put(owner, id, { per_minute: 1 });
    expect(await countStates(database.db)).toStrictEqual({ queued: 3 });
  });

  test('takes another From away: mails that would leave from it are cancelled at their claim', async () => {
    const other_from = ['info@haru.example', 'sender@example.com'];
    await database.db.updateTable('mailbox').set({ other_from }).where('id', '=', id).execute();
    const profile_id = await profileOf(database.db, tenant.senderId);
    await database.db.updateTable('sender_profile').set({ mailbox_id: id }).where('id', '=', profile_id).execute();
    await acceptRun(database, tenant, 2);
    expect(await claimBoxMail(database)).toHaveLength(1);

    const colleague = await personOf('sales', '佐藤 花子');
    const remove_from = 'Sender@example.com';
    expect(await put(colleague, id, { remove_from })).toMatchObject({ status: 403 });
    expect(await put(owner, id, { remove_from })).toMatchObject({ status: 200, body: { version: 2 } });
    expect(await stored(id)).toMatchObject({ state: 'ok', other_from: ['info@haru.example'] });
    expect(await events()).toMatchObject([{ kind: 'mailbox_changed', detail: { fields: ['other_from'] } }]);
    expect(await countStates(database.db)).toStrictEqual({ queued: 2 });
    await database.db.updateTable('sender_throttle').set({ next_at: new Date() }).execute();
    expect(await claimBoxMail(database)).toStrictEqual([]);
    const mails = await database.db.selectFrom('delivery').select(['state', 'reason']).orderBy('id').execute();
    expect(mails[0]).toStrictEqual({ state: 'cancelled', reason: 'sender_unconfirmed' });
    // Again, or another's: nothing happens.
    expect(await put(owner, id, { remove_from })).toMatchObject({ status: 200, body: { version: 2 } });
    expect(await put(owner, id, { remove_from: 'aya@haru.example' })).toMatchObject({ body: { version: 2 } });
  });
});

describe('a disconnection', () => {
  test('deletes the secret, and asks first where mails or reservations wait', async () => {
    const owner = await personOf('sales');
    const info = { owner_id: owner.memberId, other_from: ['sender@example.com'] };
    const id = await addTestMailbox(database.db, tenant.accountId, info);
    const profile_id = await profileOf(database.db, tenant.senderId);
    await database.db.updateTable('sender_profile').set({ mailbox_id: id }).where('id', '=', profile_id).execute();
    await acceptRun(database, tenant, 3);
    await claimMails(database);
    const [company = 0] = await addProspects(database.db, tenant.accountId, [{}]);
    await addReservation(database.db, tenant, [company], { sendAt: new Date(Date.now() + 86_400_000) });
    expect(await put(owner, id, { active: 0 })).toMatchObject({
      status: 409,
      body: {
        code: 'has_open_mails',
        message: 'このメールボックスから送る予定の3通と予約1件は、送信されません。',
        details: [
          { path: 'mails', message: '3' },
          { path: 'reservations', message: '1' },
        ],
      },
    });
    expect(await put(owner, id, { active: 0 }, { confirmed: 1 })).toMatchObject({ status: 200, body: { version: 2 } });
    expect(await stored(id)).toMatchObject({ state: 'off', secret: null, secret_key: null });
    expect(await countStates(database.db)).toStrictEqual({ queued: 3 });
    expect(await events()).toMatchObject([{ kind: 'mailbox_disconnected' }]);
    // Again: nothing happens.
    expect(await put(owner, id, { active: 0 })).toMatchObject({ status: 200, body: { version: 2 } });
    expect(await owner.client.post(`/mailbox/${id}/check`, {})).toMatchObject({ body: { code: 'mailbox_off' } });
    // A new password connects it again, once it is checked.
    await put(owner, id, { name: '名前' });
    expect(await stored(id)).toMatchObject({ state: 'off' });
    await put(owner, id, { password: 'new' });
    expect(await stored(id)).toMatchObject({ state: 'unchecked' });
  });

  test('goes with no other change', async () => {
    const owner = await personOf('sales');
    const id = await addedId(owner);
    expect(await put(owner, id, { active: 0, name: '名前' })).toMatchObject({ status: 400 });
  });
});

test('a list shows the pause that lasts, today’s mails and the active senders', async () => {
  const viewer = await personOf('viewer');
  const id = await addTestMailbox(database.db, tenant.accountId, { other_from: ['sender@example.com'] });
  await addTestMailbox(database.db, tenant.accountId, { address: 'other@haru.example' });
  const profile_id = await profileOf(database.db, tenant.senderId);
  await database.db.updateTable('sender_profile').set({ mailbox_id: id }).where('id', '=', profile_id).execute();
  await acceptRun(database, tenant, 3);
  await database.db
    .updateTable('delivery')
    .set({ state: 'sent', finished_at: new Date() })
    .where('id', '=', ({ selectFrom }) => selectFrom('delivery').select(({ fn }) => fn.min<number>('id').as('id')))
    .execute();
  const pause = { paused_until: new Date(Date.now() + 60_000), why: 'limited', last_fault: '450 4.2.1 wait' };
  await database.db.updateTable('mailbox_state').set(pause).where('mailbox_id', '=', id).execute();
  await database.db
    .updateTable('mailbox_state')
    .set({ paused_until: new Date(Date.now() - 1000), why: 'fault' })
    .where('mailbox_id', '<>', id)
    .execute();
  expect(await list(viewer)).toMatchObject([
    { why: 'limited', last_fault: '450 4.2.1 wait', used_today: 1, senders: [{ id: profile_id }] },
    { why: null, paused_until: null, used_today: 0, senders: [] },
  ]);
  await database.db.updateTable('sender_profile').set({ active: false }).execute();
  expect(await list(viewer)).toMatchObject([{ used_today: 1, senders: [] }, {}]);
});
