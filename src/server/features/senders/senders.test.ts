import { beforeEach, describe, expect, test } from 'vitest';
import { setSenderPace } from '#server/features/delivery/quota/sender-pace.command.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addReservation } from '#test/prospect-history.ts';
import { addProspects, addTextOf } from '#test/prospects.ts';
import { type SenderScene, senderScene, sendOrder } from '#test/senders.ts';
import { acceptRun, claimMails } from '#test/sending.ts';

let database: TestDatabase;
let scene: SenderScene;

beforeEach(async () => {
  database = await emptyDatabase();
  scene = await senderScene(database);
});

const read = async (id: number) => (await scene.client.get(`/sender/${id}`)).body as Record<string, unknown>;

test('a sender is added with all its fields, and read again', async () => {
  const fields = {
    person_in_charge: ' 佐藤 花 ',
    email: 'Ｈａｎａ@Example.JP',
    reply_to: 'reply@example.jp',
    bcc: 'a@example.jp, ,b@example.jp、A@example.jp',
    subject: '{{ company_name }}様へのご提案',
    signature: '株式会社花\r\n佐藤 <花> & {{ company_name }}\n',
    mails_per_minute: 20,
  };
  const { body } = await scene.addSender(fields);
  const { id } = body as { id: number };
  expect(body).toStrictEqual({ status: 'added', id, is_confirmed: 0 });
  expect(await read(id)).toStrictEqual({
    id,
    sender_group_id: scene.tenant.senderGroupId,
    group: 'グループ',
    person_in_charge: '佐藤 花',
    email: 'Hana@example.jp',
    is_confirmed: 0,
    confirmed_at: null,
    confirmation_sent_at: null,
    reply_to: 'reply@example.jp',
    bcc: 'a@example.jp,b@example.jp',
    template_id: scene.templateId,
    template_name: 'ひな形',
    sendgrid_template_id: null,
    subject: '{{ company_name }}様へのご提案',
    own_subject: '{{ company_name }}様へのご提案',
    signature: '株式会社花\n佐藤 <花> & {{ company_name }}',
    mails_per_minute: 20,
    max_mails_per_minute: null,
    active: 1,
    profile_id: expect.any(Number),
    shared_by: 0,
    reservations: 0,
    version: expect.any(String),
    updated_at: expect.stringMatching(/^\d{4}\//),
    updated_by: '山田 太郎',
  });
  const { body: rows } = await scene.client.get(`/sender/list?where_info[id]=${id}`);
  expect(rows).toMatchObject([
    { id, is_confirmed: 0, reply_to: 'reply@example.jp', mails_per_minute: 20, template_name: 'ひな形' },
  ]);
});

test('a sender without a subject uses that of its template, in lists, previews and mails', async () => {
  const { id } = (await scene.addSender({ subject: null })).body as { id: number };
  const template = () => database.db.updateTable('mail_template').where('id', '=', scene.templateId);
  await template().set({ subject: '一つ目' }).execute();
  expect(await read(id)).toMatchObject({ subject: '一つ目', own_subject: null });
  expect((await scene.client.get(`/sender/list?where_info[id]=${id}`)).body).toMatchObject([
    { subject: '一つ目', own_subject: null },
  ]);
  const body = await sendOrder(database, scene.tenant, 1);
  expect((await scene.client.post(`/mail/send/${id}`, body)).status).toBe(200);
  await template().set({ subject: '二つ目' }).execute();
  const preview = await scene.client.post(`/mail/preview/${id}`, body);
  expect(preview.body).toMatchObject({ mail: { subject: '二つ目' } });
  // The run keeps the subject that it was accepted with.
  const { mail } = await database.db.selectFrom('send_log').select('mail').executeTakeFirstOrThrow();
  expect(mail).toMatchObject({ subject: '一つ目' });
  expect(await scene.change(id, { subject: '別の件名' })).toMatchObject({ status: 200 });
  expect(await read(id)).toMatchObject({ subject: '別の件名', own_subject: '別の件名' });
});

test('an active sender cannot use the subject of a template that has none', async () => {
  await database.db.updateTable('mail_template').set({ subject: '' }).execute();
  const detail = { path: 'add_info.subject', message: expect.stringMatching(/^テンプレートの件名：/) };
  expect(await scene.addSender({ subject: null })).toMatchObject({ status: 400, body: { details: [detail] } });
  expect(await scene.addSender({ subject: null, active: 0 })).toMatchObject({ status: 200 });
});

const BLANK_NAME = '差出人名が入力されていません';
const UNUSABLE = '使えない文字（改行や、文字の向きを変える記号など）が含まれています';
const RANGE = '1〜60000の整数で入力してください';

describe('a faulty field is refused with its message', () => {
  test.each([
    ['bad-inputs 108: a name of spaces', { person_in_charge: ' 　' }, BLANK_NAME],
    ['bad-inputs 108: a name with CRLF', { person_in_charge: 'a\r\nBcc: evil@x.jp' }, UNUSABLE],
    ['a name with RTL override', { person_in_charge: '\u202Eabc' }, UNUSABLE],
    ['bad-inputs 105: two addresses', { email: 'a@x.jp,b@x.jp' }, /形が正しくありません/],
    ['bad-inputs 106: a group', { email: 'x:a@y.jp;' }, /グループ形式/],
    ['bad-inputs 107: a quoted address', { email: '"a@evil.jp x"@good.jp' }, /./],
    ['bad-inputs 109: a comment', { email: 'a(b)@x.jp' }, /かっこ/],
    ['bad-inputs 110: an address literal', { email: 'a@[127.0.0.1]' }, /IPアドレス/],
    ['bad-inputs 111: a host without a dot', { email: 'a@localhost' }, /@より後/],
    ['bad-inputs 112: an IDN', { email: 'a@例え.jp' }, /日本語ドメイン/],
    ['bad-inputs 113: a local part outside ASCII', { email: '例え@x.jp' }, /半角英数字/],
    ['bad-inputs 116: a local part of 65 characters', { email: `${'a'.repeat(65)}@x.jp` }, /長すぎ/],
    ['bad-inputs 117: a domain of 255 characters', { email: `a@${'b.'.repeat(126)}jp` }, /長すぎ/],
    ['bad-inputs 96: CRLF in the address', { email: 'a@x.jp\r\nBcc: b@x.jp' }, /制御文字/],
    ['bad-inputs 96: CRLF in reply-to', { reply_to: 'a@x.jp\r\nBcc: b@x.jp' }, /制御文字/],
    ['bad-inputs 108: a name in reply-to', { reply_to: '花 <a@x.jp>' }, /名前を付けず/],
    ['bad-inputs 119: CRLF in bcc', { bcc: 'a@x.jp,b@x.jp\r\nTo: c@x.jp' }, /^2件目：.*制御文字/],
    ['bad-inputs 119: 200 items in bcc', { bcc: Array.from({ length: 200 }, (_, n) => `a${n}@x.jp`).join() }, /10件/],
    ['bad-inputs 96: CRLF in the subject', { subject: 'a\r\nBcc: evil@x.jp' }, /改行は使えません/],
    ['bad-inputs 97: LF in the subject', { subject: 'a\nb' }, /改行は使えません/],
    ['bad-inputs 98: CR in the subject', { subject: 'a\rb' }, /改行は使えません/],
    ['bad-inputs 99: U+2028 in the subject', { subject: 'a\u2028b' }, /使えない文字/],
    ['bad-inputs 102: no subject', { subject: '' }, /入力してください/],
    ['bad-inputs 103: a subject of spaces', { subject: '  ' }, /入力してください/],
    ['an unknown field in the subject', { subject: '{{ password }}' }, /差し込み項目はありません/],
    ['a control character in the signature', { signature: 'a\u0007b' }, UNUSABLE],
    ['RTL override in the signature', { signature: 'a\u202eb' }, UNUSABLE],
    ['a long signature', { signature: 'あ'.repeat(1001) }, /1000文字/],
    ['31 lines of signature', { signature: `${'a\n'.repeat(31)}b` }, /30行/],
    ['a limit of 0', { mails_per_minute: 0 }, RANGE],
    ['a limit of 60001', { mails_per_minute: 60_001 }, RANGE],
    ['a limit of 1.5', { mails_per_minute: 1.5 }, RANGE],
  ])('%s', async (_, fields, message) => {
    const path = `add_info.${Object.keys(fields)[0]}`;
    const expected = { path, message: typeof message === 'string' ? message : expect.stringMatching(message) };
    expect(await scene.addSender(fields)).toMatchObject({ status: 400, body: { details: [expected] } });
    const changed = await scene.change(scene.tenant.senderId, fields);
    expect(changed.status).toBe(400);
  });

  test('bad-inputs 118: 10,000 nested comments cost no time', async () => {
    const email = `${'('.repeat(5000)}${')'.repeat(5000)}a@x.jp`;
    expect(await scene.addSender({ email })).toMatchObject({ status: 400 });
  });
});

test.each([
  ['bad-inputs 104: an encoded word', { subject: '=?UTF-8?B?44GC?=' }],
  ['bad-inputs 108: quotes and brackets in the name', { person_in_charge: '"髙﨑" <evil@x>, 一郎' }],
  ['bad-inputs 114: dots as old docomo addresses have', { email: 'a..b.@docomo.ne.jp' }],
  ['bad-inputs 115: an address like an option', { email: '-oQ/tmp@x.jp' }],
  ['bad-inputs 120: bcc equal to the address', { bcc: 'hana@example.jp' }],
  [
    'an emoji and 4-byte characters',
    { person_in_charge: '𠮷野 👨‍👩‍👧', signature: '𠮷野家\n<script>alert(1)</script>' },
  ],
])('%s is taken as it is', async (_, fields) => {
  const { body } = await scene.addSender(fields);
  expect(await read((body as { id: number }).id)).toMatchObject(fields);
});

describe('two editors', () => {
  test('the second save gets 409 with who saved when, and loses nothing', async () => {
    const { senderId } = scene.tenant;
    const { version } = await read(senderId);
    await scene.change(senderId, { subject: '先の件名' });
    const late = await scene.client.put(`/sender/${senderId}`, { version, update_info: { subject: '後の件名' } });
    expect(late).toMatchObject({ status: 409, body: { code: 'sender_changed' } });
    expect((late.body as { message: string }).message).toMatch(
      /^この送信者は、山田 太郎さんが\d+\/\d+（.）\d+:\d\dに変更しました。/,
    );
    expect(await read(senderId)).toMatchObject({ subject: '先の件名' });
  });

  test('the same change twice is no conflict', async () => {
    const { senderId } = scene.tenant;
    const { version } = await read(senderId);
    const save = () => scene.client.put(`/sender/${senderId}`, { version, update_info: { subject: '同じ' } });
    const first = await save();
    expect(await save()).toStrictEqual(first);
  });
});

test('a change without fields is refused', async () => {
  expect(await scene.change(scene.tenant.senderId, {})).toMatchObject({ status: 400 });
});

test('a sender with reservations stays active; without them it is deactivated', async () => {
  const { senderId, accountId } = scene.tenant;
  const ids = await addProspects(database.db, accountId, [{}]);
  const reservation = await addReservation(database.db, scene.tenant, ids, {
    sendAt: new Date(Date.UTC(2026, 10, 25)),
  });
  const message = '予約が1件あります。先に予約を削除するか、予約の変更でほかのテンプレートを選んでください。';
  expect(await read(senderId)).toMatchObject({ reservations: 1 });
  expect(await scene.change(senderId, { active: 0 })).toMatchObject({
    status: 409,
    body: { code: 'has_reservations', message, details: [{ path: 'update_info.active', message }] },
  });
  await scene.client.put(`/reservation/${reservation}`, { update_info: { active: 0 } });
  expect(await scene.change(senderId, { active: 0 })).toMatchObject({ status: 200 });
  expect(await read(senderId)).toMatchObject({ active: 0, reservations: 0 });
});

describe('the limit of mails a minute', () => {
  const limits = () =>
    database.db
      .selectFrom('sender_throttle')
      .select(['mails_per_minute', 'chosen_per_minute'])
      .where('account_id', '=', scene.tenant.accountId)
      .executeTakeFirst();
  const setOperators = (perMinute: number | null) =>
    setSenderPace(database.service.db, { accountId: scene.tenant.accountId, id: scene.tenant.senderId }, { perMinute });

  test('is the account’s own within the operator’s, which stays', async () => {
    await setOperators(30);
    const { senderId } = scene.tenant;
    expect(await scene.change(senderId, { mails_per_minute: 31 })).toMatchObject({
      status: 400,
      body: {
        code: 'above_limit',
        details: [
          { path: 'update_info.mails_per_minute', message: '1〜30で入力してください（このサーバーの上限です）。' },
        ],
      },
    });
    expect(await scene.change(senderId, { mails_per_minute: 30 })).toMatchObject({ status: 200 });
    expect(await limits()).toStrictEqual({ mails_per_minute: 30, chosen_per_minute: 30 });
    await setOperators(20);
    expect(await read(senderId)).toMatchObject({ mails_per_minute: 30, max_mails_per_minute: 20 });
    // Another field may still be changed: the operator's lower limit holds anyway.
    expect(await scene.change(senderId, { subject: '別の件名' })).toMatchObject({ status: 200 });
    expect(await scene.change(senderId, { mails_per_minute: null })).toMatchObject({ status: 200 });
    expect(await limits()).toStrictEqual({ mails_per_minute: 20, chosen_per_minute: null });
  });

  test('is that of the person: each of its senders shows and changes it', async () => {
    const other = await addTextOf(database.db, scene.tenant);
    await setOperators(30);
    expect(await scene.change(other.senderId, { mails_per_minute: 10 })).toMatchObject({ status: 200 });
    expect(await read(scene.tenant.senderId)).toMatchObject({ mails_per_minute: 10, max_mails_per_minute: 30 });
    expect(await limits()).toStrictEqual({ mails_per_minute: 30, chosen_per_minute: 10 });
  });
});

test('the limit that an account chose holds at the next claim, within the operator’s', async () => {
  const { senderId, accountId } = scene.tenant;
  await acceptRun(database, scene.tenant, 5);
  await setSenderPace(database.service.db, { accountId, id: senderId }, { perMinute: 6000 });
  await scene.change(senderId, { mails_per_minute: 60 });
  // One second's worth: 1 mail of 60 a minute, where the operator's limit permits 100.
  expect(await claimMails(database)).toHaveLength(1);
});

test('an account cannot exceed its number of senders', async () => {
  const { accountId } = scene.tenant;
  await database.pool.query(
    `INSERT INTO sender (account_id, sender_group_id, profile_id, template_id, subject)
     SELECT account_id, sender_group_id, profile_id, template_id, n::text
     FROM sender, generate_series(1, 4999) AS n WHERE account_id = $1`,
    [accountId],
  );
  expect(await scene.addSender()).toMatchObject({ status: 409, body: { code: 'too_many_senders' } });
});
