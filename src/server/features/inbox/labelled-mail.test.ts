import iconv from 'iconv-lite';
import { expect, test } from 'vitest';
import { iso2022jp } from '#test/inbox-mails.ts';
import { parseMail, textOf } from './parsed-mail.ts';

const TEXT = '配信停止してください。';
const SUBJECT = '配信停止のお願い';
const encoded = {
  jis: iso2022jp,
  euc: (text: string) => iconv.encode(text, 'euc-jp'),
  sjis: (text: string) => iconv.encode(text, 'shift_jis'),
  utf8: (text: string) => Buffer.from(text),
};

async function read(header: (string | Buffer)[], body: Buffer) {
  const fields = ['From: info@midori.example', ...header].flatMap((field) => [Buffer.from(field), Buffer.from('\r\n')]);
  const raw = Buffer.concat([...fields, Buffer.from('\r\n'), body, Buffer.from('\r\n')]);
  const { email } = await parseMail(raw, { sender: null, recipient: null });
  return { subject: email.subject, text: textOf(email).trim() };
}

test.each([
  ['iso-2022-jp-ms', 'jis'],
  ['ISO-2022-JP-MS', 'jis'],
  ['"iso-2022-jp-3"', 'jis'],
  ['us-ascii', 'jis'],
  ['utf-8', 'jis'],
  ['eucJP-ms', 'euc'],
  ['euc-jp-ms', 'euc'],
  ['"eucJP-win"', 'euc'],
  ['ujis', 'euc'],
  ['us-ascii', 'euc'],
  ['SJIS-win', 'sjis'],
  ['shift_jis-2004', 'sjis'],
  ['unknown-8bit', 'sjis'],
  ['us-ascii', 'utf8'],
] as const)('charset=%s with %s is read', async (charset, encoding) => {
  const header = ['Subject: x', `Content-Type: text/plain; charset=${charset}`];
  expect(await read(header, encoded[encoding](TEXT))).toMatchObject({ text: TEXT });
});

test.each(Object.keys(encoded) as (keyof typeof encoded)[])('%s without a label is read, subject too', async (name) => {
  const subject = Buffer.concat([Buffer.from('Subject: '), encoded[name](SUBJECT)]);
  const expected = { subject: SUBJECT, text: TEXT };
  expect(await read([subject], encoded[name](TEXT))).toStrictEqual(expected);
  expect(await read([subject, 'Content-Type: text/plain'], encoded[name](TEXT))).toStrictEqual(expected);
});

test('a raw subject is read beside a body with a label', async () => {
  const header = [
    Buffer.concat([Buffer.from('Subject: '), iso2022jp(SUBJECT)]),
    'Content-Type: text/plain; charset=utf-8',
  ];
  expect(await read(header, Buffer.from(TEXT))).toStrictEqual({ subject: SUBJECT, text: TEXT });
});

test('an encoded subject with such a label is read', async () => {
  const words = `=?iso-2022-jp-ms?B?${iso2022jp(SUBJECT).toString('base64')}?=`;
  expect(await read([`Subject: ${words}`], Buffer.from('x'))).toMatchObject({ subject: SUBJECT });
});

test('JIS in base64 or in HTML without a label is read', async () => {
  const base64 = Buffer.from(iso2022jp(TEXT).toString('base64'));
  expect(await read(['Content-Transfer-Encoding: base64'], base64)).toMatchObject({ text: TEXT });
  const html = iso2022jp(`<p>${TEXT}</p>`);
  expect(await read(['Content-Type: text/html'], html)).toMatchObject({ text: TEXT });
});

test('bytes that are no Japanese are not made Japanese', async () => {
  const { text } = await read([], Buffer.from('R\xe9ponse', 'latin1'));
  expect(text).toBe('R\ufffdponse');
});
