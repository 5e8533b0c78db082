import fc from 'fast-check';
import PostalMime from 'postal-mime';
import { describe, expect, test } from 'vitest';
import { composeMessage, type Mail } from './compose.ts';

const MAIL: Mail = {
  from: { name: '髙﨑 "花子", (営業)', address: 'hanako@example.com' },
  to: 'info+1@example.co.jp',
  subject: 'ご提案 𠮷野家 👨‍👩‍👧',
  text: '本文\n',
  html: '<p>本文</p>\n',
  messageId: '<1@example.com>',
  date: new Date('2026-11-21T12:34:56Z'),
};
const read = (mail: Partial<Mail>) => PostalMime.parse(composeMessage({ ...MAIL, ...mail }));
const linesOf = (mail: Partial<Mail>) =>
  composeMessage({ ...MAIL, ...mail })
    .toString('latin1')
    .split('\r\n');

test("another program's parser reads the composed fields and bodies", async () => {
  expect(await read({})).toMatchObject({
    from: MAIL.from,
    to: [{ name: '', address: MAIL.to }],
    subject: MAIL.subject,
    messageId: MAIL.messageId,
    date: '2026-11-21T12:34:56.000Z',
    text: '本文\n',
    html: '<p>本文</p>\n',
    attachments: [],
  });
});

test('a mail contains nothing of the one composed before', async () => {
  const { name, address } = MAIL.from;
  for (const change of [
    { from: { name, address: 'a@x.jp' } },
    { from: { name: '佐藤', address } },
    { subject: '別件' },
  ]) {
    await read({});
    expect(await read(change)).toMatchObject({ from: MAIL.from, subject: MAIL.subject, ...change });
  }
});

test('replies go to the reply-to address if there is one', async () => {
  expect((await read({ replyTo: 'reply@example.com' })).replyTo).toStrictEqual([
    { name: '', address: 'reply@example.com' },
  ]);
  expect((await read({ replyTo: null })).replyTo).toBeUndefined();
  expect(() => composeMessage({ ...MAIL, replyTo: 'a@x.jp\r\nBcc: b@x.jp' })).toThrow('CR, LF or NUL');
});

test('each field stands once, each part tells how it is written', () => {
  const [head = '', text = '', html = ''] = linesOf({ html: '<p>plain</p>' })
    .join('\n')
    .split(/\n--\S+\n/);
  expect(head.match(/^[A-Z][\w-]+(?=:)/gm)).toStrictEqual([
    'From',
    'To',
    'Subject',
    'Message-ID',
    'Date',
    'MIME-Version',
    'Content-Type',
  ]);
  expect(text).toMatch(/^Content-Type: text\/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\n/);
  expect(html).toMatch(/^Content-Type: text\/html; charset=utf-8\nContent-Transfer-Encoding: 7bit\n\n<p>plain<\/p>/);
});

describe('the fields by which a mail program offers to refuse further mails', () => {
  const KEY = '0123456789abcdef0123456789abcdef';
  const refusalLines = (mail: Partial<Mail>) => linesOf(mail).filter((line) => line.startsWith('List-'));

  test('lawful 59: name the page and its one click, each on one line, however long the host is', () => {
    const url = `https://${'long-name.'.repeat(12)}example.jp/u/${KEY}`;
    expect(refusalLines({ refusal: { url } })).toStrictEqual([
      `List-Unsubscribe: <${url}>`,
      'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
    ]);
    const names = linesOf({ refusal: { url } }).flatMap((line) => /^([\w-]+):/.exec(line)?.[1] ?? []);
    expect(names.indexOf('List-Unsubscribe')).toBe(names.indexOf('Message-ID') + 1);
    expect(names.indexOf('List-Unsubscribe-Post')).toBeLessThan(names.indexOf('MIME-Version'));
  });

  test('name the address alone where no page can be reached: one click needs one', () => {
    expect(refusalLines({ refusal: { email: 'a+b&c?d@example.jp' } })).toStrictEqual([
      'List-Unsubscribe: <mailto:a%2Bb%26c%3Fd@example.jp?subject=unsubscribe>',
    ]);
  });

  test('name an address that takes refusals beside the page, on the same line', () => {
    const url = `https://example.jp/u/${KEY}`;
    expect(refusalLines({ refusal: { url }, refusalAddress: `in+u-${KEY}@bounce.example.jp` })).toStrictEqual([
      `List-Unsubscribe: <${url}>, <mailto:in%2Bu-${KEY}@bounce.example.jp?subject=unsubscribe>`,
      'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
    ]);
  });

  test('are missing in a mail without a place', () => {
    expect(refusalLines({ refusal: null })).toStrictEqual([]);
  });
});

test.each([
  ['bad-inputs 99: U+2028', '件\u2028名'],
  ['bad-inputs 101: 2,000 × あ', 'あ'.repeat(2000)],
  ['bad-inputs 104: an encoded word typed by the user', '=?UTF-8?B?44GC?='],
  ['bad-inputs 104: an encoded word within words', 'ご提案 =?utf-8?Q?=E3=81=82?= "=?UTF-8?B?44GC?="'],
  ['bad-inputs 104: what only begins like one', 'a =?b'],
  ['bad-inputs 124: letters outside ISO-2022-JP, 𠮷, emoji', '①㈱髙﨑 𠮷 👨‍👩‍👧 ～－∥'],
])('%s: as a subject, a name and in the bodies it comes out as it went in', async (_, written) => {
  const mail = { from: { name: written, address: 'a@example.com' }, subject: written, text: written, html: written };
  const { from, subject, text, html } = await read(mail);
  expect([from?.name, subject, text?.trimEnd(), html?.trimEnd()]).toStrictEqual(Array(4).fill(written));
  for (const line of linesOf(mail)) expect(line).toMatch(/^[\t\x20-\x7e]{0,100}$/);
  // Quoted encoded words are not decoded: readers that follow RFC 2047 would show them as written.
  expect(linesOf(mail)[0]).not.toMatch(/"=\?/);
});

describe('whatever the parts hold', () => {
  const line = fc.oneof(
    fc.constantFrom('.', '..', '', ' ', '--', 'From x', 'x'.repeat(76), 'x'.repeat(77), '長い行'.repeat(700), '\t'),
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: 'grapheme-ascii', maxLength: 200 }),
  );
  const text = fc.array(line).map((lines) => lines.join('\n').replace(/[\r\0]/g, ''));

  test('it comes out as it went in', async () => {
    await fc.assert(
      fc.asyncProperty(text, text, fc.string({ unit: 'grapheme', minLength: 1 }), async (plain, html, name) => {
        const mail = await read({
          text: plain,
          html,
          from: { name: `担当 ${name}`.replace(/\p{Cc}/gu, ''), address: 'a@example.com' },
        });
        const ended = (part: string | undefined) => part?.replace(/\n+$/, '');
        expect(ended(mail.text)).toBe(ended(plain));
        // A blank HTML part is omitted: clients would show it in place of the text.
        expect(ended(mail.html)).toBe(html.trim() === '' ? undefined : ended(html));
      }),
      { numRuns: 300 },
    );
  });

  test('only short lines of ASCII go over the wire', () => {
    fc.assert(
      fc.property(text, text, fc.string({ unit: 'grapheme', maxLength: 300 }), (plain, html, subject) => {
        const lines = linesOf({ text: plain, html, subject: subject.replace(/\p{Cc}/gu, ' ') });
        for (const written of lines) expect(written).toMatch(/^[\t\x20-\x7e]{0,100}$/);
      }),
    );
  });
});

test.each([
  ['x'.repeat(76), '7bit'],
  ['x'.repeat(77), 'base64'],
  ['é', 'base64'],
  ['a\0b', 'base64'],
])('%j is written in %s', (text, encoding) => {
  expect(linesOf({ text, html: '' })).toContain(`Content-Transfer-Encoding: ${encoding}`);
  if (encoding !== '7bit') expect(linesOf({ text, html: text })).not.toContain('Content-Transfer-Encoding: 7bit');
});

test.each([
  { subject: '件名\r\nBcc: x@example.com' },
  { subject: '件\r名' },
  { to: 'a@example.com\nBcc: x@example.com' },
  { messageId: '<1\r>' },
  { from: { name: '\0', address: 'a@example.com' } },
  { from: { name: '', address: 'a@example.com\r\n' } },
])('bad-inputs 98: a header field that could end early is refused: %j', (mail) => {
  expect(() => composeMessage({ ...MAIL, ...mail })).toThrow('header field');
});
