import { beforeEach, describe, expect, test } from 'vitest';
import { accountDbOf } from '#server/platform/database/account-db.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { RETURN_PATTERN, rawMail } from '#test/inbox-mails.ts';
import { noticesOf } from '#test/notices.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { acceptRun, claimMails, finishDeliveries, markSending } from '#test/sending.ts';
import { readInboxHeader, readInboxMail } from './read-mail.ts';
import { takeMail } from './take-mail.command.ts';

/** What answers do by their words: refuse, wait for a member, or nothing (decisions/replies). */

let database: TestDatabase;
let tenant: Tenant;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  await acceptRun(database, tenant, 1);
  const claims = await claimMails(database);
  await markSending(database.service.db, claims);
  const outcome = { kind: 'sent', reply: '250 OK' } as const;
  const finished = claims.map((claim) => ({ claim, outcome }));
  await finishDeliveries(database.service.db, finished);
});

type Field = readonly [name: string, value: string];
const TEXT: Field = ['Content-Type', 'text/plain; charset=utf-8'];
const encoded = (subject: string) => `=?UTF-8?B?${Buffer.from(subject).toString('base64')}?=`;

/** An answer of the address, in the thread, without a field of robots. */
async function answer(body: string, { subject = 'Re: ご挨拶', type = TEXT } = {}): Promise<Buffer> {
  const { message_id } = await database.db.selectFrom('delivery').select('message_id').executeTakeFirstOrThrow();
  return rawMail(
    [
      ['Return-Path', '<info0@a.example>'],
      ['From', 'info0@a.example'],
      ['Subject', encoded(subject)],
      ['Message-ID', `<${Math.random()}@a.example>`],
      ['In-Reply-To', message_id ?? ''],
      type,
    ],
    body,
  );
}

async function take(raw: Buffer) {
  const { db } = database.service;
  const services = { db, now: Date.now, accountDb: accountDbOf(db) };
  return takeMail(services, await readInboxMail(raw, RETURN_PATTERN), () => expect.unreachable());
}

const answers = () => database.db.selectFrom('reply').selectAll().orderBy('id').execute();
const refused = async () =>
  (await database.db.selectFrom('suppression').select('value').execute()).map(({ value }) => value);
const kindsOfNotices = async () => (await noticesOf(database, tenant.memberId)).map(({ kind }) => kind);

describe('a receipt of a mail program', () => {
  const RECEIPT: Field = ['Content-Type', 'multipart/report; report-type=disposition-notification; boundary="=b"'];
  const parts = (text: string) => `--=b
Content-Type: text/plain; charset=utf-8

${text}

--=b
Content-Type: message/disposition-notification

Reporting-UA: client.example; Outlook
Final-Recipient: rfc822; info0@a.example
Disposition: manual-action/MDN-sent-manually; displayed

--=b--
`;
  const WRAPPED: Field = ['Content-Type', 'multipart/mixed; boundary="=b"'];

  test.each([
    ['as it comes', RECEIPT],
    ['in the wrapping of a server', WRAPPED],
  ])('is no answer, and stops nothing, %s', async (_, type) => {
    expect(await take(await answer(parts('Your message was read.'), { subject: '開封済み: ご挨拶', type }))).toBe(
      'ignored',
    );
    expect(await answers()).toStrictEqual([]);
  });

  test('is none by its header alone either', async () => {
    const raw = await answer(parts('x'), { type: RECEIPT });
    expect(await readInboxHeader(raw, RETURN_PATTERN)).toStrictEqual({ kind: 'ignored', why: 'receipt' });
  });

  test('that a person attaches to a refusal is an answer', async () => {
    expect(await take(await answer(parts('配信停止してください。'), { type: WRAPPED }))).toBe('reply');
    expect(await refused()).toStrictEqual(['info0@a.example']);
  });

  test.each(['開封済み: ご挨拶', '開封確認：ご挨拶', 'Read: Hello', 'Not read: Hello'])(
    'without a report is automatic by its subject, %s',
    async (subject) => {
      expect(await take(await answer('Your message was read.', { subject }))).toBe('auto_reply');
    },
  );
});

test('a reply whose text says that a robot wrote it stops no mail', async () => {
  const body = `このたびはお問い合わせいただき、誠にありがとうございます。
内容を確認のうえ、3営業日以内に担当者よりご連絡いたします。

※本メールはシステムより自動で送信しております。本メールに返信いただいてもお答えできません。`;
  const subject = 'お問い合わせありがとうございます';
  expect(await take(await answer(body, { subject }))).toBe('auto_reply');
  expect(await answers()).toMatchObject([{ kind: 'auto_reply', is_refusal: false, doubted_address: null }]);
  expect(await refused()).toStrictEqual([]);
});

test('a refusal in the own words of its writer refuses, and its mails wait for nobody', async () => {
  expect(await take(await answer('今後このようなご連絡は不要です。'))).toBe('reply');
  expect(await answers()).toMatchObject([{ kind: 'reply', is_refusal: true, doubted_address: null }]);
  expect(await refused()).toStrictEqual(['info0@a.example']);
});

describe('an answer in doubt', () => {
  test('names the address of its mail, refuses nothing, and is told by a notice of its own', async () => {
    const raw = await answer('結構です。');
    for (const _ of [1, 2]) expect(await take(raw)).toBe('reply');
    expect(await answers()).toMatchObject([
      { kind: 'reply', is_refusal: false, doubted_address: 'info0@a.example', cancels_mails: false },
    ]);
    expect(await refused()).toStrictEqual([]);
    expect(await kindsOfNotices()).toContain('doubtful_reply');
    expect(await kindsOfNotices()).not.toContain('reply');
  });

  test.each([
    '田中は退職いたしました。今後このアドレスには送信しないでください。',
    '本メールは自動返信です。退職のため、このアドレスへのメール配信を停止してください。',
    'Taro has left the company. Please do not send emails to this address.',
  ])('of a robot, by its field, waits for a member: %s', async (text) => {
    const raw = await answer(text, { type: ['Auto-Submitted', 'auto-replied'] });
    expect(await take(raw)).toBe('reply');
    expect(await answers()).toMatchObject([{ is_refusal: false, doubted_address: 'info0@a.example' }]);
    expect(await refused()).toStrictEqual([]);
  });

  test.each([
    '田中は退職いたしました。後任の佐藤にご連絡ください。',
    '不在にしております。このメールには返信しないでください。',
    'Out of office until Monday. Please do not reply to this e-mail.',
  ])('is none where a robot asks for nothing: %s', async (text) => {
    expect(await take(await answer(text, { type: ['Auto-Submitted', 'auto-replied'] }))).toBe('auto_reply');
    expect(await answers()).toMatchObject([{ doubted_address: null }]);
  });

  test('makes the answer doubtful into which it is folded, and later ones do not clear it', async () => {
    for (let n = 0; n < 20; n += 1) await take(await answer('はい。'));
    await take(await answer('結構です。'));
    await take(await answer('はい。'));
    expect((await answers()).map(({ doubted_address }) => doubted_address)).toStrictEqual([
      ...Array(19).fill(null),
      'info0@a.example',
    ]);
    // The sweep holds what waits for other companies with the address.
    expect((await answers()).at(-1)).toMatchObject({ cancels_mails: true });
  });
});
