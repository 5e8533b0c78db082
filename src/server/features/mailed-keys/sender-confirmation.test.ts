import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { startReservation } from '#server/features/reservations/due.command.ts';
import { openSessionOf, updateMember } from '#test/accounts.ts';
import { clientAt } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { TEST_MAILING } from '#test/mailing.ts';
import { changePerson } from '#test/prospects.ts';
import { nextReservable } from '#test/reservations.ts';
import { type SenderScene, senderScene, senderSecretIn, sendOrder } from '#test/senders.ts';
import { acceptRun, claimMails, unbalancedRuns } from '#test/sending.ts';
import { confirmAddress } from '../sender-addresses/confirmed-address.queries.ts';

const HOUR_MS = 60 * 60 * 1000;
const ADDRESS = 'hana@example.jp';
const CONFIRMED = { status: 200, body: { status: 'confirmed', email: ADDRESS } };
const INVALID = {
  status: 400,
  body: { code: 'invalid_confirmation', message: 'このリンクは使えません。もう一度、確認メールを送ってください。' },
};

let database: TestDatabase;
let scene: SenderScene;
/** A sender whose address waits for its confirmation. */
let senderId: number;

beforeEach(async () => {
  database = await emptyDatabase();
  scene = await senderScene(database);
  senderId = ((await scene.addSender()).body as { id: number }).id;
});

const ask = (id = senderId) => scene.client.post(`/sender/${id}/confirmation`, {});
const isConfirmed = async () =>
  ((await scene.client.get(`/sender/${senderId}`)).body as { is_confirmed: 0 | 1 }).is_confirmed;
const send = async (test: 0 | 1) =>
  scene.client.post(`/mail/send/${senderId}`, await sendOrder(database, scene.tenant, test));

test('a new address sends tests only, until its owner uses the mailed link', async () => {
  expect(await send(1)).toMatchObject({ status: 200, body: { accepted: 1 } });
  const refused = await send(0);
  expect(refused).toMatchObject({
    status: 409,
    body: { code: 'sender_unconfirmed', details: [{ path: 'sender_id' }] },
  });
  expect((refused.body as { message: string }).message).toContain(
    'このアドレスはまだ確認されていません（hana@example.jp）',
  );

  // 未確認, 確認待ち, 確認済み.
  const listed = async () =>
    (await scene.client.get('/sender/list?columns=["is_confirmed","confirmation_sent_at"]')).body as object[];
  expect(await listed()).toContainEqual({ is_confirmed: 0, confirmation_sent_at: null });
  expect(await ask()).toStrictEqual({ status: 200, body: { status: 'sent' } });
  expect(await listed()).toContainEqual({ is_confirmed: 0, confirmation_sent_at: '2026/11/24 12:00:00' });
  const [mail] = await scene.mailsTo(ADDRESS);
  expect(mail?.subject).toBe('【Kaitaku】差出人のメールアドレスの確認');
  expect(mail?.text).toContain(`会社の山田 太郎さん（taro${scene.tenant.accountId}@example.jp）が`);
  expect(await scene.client.get(`/sender/${senderId}`)).toMatchObject({
    body: { is_confirmed: 0, confirmation_sent_at: '2026/11/24 12:00:00' },
  });
  expect(await scene.confirm(senderSecretIn(mail))).toStrictEqual(CONFIRMED);
  expect(await scene.client.get(`/sender/${senderId}`)).toMatchObject({
    body: { is_confirmed: 1, confirmed_at: expect.stringMatching(/^\d{4}\//), confirmation_sent_at: null },
  });
  expect(await listed()).toContainEqual({ is_confirmed: 1, confirmation_sent_at: null });
  expect(await send(0)).toMatchObject({ status: 200, body: { accepted: 1 } });
  expect(await ask()).toStrictEqual({ status: 200, body: { status: 'confirmed' } });
});

/** Reserves for a new company, by the present clock, in a session of its own: that of the scene may be over by then. */
async function reserve(test_send_mode: 0 | 1) {
  const usual = scene.now;
  scene.now = Date.now();
  const { attack_list } = await sendOrder(database, scene.tenant, test_send_mode);
  const add_info = {
    sender_id: senderId,
    send_at: nextReservable(),
    test_send_mode,
    datetime_list: null,
    attack_list,
    active: 1,
  };
  const answer = await (await clientNow()).post('/reservation', {
    add_info,
    duplicate_key_update_info: { attack_list },
  });
  scene.now = usual;
  return answer;
}

test('a real reservation is refused alike; a test reservation is taken', async () => {
  expect(await reserve(1)).toMatchObject({ status: 200, body: { status: 'added' } });
  expect(await reserve(0)).toMatchObject({ status: 409, body: { code: 'sender_unconfirmed' } });
});

test('a real reservation whose sender got another address meanwhile does not start, with its reason', async () => {
  await confirmAddress(database.db, scene.tenant.accountId, ADDRESS);
  const { body } = await reserve(0);
  const { id } = body as { id: number };
  expect(await scene.change(senderId, { email: 'unconfirmed@example.jp' })).toMatchObject({ status: 200 });
  await database.db.updateTable('reservation').set({ send_at: sql<Date>`now()` }).where('id', '=', id).execute();
  const start = () =>
    startReservation(database.service.db, { accountId: scene.tenant.accountId, id }, Date.now(), TEST_MAILING);
  expect(await start()).toMatchObject({ code: 'sender_unconfirmed' });
  await confirmAddress(database.db, scene.tenant.accountId, 'unconfirmed@example.jp');
  expect(await start()).toStrictEqual({ sendLogId: expect.any(Number) });
});

test('a mail whose run sends from an unconfirmed address is cancelled at its claim, a test mail is not', async () => {
  const { tenant } = scene;
  const real = await acceptRun(database, tenant, 2);
  const testRun = await acceptRun(database, tenant, 1, { test: true });
  // No call deletes it.
  await database.db.deleteFrom('confirmed_address').execute();
  expect((await claimMails(database)).map(({ sendLogId }) => sendLogId)).toStrictEqual([testRun.id]);
  const rows = await database.db
    .selectFrom('delivery')
    .select(['send_log_id', 'state', 'reason'])
    .orderBy('id')
    .execute();
  const cancelled = { send_log_id: real.id, state: 'cancelled', reason: 'sender_unconfirmed' };
  expect(rows).toStrictEqual([cancelled, cancelled, { send_log_id: testRun.id, state: 'claimed', reason: null }]);
  expect(await unbalancedRuns(database.db)).toStrictEqual([]);
});

test('a run that was accepted keeps its confirmed address, although its sender has another one since', async () => {
  const { tenant } = scene;
  await acceptRun(database, tenant, 1);
  await scene.change(tenant.senderId, { email: 'unconfirmed@example.jp', reply_to: 'new@example.jp' });
  const [claim] = await claimMails(database);
  expect(claim?.mail.sender).toMatchObject({ email: 'sender@example.com', reply_to: null });
});

describe('bad-inputs 243: a link confirms nothing', () => {
  test('when it is opened again, also by many at once', async () => {
    const secret = await scene.secretFor(senderId, ADDRESS);
    const answers = await Promise.all(Array.from({ length: 10 }, () => scene.confirm(secret)));
    expect(answers.filter(({ status }) => status === 200)).toStrictEqual([CONFIRMED]);
    for (const answer of answers.filter(({ status }) => status !== 200)) expect(answer).toStrictEqual(INVALID);
    expect(await scene.confirm(secret)).toStrictEqual(INVALID);
  });

  test('when a scanner opens it: GET changes nothing', async () => {
    const secret = await scene.secretFor(senderId, ADDRESS);
    for (const path of [`/sender_confirmation`, `/sender_confirmation?key=${secret}`, `/sender_confirmation/${secret}`])
      expect((await fetch(scene.api + path)).status).toBe(404);
    expect(await isConfirmed()).toBe(0);
    expect(await scene.confirm(secret)).toStrictEqual(CONFIRMED);
  });

  test('after the address changed, and again to the same one', async () => {
    const secret = await scene.secretFor(senderId, ADDRESS);
    await scene.change(senderId, { email: 'other@example.jp' });
    expect(await scene.confirm(secret)).toStrictEqual(INVALID);
    await scene.change(senderId, { email: ADDRESS });
    expect(await scene.confirm(secret)).toStrictEqual(INVALID);
    expect(await isConfirmed()).toBe(0);
  });

  test('after the address changed past the API', async () => {
    const secret = await scene.secretFor(senderId, ADDRESS);
    await changePerson(database.db, senderId, { email: 'other@example.jp' });
    expect(await scene.confirm(secret)).toStrictEqual(INVALID);
  });

  test('of an earlier mail', async () => {
    const earlier = await scene.secretFor(senderId, ADDRESS);
    const later = await scene.secretFor(senderId, ADDRESS);
    expect(await scene.confirm(earlier)).toStrictEqual(INVALID);
    expect(await scene.confirm(later)).toStrictEqual(CONFIRMED);
  });

  test('after 24 hours; a moment before it does', async () => {
    const secret = await scene.secretFor(senderId, ADDRESS);
    scene.now += 24 * HOUR_MS;
    expect(await scene.confirm(secret)).toStrictEqual(INVALID);
    scene.now -= 1;
    expect(await scene.confirm(secret)).toStrictEqual(CONFIRMED);
  });

  test('for somebody who is logged in to another account; the link stays usable', async () => {
    const secret = await scene.secretFor(senderId, ADDRESS);
    const stranger = await scene.addStranger();
    expect(await scene.confirm(secret, stranger.authorization)).toStrictEqual(INVALID);
    expect(await isConfirmed()).toBe(0);
    // A dead session is none.
    expect(await scene.confirm(secret, `Bearer ${'A'.repeat(43)}`)).toStrictEqual(CONFIRMED);
  });

  test.each([
    ['from elsewhere', { login_networks: ['203.0.113.0/24'] }],
    ['before its second step', { two_factor_required: true }],
  ])('but not for a session of another account %s: it counts for none', async (_, rule) => {
    const secret = await scene.secretFor(senderId, ADDRESS);
    const stranger = await scene.addStranger();
    await database.db
      .insertInto('account_rule')
      .values({ account_id: stranger.accountId, ...rule })
      .execute();
    expect(await scene.confirm(secret, stranger.authorization)).toStrictEqual(CONFIRMED);
  });

  test.each(['', 'x', '../', '%00', 'A'.repeat(43), 'あ'.repeat(3000)])('forged: %j', async (key) => {
    await scene.secretFor(senderId, ADDRESS);
    expect(await scene.confirm(key)).toStrictEqual(INVALID);
    expect(await isConfirmed()).toBe(0);
  });
});

test('the secret is stored only as a hash', async () => {
  const secret = await scene.secretFor(senderId, ADDRESS);
  const { rows } = await sql<{ text: string }>`
    SELECT string_agg(row::text, '') AS text FROM sender_confirmation AS row`.execute(database.db);
  expect(secret).toHaveLength(43);
  expect(rows[0]?.text).not.toContain(secret);
});

test('an address that its owner has confirmed for the account counts for each of its senders, and for no other account', async () => {
  await scene.confirm(await scene.secretFor(senderId, ADDRESS));
  const others = { email: 'HANA@example.jp', person_in_charge: '佐藤 二郎' };
  expect(await scene.addSender(others)).toMatchObject({ body: { is_confirmed: 1 } });
  const other = await senderScene(database);
  expect(await other.addSender()).toMatchObject({ body: { is_confirmed: 0 } });
});

/** Logs in at the present of the scene, as its first session may be over. */
const clientNow = async () =>
  clientAt(scene.api, `Bearer ${await openSessionOf(database.login, scene.tenant.accountId, scene.now)}`);

test('each sender of the account with the address shows when the last mail left, while its link is valid', async () => {
  const others = { email: 'HANA@example.jp', person_in_charge: '佐藤 二郎' };
  const sameAddress = ((await scene.addSender(others)).body as { id: number }).id;
  await (await senderScene(database)).addSender();
  const shown = async () => {
    const query = 'where_info[active]=1&columns[]=id&columns[]=confirmation_sent_at';
    const { body } = await (await clientNow()).get(`/sender/list?${query}`);
    const rows = body as { id: number; confirmation_sent_at: string | null }[];
    return rows.filter(({ id }) => id !== scene.tenant.senderId);
  };
  const of = (sent: string | null) => [senderId, sameAddress].map((id) => ({ id, confirmation_sent_at: sent }));
  expect(await shown()).toStrictEqual(of(null));
  await ask(sameAddress);
  expect(await shown()).toStrictEqual(of('2026/11/24 12:00:00'));
  scene.now += HOUR_MS;
  const secret = await scene.secretFor(senderId, ADDRESS);
  expect(await shown()).toStrictEqual(of('2026/11/24 13:00:00'));
  scene.now += 24 * HOUR_MS - 1;
  expect(await shown()).toStrictEqual(of('2026/11/24 13:00:00'));
  await scene.confirm(secret);
  expect(await shown()).toStrictEqual(of(null));
});

test('an expired link does not count as a pending mail', async () => {
  await ask();
  scene.now += 24 * HOUR_MS;
  const { body } = await (await clientNow()).get(`/sender/${senderId}`);
  expect(body).toMatchObject({ is_confirmed: 0, confirmation_sent_at: null });
});

describe('confirmation mails', () => {
  test('are limited by address and by account; the answer names the wait', async () => {
    for (let n = 0; n < 3; n += 1) expect(await ask()).toMatchObject({ status: 200 });
    expect(await ask()).toMatchObject({ status: 429, body: { code: 'too_many_mails' } });
    // The three counted mails and the fourth try are of this account too.
    for (let n = 0; n < 2; n += 1) {
      const { body } = await scene.addSender({ email: `x${n}@example.jp` });
      for (let m = 0; m < 3; m += 1) expect(await ask((body as { id: number }).id)).toMatchObject({ status: 200 });
    }
    const { body } = await scene.addSender({ email: 'last@example.jp' });
    expect(await ask((body as { id: number }).id)).toMatchObject({ status: 429 });
    scene.now += HOUR_MS;
    expect(await ask()).toMatchObject({ status: 200 });
  });

  test('that no server takes leave no valid secret, and do not count', async () => {
    await scene.sink.close();
    for (let n = 0; n < 4; n += 1) expect(await ask()).toMatchObject({ status: 503, body: { code: 'mail_not_sent' } });
    expect(await database.db.selectFrom('sender_confirmation').select('sender_id').execute()).toStrictEqual([]);
  });

  test('hold the names of who asked as text: no link, no HTML, no header', async () => {
    const { accountId } = scene.tenant;
    await updateMember(database.db, accountId, { name: '<a href="https://evil.example">ここ</a>' });
    await database.db
      .updateTable('account')
      .set({ company: 'http://evil.example/ & 会社' })
      .where('id', '=', accountId)
      .execute();
    await ask();
    const [mail] = await scene.mailsTo(ADDRESS);
    expect(mail?.text).toContain('http：／／evil．example／ & 会社の<a href="https：／／evil．example">ここ<／a>さん');
    expect(mail?.html).toContain('&lt;a href=&quot;https：／／evil．example&quot;&gt;');
    expect(mail?.html?.match(/<a /g)).toHaveLength(1);
    expect(mail?.bcc).toBeUndefined();
  });
});

test('each action writes one audit event', async () => {
  await database.db.deleteFrom('audit_event').execute();
  const added = ((await scene.addSender({ email: 'b@example.jp' })).body as { id: number }).id;
  await scene.change(added, { email: ADDRESS, subject: '新しい件名' });
  await scene.confirm(await scene.secretFor(added, ADDRESS));
  const group = ((await scene.client.post('/sender_group', { add_info: { group_name: '新' } })).body as { id: number })
    .id;
  await scene.client.put(`/sender_group/${group}`, { update_info: { active: 0 } });
  const { memberId } = scene.tenant;
  const rows = await database.db
    .selectFrom('audit_event')
    .select(['kind', 'member_id', 'detail'])
    .orderBy('id')
    .execute();
  expect(rows).toStrictEqual([
    { kind: 'sender_added', member_id: memberId, detail: { sender_id: added, email: 'b@example.jp' } },
    {
      kind: 'sender_changed',
      member_id: memberId,
      detail: { sender_id: added, fields: ['email', 'subject'], email: ADDRESS },
    },
    { kind: 'sender_confirmation_requested', member_id: memberId, detail: { sender_id: added, to: ADDRESS } },
    { kind: 'sender_address_confirmed', member_id: null, detail: { sender_id: added, email: ADDRESS } },
    { kind: 'sender_group_added', member_id: memberId, detail: { sender_group_id: group, group_name: '新' } },
    { kind: 'sender_group_changed', member_id: memberId, detail: { sender_group_id: group, active: false } },
  ]);
});
