import { beforeEach, describe, expect, test } from 'vitest';
import { openSession } from '#server/features/auth/session.ts';
import { addMember } from '#test/accounts.ts';
import { type Client, clientAt } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addReservation } from '#test/prospect-history.ts';
import { addProspects } from '#test/prospects.ts';
import { type SenderScene, senderScene, sendOrder } from '#test/senders.ts';
import { testWorker, untilBlocked, untilSettled } from '#test/sending.ts';

let database: TestDatabase;
let scene: SenderScene;

beforeEach(async () => {
  database = await emptyDatabase();
  scene = await senderScene(database);
});

interface Profile {
  readonly id: number;
  readonly template_ids: number[];
  readonly version: string;
  readonly [name: string]: unknown;
}
interface Sender {
  readonly id: number;
  readonly profile_id: number;
  readonly template_id: number;
  readonly [name: string]: unknown;
}

const profiles = async (where = '') => (await scene.client.get(`/sender_profile/list${where}`)).body as Profile[];
const profile = async (id: number) => (await profiles(`?where_info[id]=${id}`))[0] as Profile;
const senders = async (where: string) => (await scene.client.get(`/sender/list?${where}`)).body as Sender[];
const sender = async (id: number) => (await scene.client.get(`/sender/${id}`)).body as Sender;
const add = async (fields = {}) => (await scene.addSender(fields)).body as { id: number };
const addTemplate = async (fields = {}) => {
  const add_info = { name: '別の文面', subject: '別の件名', ...fields };
  return ((await scene.client.post('/mail_template', { add_info })).body as { id: number }).id;
};
const put = async (id: number, update_info: object, by: Client = scene.client, version?: string) =>
  by.put(`/sender_profile/${id}`, { version: version ?? (await profile(id)).version, update_info });
const template = async (id: number) =>
  (await scene.client.get(`/mail_template/${id}`)).body as {
    readonly version: string;
    readonly sender_profile_ids: number[];
    readonly senders: Sender[];
  };
const putTemplate = async (id: number, update_info: object, version?: string) =>
  scene.client.put(`/mail_template/${id}`, {
    version: version ?? (await template(id)).version,
    update_info: { name: '文面', text_body: '本文', html_body: '', senders: [], ...update_info },
  });

const reserve = async (id: number) => {
  const [company = 0] = await addProspects(database.db, scene.tenant.accountId, [{}]);
  return addReservation(database.db, { ...scene.tenant, senderId: id }, [company], {
    sendAt: new Date(scene.now + 86_400_000),
  });
};

describe('a new sender', () => {
  test('joins the profile that is equal in what is given, and takes the rest from it', async () => {
    const whole = { reply_to: 'reply@example.jp', bcc: 'copy@example.jp', signature: '営業部', mails_per_minute: 30 };
    const first = await sender((await add(whole)).id);
    const template_id = await addTemplate();
    const second = await sender((await add({ template_id, email: 'HANA@example.jp' })).id);
    expect(second).toMatchObject({ ...whole, profile_id: first.profile_id, email: 'hana@example.jp', shared_by: 1 });
    const others = [{ bcc: null }, { signature: '' }, { reply_to: 'other@example.jp' }, { person_in_charge: '佐藤' }];
    for (const [n, other] of others.entries()) {
      const { profile_id } = await sender((await add({ ...other, subject: `件名${n}` })).id);
      expect([other, profile_id === first.profile_id]).toStrictEqual([other, false]);
    }
  });

  test('of an equal active one is refused, of an inactive one brings it back', async () => {
    const { id } = await add();
    expect(await scene.addSender()).toMatchObject({
      status: 409,
      body: { code: 'sender_exists', details: [{ path: 'add_info.template_id' }] },
    });
    await scene.change(id, { active: 0 });
    expect(await add()).toMatchObject({ id, status: 'added' });
    expect(await sender(id)).toMatchObject({ active: 1 });
    expect(await add({ subject: null })).not.toMatchObject({ id });
  });

  test('with another pace changes that of the profile, within the limit of the operator', async () => {
    const { id } = await add();
    const template_id = await addTemplate();
    await add({ template_id, mails_per_minute: 12 });
    expect(await sender(id)).toMatchObject({ mails_per_minute: 12 });
    await database.db.updateTable('sender_throttle').set({ mails_per_minute: 20 }).execute();
    expect(await scene.addSender({ subject: null, mails_per_minute: 21 })).toMatchObject({
      status: 400,
      body: { code: 'above_limit' },
    });
  });

  test('beside another of the same person, at once, joins its profile', async () => {
    const template_id = await addTemplate();
    const added = await Promise.all([add(), add({ template_id }), add({ subject: null })]);
    const rows = await Promise.all(added.map(({ id }) => sender(id)));
    expect(new Set(rows.map(({ profile_id }) => profile_id)).size).toBe(1);
    expect(rows.map(({ shared_by }) => shared_by)).toStrictEqual([2, 2, 2]);
  });

  test('of a key that is sent twice is one sender', async () => {
    const headers = { 'idempotency-key': 'one-sender-of-two-presses' };
    const add_info = {
      sender_group_id: scene.tenant.senderGroupId,
      template_id: scene.templateId,
      person_in_charge: '佐藤 花',
      email: 'hana@example.jp',
      subject: null,
    };
    const answers = [1, 2].map(() => scene.client.post('/sender', { add_info }, headers));
    const [one, two] = await Promise.all(answers);
    expect(two).toStrictEqual(one);
    expect(await senders('columns[]=id')).toHaveLength(2);
  });
});

describe('a change of a sender', () => {
  test('of its person changes all senders of the profile, and names how many others', async () => {
    const { id } = await add();
    const other = (await add({ template_id: await addTemplate() })).id;
    const secret = await scene.secretFor(other, 'hana@example.jp');
    const answer = await scene.change(id, { signature: '新しい署名', email: 'hana2@example.jp', mails_per_minute: 9 });
    expect(answer.body).toMatchObject({ shared_by: 1, is_confirmed: 0 });
    const changed = {
      signature: '新しい署名',
      email: 'hana2@example.jp',
      mails_per_minute: 9,
      updated_by: '山田 太郎',
    };
    expect(await sender(other)).toMatchObject({ ...changed, shared_by: 1 });
    // The link went to the earlier address.
    expect(await scene.confirm(secret)).toMatchObject({ status: 400 });
  });

  test('of its own leaves the others, and none becomes equal to another', async () => {
    const { id } = await add();
    const template_id = await addTemplate();
    const other = (await add({ template_id, subject: null })).id;
    expect(await scene.change(id, { template_id, subject: null })).toMatchObject({
      status: 409,
      body: { code: 'sender_exists' },
    });
    expect(await scene.change(id, { template_id, subject: '二つ目の件名' })).toMatchObject({ status: 200 });
    expect(await sender(other)).toMatchObject({ own_subject: null, active: 1 });
    const subjects = [
      { id, subject: null },
      { id: other, subject: '二つ目の件名' },
    ];
    expect(await putTemplate(template_id, { senders: [{ id, subject: null }] })).toMatchObject({
      status: 409,
      body: { code: 'sender_exists', details: [{ path: 'update_info.senders' }] },
    });
    // Two of one profile swap their subjects.
    expect(await putTemplate(template_id, { senders: subjects })).toMatchObject({ status: 200 });
    expect(await sender(other)).toMatchObject({ own_subject: '二つ目の件名', active: 1 });
  });

  test('that is brought back brings back its person', async () => {
    const { id } = await add();
    const { profile_id } = await sender(id);
    expect(await put(profile_id, { active: 0 })).toMatchObject({ status: 200, body: { template_ids: [] } });
    expect(await sender(id)).toMatchObject({ active: 0 });
    expect(await profile(profile_id)).toMatchObject({ active: 0, template_ids: [] });
    await scene.change(id, { active: 1 });
    expect(await profile(profile_id)).toMatchObject({ active: 1, template_ids: [scene.templateId] });
  });
});

describe('the list of profiles', () => {
  test('has a row a person, with what it uses', async () => {
    const { id } = await add({ signature: '営業部', mails_per_minute: 30 });
    const second = await addTemplate();
    await add({ template_id: second });
    await add({ template_id: second, subject: '別の件名で' });
    const [, row] = await profiles();
    expect(row).toStrictEqual({
      id: (await sender(id)).profile_id,
      sender_group_id: scene.tenant.senderGroupId,
      group: 'グループ',
      person_in_charge: '佐藤 花',
      email: 'hana@example.jp',
      reply_to: null,
      bcc: null,
      signature: '営業部',
      mails_per_minute: 30,
      max_mails_per_minute: null,
      mailbox_id: null,
      active: 1,
      is_confirmed: 0,
      confirmation_sent_at: null,
      sender_id: id,
      template_ids: [scene.templateId, second],
      version: expect.stringMatching(/^[\w-]{22}$/),
    });
    await scene.secretFor(row?.sender_id as number, 'hana@example.jp');
    expect(await profile(row?.id ?? 0)).toMatchObject({ confirmation_sent_at: '2026/11/24 12:00:00' });
  });
});

describe('templates of a profile', () => {
  let id: number;
  let profileId: number;
  let second: number;
  beforeEach(async () => {
    ({ id } = await add({ subject: null }));
    ({ profile_id: profileId } = await sender(id));
    second = await addTemplate();
  });

  test('are ticked and unticked: senders are added, brought back and deactivated', async () => {
    expect((await put(profileId, { template_ids: [second, scene.templateId] })).body).toMatchObject({
      status: 'updated',
      template_ids: [scene.templateId, second],
    });
    const [added] = await senders(`where_info[profile_id]=${profileId}&where_info[template_id]=${second}`);
    expect(added).toMatchObject({ active: 1, own_subject: null, sender_group_id: scene.tenant.senderGroupId });
    expect(await put(profileId, { template_ids: [second] })).toMatchObject({ status: 200 });
    expect(await sender(id)).toMatchObject({ active: 0 });
    expect(await put(profileId, { template_ids: [scene.templateId] })).toMatchObject({ status: 200 });
    expect(await sender(id)).toMatchObject({ active: 1 });
    expect(await sender(added?.id ?? 0)).toMatchObject({ active: 0 });
    expect(await put(profileId, { template_ids: [] })).toMatchObject({ body: { template_ids: [] } });
    expect(await profile(profileId)).toMatchObject({ active: 1 });
  });

  test('that are unticked while a reservation waits are kept, and nothing else of the save is done', async () => {
    await reserve(id);
    expect(await put(profileId, { template_ids: [second], signature: '新しい署名' })).toMatchObject({
      status: 409,
      body: { code: 'has_reservations', details: [{ path: 'update_info.template_ids', message: /予約が1件/ }] },
    });
    expect(await put(profileId, { active: 0 })).toMatchObject({ status: 409, body: { code: 'has_reservations' } });
    expect(await profile(profileId)).toMatchObject({ signature: '', template_ids: [scene.templateId] });
  });

  test('are not archived ones', async () => {
    await scene.client.post(`/mail_template/${second}/archive`, {});
    expect(await put(profileId, { template_ids: [scene.templateId, second] })).toMatchObject({
      status: 409,
      body: { code: 'template_archived', details: [{ path: 'update_info.template_ids' }] },
    });
  });

  test('of two tabs: the second is told who changed what it had read, and the same choice twice is none', async () => {
    const { version } = await profile(profileId);
    const memberId = await addMember(database.db, scene.tenant.accountId, { name: '佐藤 花子' });
    const session = openSession(database.login, { accountId: scene.tenant.accountId, memberId }, scene.now);
    const other = clientAt(scene.api, `Bearer ${await session}`);
    expect((await put(profileId, { template_ids: [second] }, other)).status).toBe(200);
    const late = await put(profileId, { template_ids: [scene.templateId, second] }, scene.client, version);
    expect(late).toMatchObject({
      status: 409,
      body: { code: 'profile_changed', message: expect.stringMatching(/^佐藤 花子さんが/) },
    });
    expect((await put(profileId, { template_ids: [second] }, scene.client, version)).status).toBe(200);
    expect((await put(profileId, { signature: '署名' }, scene.client, version)).status).toBe(409);
    expect(await profile(profileId)).toMatchObject({ template_ids: [second], signature: '' });
  });

  test('of two tabs at once: one save succeeds, the other gets 409', async () => {
    const { version } = await profile(profileId);
    const saves = [[second], []].map((template_ids) => put(profileId, { template_ids }, scene.client, version));
    const answers = (await Promise.all(saves)).map(({ status }) => status).toSorted((a, b) => a - b);
    expect(answers).toStrictEqual([200, 409]);
  });
});

test('what is of another account, of nobody, or too many is refused, and nothing of the save is done', async () => {
  const stranger = await senderScene(database);
  const [{ id: theirs = 0 } = {}] = (await stranger.client.get('/sender_profile/list')).body as { id?: number }[];
  const { profile_id: own } = await sender(scene.tenant.senderId);
  for (const id of [stranger.templateId, 987_654_321]) {
    const answer = await put(own, { template_ids: [scene.templateId, id], signature: '署名' });
    expect([id, answer.status]).toStrictEqual([id, 404]);
  }
  for (const id of [theirs, 987_654_321]) {
    const answer = await putTemplate(scene.templateId, { name: '新しい名前', sender_profile_ids: [own, id] });
    expect([id, answer.status]).toStrictEqual([id, 404]);
  }
  await database.pool.query(
    `INSERT INTO sender (account_id, sender_group_id, profile_id, template_id, subject, active)
     SELECT account_id, sender_group_id, profile_id, template_id, n::text, false
     FROM sender, generate_series(1, 4999) AS n WHERE account_id = $1`,
    [scene.tenant.accountId],
  );
  const other = await addTemplate();
  const tooMany = { status: 409, body: { code: 'too_many_senders' } };
  expect(await put(own, { template_ids: [other], signature: '署名' })).toMatchObject(tooMany);
  expect(await putTemplate(other, { sender_profile_ids: [own] })).toMatchObject(tooMany);
  const add_info = { name: '一つ多い', subject: '件名', sender_profile_ids: [own] };
  expect(await scene.client.post('/mail_template', { add_info })).toMatchObject(tooMany);
  expect(await profile(own)).toMatchObject({ signature: '', template_ids: [scene.templateId] });
  expect(await template(scene.templateId)).toMatchObject({ name: 'ひな形', sender_profile_ids: [own] });
});

test.each([
  ['no field', {}],
  ['more templates than an account may have', { template_ids: Array.from({ length: 501 }, (_, n) => n + 1) }],
  ['a template that is no number', { template_ids: ['1'] }],
  ['templates of one that is put away', { active: 0, template_ids: [1] }],
  ['another group', { sender_group_id: 1 }],
  ['bad-inputs 108: a name with CRLF', { person_in_charge: 'a\r\nBcc: evil@x.jp' }],
  ['bad-inputs 45: an address that is none', { email: 'a@x.jp,b@x.jp' }],
])('a change of a profile with %s is refused', async (_, update_info) => {
  const { profile_id } = await sender(scene.tenant.senderId);
  expect(await put(profile_id, update_info)).toMatchObject({ status: 400, body: { code: 'invalid_input' } });
});

describe('profiles of a template', () => {
  test('are ticked and unticked from its side', async () => {
    const own = await sender(scene.tenant.senderId);
    const { id } = await add();
    const { profile_id } = await sender(id);
    const second = await addTemplate({ sender_profile_ids: [profile_id] });
    const before = await template(second);
    expect(before.sender_profile_ids).toStrictEqual([profile_id]);
    expect(before.senders).toMatchObject([{ profile_id, active: 1, own_subject: null }]);
    const saved = await putTemplate(second, { sender_profile_ids: [own.profile_id] });
    expect(saved).toMatchObject({ status: 200 });
    const after = await template(second);
    expect(after).toMatchObject({
      version: (saved.body as { version: string }).version,
      sender_profile_ids: [own.profile_id],
      senders: [
        { profile_id, active: 0 },
        { profile_id: own.profile_id, active: 1 },
      ],
    });
    // Another tab that still shows the first choice.
    const late = await putTemplate(second, { sender_profile_ids: [own.profile_id, profile_id] }, before.version);
    expect(late).toMatchObject({ status: 409, body: { code: 'template_changed' } });
    await reserve(after.senders[1]?.id ?? 0);
    expect(await putTemplate(second, { name: '変えない', sender_profile_ids: [] })).toMatchObject({
      status: 409,
      body: { code: 'has_reservations', details: [{ path: 'update_info.sender_profile_ids' }] },
    });
    expect(await template(second)).toMatchObject({ name: '文面', sender_profile_ids: [own.profile_id] });
  });

  test('40 templates × 20 profiles: chosen from both sides, listed in pages, in the order of their last use', async () => {
    const { accountId, senderId } = scene.tenant;
    await database.pool.query(
      `INSERT INTO mail_template (account_id, name, subject, text_body, html_body)
       SELECT $1, 'T' || n, 'S' || n, '本文', '' FROM generate_series(2, 40) AS n`,
      [accountId],
    );
    for (let n = 2; n <= 20; n += 1) await add({ person_in_charge: `担当${n}` });
    const all = await scene.client.get('/mail_template/list?columns[]=id');
    const templateIds = (all.body as { id: number }[]).map(({ id }) => id).toSorted((a, b) => a - b);
    const profileIds = (await profiles('?columns[]=id')).map(({ id }) => id);
    expect([templateIds.length, profileIds.length]).toStrictEqual([40, 20]);
    for (const [n, id] of profileIds.entries()) {
      if (n < 10) expect((await put(id, { template_ids: templateIds })).status).toBe(200);
    }
    for (const id of templateIds) {
      expect((await putTemplate(id, { sender_profile_ids: profileIds })).status).toBe(200);
    }
    const order = await sendOrder(database, scene.tenant, 1);
    expect((await scene.client.post(`/mail/send/${senderId}`, order)).status).toBe(200);
    const columns = 'columns[]=id&columns[]=profile_id&columns[]=template_id&columns[]=last_used_at';
    const page = (offset: number) => senders(`where_info[active]=1&limit=500&offset=${offset}&${columns}`);
    const rows = [...(await page(0)), ...(await page(500))];
    expect(new Set(rows.map(({ profile_id, template_id }) => `${profile_id} ${template_id}`)).size).toBe(800);
    const used = rows.filter(({ last_used_at }) => last_used_at !== null).map(({ id }) => id);
    expect(used).toStrictEqual([senderId]);
  });
});

test.each([
  ['a profile that gives up the template', (id: number) => put(id, { template_ids: [] })],
  ['a profile that is put away', (id: number) => put(id, { active: 0 })],
  ['a template that gives up the profile', () => putTemplate(scene.templateId, { sender_profile_ids: [] })],
  ['an archive of the template', () => scene.client.post(`/mail_template/${scene.templateId}/archive`, {})],
])('a reservation that is being made goes before %s', async (_, act) => {
  const { senderId, senderGroupId } = scene.tenant;
  const { profile_id } = await sender(senderId);
  const { acting } = await database.db.transaction().execute(async (tx) => {
    // As the call that reserves does.
    await tx.selectFrom('sender_group').select('id').where('id', '=', senderGroupId).forNoKeyUpdate().execute();
    const acting = act(profile_id);
    await untilBlocked(database);
    const [company = 0] = await addProspects(tx, scene.tenant.accountId, [{}]);
    await addReservation(tx, scene.tenant, [company], { sendAt: new Date(scene.now + 86_400_000) });
    return { acting };
  });
  expect((await acting).status).toBe(409);
  expect(await sender(senderId)).toMatchObject({ active: 1, reservations: 1 });
});

test('a run whose template is archived continues with its accepted content', async () => {
  const { senderId } = scene.tenant;
  const order = await sendOrder(database, scene.tenant, 0);
  const sent = await scene.client.post(`/mail/send/${senderId}`, order);
  expect(sent).toMatchObject({ status: 200 });
  expect((await scene.client.post(`/mail_template/${scene.templateId}/archive`, {})).body).toMatchObject({
    deactivated: 1,
  });
  expect((await scene.client.post(`/mail/send/${senderId}`, order)).status).toBe(404);
  testWorker(database, scene.sink);
  expect(await untilSettled(database.db)).toMatchObject({ sent: 1 });
  expect(await sender(senderId)).toMatchObject({ active: 0 });
});

test('a key of a send belongs to its sender, not to its profile', async () => {
  const { id } = await add();
  const other = (await add({ template_id: await addTemplate(), subject: null })).id;
  const order = await sendOrder(database, scene.tenant, 1);
  const headers = { 'idempotency-key': 'one-press-of-one-text' };
  const send = (to: number) => scene.client.post(`/mail/send/${to}`, order, headers);
  const first = await send(id);
  expect(first.status).toBe(200);
  expect((await send(other)).status).toBe(409);
  expect(await send(id)).toStrictEqual(first);
});
