import { describe, expect, test } from 'vitest';
import { networkOf, wideNetworkOf } from '#domain/account/network.ts';
import { dkimFinding } from '#domain/dns/dkim.ts';
import { dmarcFinding } from '#domain/dns/dmarc.ts';
import { isDomainName } from '#domain/dns/domain-name.ts';
import { tagsOf } from '#domain/dns/health.ts';
import { spfFinding, spfRecordsOf } from '#domain/dns/spf.ts';
import { isPublicHost } from '#domain/law/refusal-place.ts';
import { parseMailAddress } from '#domain/mail/address.ts';
import { addressKey, domainOf } from '#domain/mail/address-key.ts';
import { bounceClass } from '#domain/mail/bounce-class.ts';
import { attachmentsIn, dateMistakesIn, placeholdersIn } from '#domain/mail/mail-mistakes.ts';
import { answersSubject, isAnswering } from '#domain/mail/reply.ts';
import { readWish } from '#domain/mail/reply-wish/wish.ts';
import { readReturnAddress } from '#domain/mail/return-address.ts';
import { failureCause } from '#domain/sending/failure-cause.ts';
import { parseJson } from '#domain/text/json.ts';
import { judgeTestMail } from '#server/features/domain-health/judge-test-mail.ts';
import { outsideHop } from '#server/features/domain-health/received.ts';
import { cutMail } from '#server/features/inbox/parsed-mail.ts';
import { readInboxHeader, readInboxMail } from '#server/features/inbox/read-mail.ts';
import { visibleOfHtml } from '#server/features/mail-content/visible-text.ts';
import { readFields } from '#server/features/mailbox-reading/mail-fields.ts';
import { readMailKey } from '#server/features/opt-out/refused-mail.queries.ts';
import { originForm, readHost } from '#server/platform/http/hosts.ts';
import { readQuery } from '#server/platform/http/http-app.ts';
import { printable } from '#server/platform/mail/outcome.ts';
import { form } from './faults/form.ts';
import { RETURN_PATTERN } from './inbox-mails.ts';
import { NO_DNS } from './no-dns.ts';

/*
 * Tests that reading strangers' input takes linear time: mails to the inbox, pages and calls without a log-in, the DNS
 * of a sender's domain. For 1 MB a linear reader takes milliseconds, a quadratic one minutes.
 */

const LENGTH = 1_000_000;
const MS_MAX = 10_000;

/** The repeated parts: texts that open, escape, separate or may be skipped in any of the formats. */
const UNITS = [
  ' ',
  '\n',
  '\r',
  ' \n',
  '\t',
  '\0',
  '0',
  'a',
  'A',
  'a ',
  'あ',
  '　',
  '.',
  'a.',
  '-',
  '--',
  '_',
  '=',
  '= ',
  '!',
  ' !',
  '/*',
  '/* ',
  '*/',
  '<',
  '>',
  '< ',
  '<a',
  '<a@',
  'a@',
  '@',
  '(',
  ')',
  '[',
  '"',
  '\\',
  ',',
  ':',
  ';',
  ';a=',
  'a=;',
  '&',
  '&#',
  '%',
  '%0',
  '+',
  '?',
  '=?',
  '=?utf-8?Q?',
  '=?utf-8?B?QUFB?= ',
  '\u001b$B',
  '<b>',
  '</b>',
  '<a b=c>',
  '<b style="',
  '<p><i>',
  '<!--',
  '<table>a',
  '--b\n',
  'a:\n',
  'from a by ',
  '[1.1.1.1]',
  'on a',
  '2026年1月',
  '今後',
  '配信',
  're:',
  'a*0=',
  'include:a ',
  '\u202e',
  '\ud800',
] as const;

/** Returns some, random in each run; in the long form all, with those that were once quadratic. */
const texts = (before = '', after = '', always: readonly string[] = []) =>
  [...new Set([...always, ...(form.isLong ? UNITS : form.sample(UNITS, 8))])].map(
    (unit) => before + unit.repeat(Math.ceil(LENGTH / unit.length)) + after,
  );

interface Reader {
  readonly read: (text: string) => unknown;
  /** A prefix that starts the reader, and a suffix that makes it fail late. */
  readonly before?: string;
  readonly after?: string;
  readonly always?: readonly string[];
}

const SPF = { stranger: 'fail', isTooDeep: false, refused: [], domain: 'a.example' } as const;
const SENDING = { addresses: [], host: 'a.example', include: null };

const READERS: Readonly<Record<string, Reader>> = {
  addressKey: { read: addressKey },
  domainOf: { read: domainOf },
  parseMailAddress: { read: parseMailAddress },
  readReturnAddress: { read: (text) => readReturnAddress(RETURN_PATTERN, text), before: 'b-' },
  isAnswering: { read: isAnswering, before: 're' },
  answersSubject: { read: (text) => answersSubject(`Re: ${text}`, text), before: 'Re: ' },
  'readFields of a subject': { read: (text) => readFields(Buffer.from(`Subject: ${text}`)), before: 'unsubscribe ' },
  'readFields of all': {
    read: (text) => readFields(Buffer.from(`From: ${text}\r\nReferences: ${text}\r\n${text}`)),
    before: '<a@',
  },
  readWish: { read: (text) => readWish(text.slice(0, 20_000), text), before: '今後のメール' },
  'readWish of English': { read: (text) => readWish(text.slice(0, 20_000)), before: 'please remove me ' },
  bounceClass: { read: (text) => bounceClass({ status: text, text, recipients: [text] }) },
  failureCause: { read: (text) => failureCause({ state: 'failed', reply: text, address: text }) },
  printable: { read: printable },
  isDomainName: { read: isDomainName },
  isPublicHost: { read: isPublicHost },
  'isPublicHost of IPv6': { read: isPublicHost, before: '[2' },
  networkOf: { read: networkOf, before: '::ffff:' },
  wideNetworkOf: { read: wideNetworkOf, before: '::ffff:' },
  readMailKey: { read: readMailKey },
  readHost: { read: readHost },
  originForm: { read: originForm, before: 'http://' },
  readQuery: { read: readQuery, before: 'a=' },
  'readQuery of names': { read: readQuery, before: 'a[', after: '=1' },
  parseJson: { read: (text) => orThrown(() => parseJson(text)), before: '{"a":' },
  'parseJson of a list': { read: (text) => orThrown(() => parseJson(text)), before: '[[' },
  outsideHop: { read: (text) => outsideHop([`from ${text}`, `from a by ${text}`, text]), before: 'from (' },
  tagsOf: { read: tagsOf },
  spfRecordsOf: { read: (text) => spfRecordsOf([text]), before: 'v=spf1 ' },
  spfFinding: { read: (text) => spfFinding({ ...SPF, records: [text, text] }, SENDING), before: 'v=spf1 ' },
  dkimFinding: { read: (text) => dkimFinding(KEY, [text]), before: 'v=DKIM1; p=', after: 'x', always: ['='] },
  dmarcFinding: {
    read: (text) => dmarcFinding('a.example', [text], policyOf(text)),
    before: 'v=DMARC1; p=none; ',
    after: 'x',
    always: [' ', ';'],
  },
  placeholdersIn: { read: placeholdersIn, always: ['○', '_', '__ ', '{', '%あ', '[[', '【会社名】', '株式会社'] },
  attachmentsIn: { read: attachmentsIn, before: '添付', always: ['添付', '添付して', 'リンク'] },
  dateMistakesIn: { read: (text) => dateMistakesIn(text, 0), before: '2026年', always: ['1/', '12月', '1月1日('] },
  visibleOfHtml: { read: visibleOfHtml },
  'visibleOfHtml of a style': {
    read: visibleOfHtml,
    before: '<p style="a:b',
    after: 'x!a">a</p>',
    always: ['/* ', ' '],
  },
  'visibleOfHtml of a size': {
    read: visibleOfHtml,
    before: '<p style="overflow:hidden; height:0',
    after: 'x">a</p>',
    always: ['0'],
  },
  'visibleOfHtml of a font': { read: visibleOfHtml, before: '<p style="font:a ', after: 'x">a</p>' },
  'visibleOfHtml of a tag': { read: visibleOfHtml, before: '<p a' },
};

const KEY = { domain: 'a.example', selector: 'a', base64: 'AAAA', bits: 2048 };
const policyOf = (text: string) => ({ domain: 'a.example', policy: 'none', tag: 'p=none', reportsTo: text, text });

function orThrown(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return error;
  }
}

/** @returns the texts that took longer than a linear reader needs */
async function slowOf(read: (text: string) => unknown, inputs: readonly string[]): Promise<string[]> {
  const slow: string[] = [];
  for (const text of inputs) {
    const start = performance.now();
    await read(text);
    const ms = Math.round(performance.now() - start);
    if (ms > MS_MAX) slow.push(`${JSON.stringify(text.slice(0, 20))} … ${JSON.stringify(text.slice(-20))}: ${ms} ms`);
  }
  return slow;
}

describe('1 MB of any repeated text is read in linear time by', () => {
  test.each(Object.entries(READERS))('%s', async (_, { read, before, after, always }) => {
    expect(await slowOf(read, texts(before, after, always))).toStrictEqual([]);
  });

  test('visibleOfHtml of bodies with one attribute each, or a single body with all', async () => {
    const names = Array.from({ length: 80_000 }, (_, n) => `a${n}`);
    const inputs = [names.map((name) => `<body ${name}>`).join(''), `<p ${names.join(' ')}>`];
    expect(await slowOf(visibleOfHtml, inputs)).toStrictEqual([]);
  });
});

/** The places of the text in a mail. */
const PLACES: readonly (readonly [string, string, string?])[] = [
  ['its header', ''],
  ['its subject', 'Subject: '],
  ['its addresses', 'From: '],
  ['its type', 'Content-Type: multipart/mixed; boundary='],
  ['its plain text', 'Return-Path: <>\nContent-Type: text/plain; format=flowed\n\n'],
  [
    'the text of a bounce',
    'Return-Path: <>\nX-Original-To: b-0123456789abcdef0123456789abcdef@bounce.kaitaku.example\nFrom: postmaster@a.example\n\n',
  ],
  ['its HTML', 'Content-Type: text/html; charset=iso-2022-jp\n\n'],
  ['quoted-printable', 'Content-Transfer-Encoding: quoted-printable\n\n'],
  ['base64', 'Content-Transfer-Encoding: base64\n\nAA'],
  ['a part', 'Content-Type: multipart/report; boundary=b\n\n--b\n'],
  [
    'a report',
    'Return-Path: <>\nContent-Type: multipart/report; boundary=b\n\n--b\nContent-Type: message/delivery-status\n\n',
  ],
];

describe('a mail of 1 MB is read in linear time, whatever text is repeated in', () => {
  test.each(PLACES)('%s', async (_, before) => {
    const read = (text: string) => readInboxMail(Buffer.from(text), RETURN_PATTERN);
    expect(await slowOf(read, texts(before))).toStrictEqual([]);
  });

  test('its header, read separately', async () => {
    const read = (text: string) => readInboxHeader(Buffer.from(text), RETURN_PATTERN);
    expect(await slowOf(read, texts('From: '))).toStrictEqual([]);
  });

  test('the header and the body of a test mail of a domain', async () => {
    const read = (text: string) =>
      judgeTestMail({ source: cutMail(Buffer.from(text)), domain: 'a.example' }, NO_DNS.dnsServers);
    const inputs = ['From: ', 'DKIM-Signature: v=1; a=rsa-sha256; d=a; s=a; h=', 'From: a\n\n'].flatMap((before) =>
      texts(before),
    );
    expect(await slowOf(read, inputs)).toStrictEqual([]);
  });
});
