import fc from 'fast-check';
import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { bounceClass } from '#domain/mail/bounce-class.ts';
import {
  complaintMail,
  dsnMail,
  iso2022jp,
  MAIL_KEY,
  MAIL_UUID,
  postfixGroup,
  qmailBounce,
  RETURN_PATTERN,
  rawMail,
  replyMail,
  returnedMail,
} from '#test/inbox-mails.ts';
import type { RecipientReport } from './inbox-mail.ts';
import { MAIL_LIMITS } from './parsed-mail.ts';
import { readInboxHeader, readInboxMail } from './read-mail.ts';

const read = (raw: Buffer, pattern: string | null = RETURN_PATTERN) => readInboxMail(raw, pattern);
const readAnswer = async (raw: Buffer) => {
  const mail = await read(raw);
  return 'answer' in mail ? { kind: mail.kind, ...mail.answer } : mail;
};

const encoded = (subject: string): string => `=?utf-8?B?${Buffer.from(subject).toString('base64')}?=`;
const UNKNOWN = postfixGroup('info@midori.example', '5.1.1', 'smtp; 550 5.1.1 <info@midori.example>: User\n unknown');
const JAPANESE = [['Content-Type', 'text/plain; charset=ISO-2022-JP']] as const;

describe('a delivery status notification', () => {
  test('lawful 61: is a bounce, although it says that it is automatic', async () => {
    expect(await read(dsnMail({ groups: [UNKNOWN] }))).toStrictEqual({
      kind: 'bounce',
      refs: [{ key: MAIL_KEY }, { uuid: MAIL_UUID }],
      hash: expect.any(Buffer),
      arrivedAt: null,
      reports: [
        {
          action: 'failed',
          finalRecipient: 'info@midori.example',
          originalRecipient: 'info@midori.example',
          status: '5.1.1',
          text: '550 5.1.1 <info@midori.example>: User unknown',
        },
      ],
    });
  });

  test('lawful 63: has one report for each recipient', async () => {
    const mail = await read(dsnMail({ groups: [UNKNOWN, postfixGroup('Copy@b.example', '4.2.2', 'smtp; 452 full')] }));
    expect(mail).toMatchObject({
      reports: [{ status: '5.1.1' }, { finalRecipient: 'copy@b.example', status: '4.2.2' }],
    });
  });

  test('lawful 70: that only says «delayed» or «relayed» has no report; «delivered» has one', async () => {
    const groups = ['delayed', 'relayed', 'expanded', 'delivered'].map((action) =>
      postfixGroup('info@midori.example', '4.4.1', 'smtp; 450 later', action),
    );
    expect(await read(dsnMail({ groups }))).toMatchObject({ kind: 'bounce', reports: [{ action: 'delivered' }] });
  });

  test('is found by what it returns, without the return address', async () => {
    expect(await read(dsnMail({ groups: [UNKNOWN] }), null)).toMatchObject({
      refs: [{ key: MAIL_KEY }, { uuid: MAIL_UUID }],
    });
  });

  test('lawful 66: pasted by a person is a reply, and one whose sender nobody knows is ignored', async () => {
    const pasted = dsnMail({ groups: [UNKNOWN], returnPath: '<taro@midori.example>' }).toString();
    const byHand = Buffer.from(pasted.replace('Auto-Submitted: auto-replied\r\n', ''));
    expect(await read(byHand)).toMatchObject({ kind: 'reply' });
    expect(await read(dsnMail({ groups: [UNKNOWN], returnPath: null }))).toStrictEqual({
      kind: 'ignored',
      why: 'sender_unknown',
    });
  });

  test('a pipe names its sender and recipient', async () => {
    const raw = dsnMail({ groups: [UNKNOWN], returnPath: null, key: 'f'.repeat(32) });
    const envelope = { recipient: `b-${MAIL_KEY}@bounce.kaitaku.example`, sender: '' };
    expect(await readInboxMail(raw, RETURN_PATTERN, envelope)).toMatchObject({
      kind: 'bounce',
      refs: [{ key: MAIL_KEY }, { uuid: MAIL_UUID }],
    });
  });

  test('lawful 71: without a blank line, in UTF-16, without an action', async () => {
    const status = `Reporting-MTA: dns; mx\n${UNKNOWN}`;
    expect(await read(dsnMail({ groups: [status] }))).toMatchObject({ reports: [{ status: '5.1.1' }] });
    const merged = dsnMail().toString().replace('X-Postfix-Queue-ID: AAAA', UNKNOWN.replaceAll('\n', '\r\n'));
    expect(await read(Buffer.from(merged))).toMatchObject({ reports: [{ status: '5.1.1' }] });
    const utf16 = [...UNKNOWN].map((letter) => `${letter}\0`).join('');
    expect(await read(dsnMail({ groups: [utf16] }))).toMatchObject({
      reports: [{ status: '5.1.1', finalRecipient: 'info@midori.example' }],
    });
    const silent = UNKNOWN.replace('Action: failed\n', '');
    expect(await read(dsnMail({ groups: [silent] }))).toMatchObject({ reports: [{ action: 'failed' }] });
  });

  test('lawful 71: a thousand groups, five megabytes and a hundred levels are bounded', async () => {
    const many = await read(dsnMail({ groups: Array.from({ length: 1000 }, () => UNKNOWN) }));
    expect(many.kind === 'bounce' && many.reports.length).toBe(99);
    const large = await read(dsnMail({ groups: [UNKNOWN], returned: 'x'.repeat(5_000_000) }));
    expect(large).toMatchObject({ kind: 'bounce', reports: [{ status: '5.1.1' }] });
    const boundaries = Array.from(
      { length: 100 },
      (_, level) => `--n${level}
Content-Type: multipart/mixed; boundary="n${level + 1}"
`,
    );
    const deep = rawMail([['Content-Type', 'multipart/mixed; boundary="n0"']], boundaries.join('\n'));
    expect(await read(deep)).toMatchObject({ kind: 'reply' });
  });
});

const { lines, parts, headerLines } = MAIL_LIMITS;
const KEY_FIELD = ['X-Original-To', `u-${MAIL_KEY}@bounce.kaitaku.example`] as const;

describe('what is above the limits of a mail is cut, and the rest counts', () => {
  test.each([
    ['lines', '\n'.repeat(2 * lines)],
    ['lines with a blank', ' \n'.repeat(2 * lines)],
    ['parts', '\n--b1\n'.repeat(2 * parts)],
    ['parts with a header', '\n--b1\nContent-Type: text/html\n\n<p>'.repeat(2 * parts)],
    ['bytes', 'x'.repeat(1_000_000)],
  ])('a report with %s behind it', async (_, letter) => {
    const raw = Buffer.concat([dsnMail({ groups: [UNKNOWN] }), Buffer.from(letter)]);
    expect(await read(raw)).toMatchObject({
      kind: 'bounce',
      refs: [{ key: MAIL_KEY }, { uuid: MAIL_UUID }],
      reports: [{ status: '5.1.1' }],
    });
  });

  test.each([
    ['fields', 'X-A: b\r\n'.repeat(2 * headerLines)],
    ['folded lines', `X-A: b\r\n${' \r\n'.repeat(2 * lines)}`],
    ['a long field', `X-A: ${'x'.repeat(200_000)}\r\n`],
    ['a long folded field', `X-A: b\r\n${` ${'x'.repeat(70)}\r\n`.repeat(2500)}`],
  ])('a report with %s at the end of its header', async (_, more) => {
    const raw = dsnMail({ groups: [UNKNOWN] })
      .toString('latin1')
      .replace('\r\n\r\n', `\r\n${more}\r\n`);
    expect(await read(Buffer.from(raw, 'latin1'))).toMatchObject({ kind: 'bounce', reports: [{ status: '5.1.1' }] });
  });

  test('a report within which blank lines stand', async () => {
    const groups = [UNKNOWN, '\n'.repeat(2 * lines)];
    expect(await read(dsnMail({ groups }))).toMatchObject({ kind: 'bounce', reports: [{ status: '5.1.1' }] });
  });
});

describe('the header of a mail alone', () => {
  const header = (raw: Buffer, pattern: string | null = RETURN_PATTERN) => readInboxHeader(raw, pattern);

  test('is that of a refusal, whatever the mail is', async () => {
    expect(await header(rawMail([KEY_FIELD], '\n'.repeat(100_000)))).toStrictEqual({
      kind: 'refusal',
      refs: [{ key: MAIL_KEY }],
    });
  });

  test('is that of a complaint, about the mail that it names', async () => {
    const raw = Buffer.concat([Buffer.from(`In-Reply-To: <${MAIL_UUID}@kaitaku.example>\r\n`), complaintMail('abuse')]);
    expect(await header(raw)).toStrictEqual({ kind: 'complaint', refs: [{ uuid: MAIL_UUID }] });
  });

  test.each([
    ['failure notice', 'bounce'],
    ['Undelivered Mail Returned to Sender', 'bounce'],
    ['Delivery Status Notification (Failure)', 'bounce'],
    ['配信不能のお知らせ', 'bounce'],
    ['Delivery Status Notification (Delay)', 'ignored'],
    ['Warning: could not send message, delivery failed so far', 'ignored'],
    ['Successful Mail Delivery Report', 'ignored'],
    ['配信遅延のお知らせ', 'ignored'],
  ])('is that of a report: %s is a %s', async (subject, kind) => {
    const written = `=?utf-8?B?${Buffer.from(subject).toString('base64')}?=`;
    const raw = rawMail(
      [
        ['Return-Path', '<>'],
        ['Delivered-To', `b-${MAIL_KEY}@bounce.kaitaku.example`],
        ['Subject', written],
      ],
      '',
    );
    expect(await header(raw)).toMatchObject({ kind, ...(kind === 'bounce' && { refs: [{ key: MAIL_KEY }] }) });
  });

  test('is that of an answer, which says that its text was not read', async () => {
    expect(await header(replyMail('Please stop'))).toMatchObject({
      kind: 'reply',
      refs: [{ uuid: MAIL_UUID }],
      answer: { from: 'info@midori.example', excerpt: '本文は読み取れませんでした。', wish: 'none' },
    });
    expect(await header(replyMail('x', [['Auto-Submitted', 'auto-replied']]))).toMatchObject({ kind: 'auto_reply' });
  });

  test('is read to 32 KB', async () => {
    const long = [...Array.from({ length: 40 }, () => ['X-A', 'x'.repeat(1000)] as const), KEY_FIELD];
    expect(await header(rawMail(long, ''))).toMatchObject({ kind: 'reply', refs: [] });
    expect(await header(rawMail(long.toReversed(), ''))).toMatchObject({ kind: 'refusal' });
  });
});

test('lawful 71, 86: a broken mail is read as something, and nothing throws', async () => {
  const whole = [
    dsnMail({ groups: [UNKNOWN] }),
    complaintMail('abuse'),
    replyMail('Hello'),
    qmailBounce('a@b.example', 'x'),
  ];
  const edit = fc.record({ at: fc.nat(4000), length: fc.nat(200), text: fc.string({ unit: 'binary', maxLength: 50 }) });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...whole), fc.array(edit, { maxLength: 5 }), async (mail, edits) => {
      let raw = mail.toString('latin1');
      for (const { at, length, text } of edits) raw = raw.slice(0, at) + text + raw.slice(at + length);
      expect(await read(Buffer.from(raw, 'latin1'))).toHaveProperty('kind');
    }),
  );
});

/** A bounce or a warning that is plain text, as Exim and gateways write them. */
const textReport = (text: string, more: Parameters<typeof replyMail>[1] = []): Buffer =>
  rawMail(
    [
      ['Return-Path', '<>'],
      ['Delivered-To', `b-${MAIL_KEY}@bounce.kaitaku.example`],
      ['From', 'Mail Delivery System <Mailer-Daemon@mx.midori.example>'],
      ['Subject', 'Mail delivery'],
      ...(more.length > 0 ? more : [['Content-Type', 'text/plain; charset=utf-8'] as const]),
    ],
    text,
  );

describe('a bounce without a report', () => {
  test('of qmail is read by its text, without the copy of our mail', async () => {
    expect(
      await read(qmailBounce('Info@midori.example', 'Sorry, no mailbox here by that name. (#5.1.1)')),
    ).toMatchObject({
      kind: 'bounce',
      refs: [{ key: MAIL_KEY }],
      reports: [
        {
          finalRecipient: 'info@midori.example',
          status: null,
          text: '<Info@midori.example>:\nSorry, no mailbox here by that name. (#5.1.1)',
        },
      ],
    });
  });

  test('needs the return address and an empty sender', async () => {
    const raw = qmailBounce('info@midori.example', 'Sorry');
    expect(await read(raw, null)).toMatchObject({ kind: 'auto_reply' });
    const person = Buffer.from(raw.toString().replace('Return-Path: <>', 'Return-Path: <taro@midori.example>'));
    expect(await read(person)).toMatchObject({ kind: 'reply' });
  });

  test('of Exim names its recipient alone on a line', async () => {
    const raw = textReport(`A message that you sent could not be delivered to one or more of its recipients.
This is a permanent error. The following address(es) failed:

  Copy@own.example
    Unrouteable address`);
    expect(await read(raw)).toMatchObject({ kind: 'bounce', reports: [{ finalRecipient: 'copy@own.example' }] });
  });

  test.each([
    `A message that you sent has not yet been delivered to one or more of its recipients after more than 24 hours.
No action is required on your part. Delivery attempts will continue for some time.`,
    'THIS IS A WARNING MESSAGE ONLY. YOU DO NOT NEED TO RESEND YOUR MESSAGE. It will keep trying for 5 days.',
    '次の宛先への配信が遅れています。再送を続けています。\n<info@midori.example>',
  ])('lawful 70: that only warns has no report: %s', async (text) => {
    expect(await read(textReport(text))).toMatchObject({ kind: 'bounce', reports: [] });
  });

  test('in HTML is read by its visible text', async () => {
    const type = [['Content-Type', 'text/html; charset=utf-8']] as const;
    expect(await read(textReport('<p>&lt;info@midori.example&gt;<br>User unknown</p>', type))).toMatchObject({
      reports: [{ finalRecipient: 'info@midori.example', text: expect.stringContaining('User unknown') }],
    });
  });

  test('in Japanese', async () => {
    const raw = rawMail(
      [
        ['Return-Path', '<>'],
        ['Delivered-To', `b-${MAIL_KEY}@bounce.kaitaku.example`],
        ['From', 'postmaster@midori.example'],
        ['Subject', '=?ISO-2022-JP?B?GyRCRyQ7ISRHJC0kXiQ7JHMkRyQ3JD8bKEI=?='],
        ...JAPANESE,
      ],
      iso2022jp('次の宛先は存在しません。\n<info@midori.example>'),
    );
    expect(await read(raw)).toMatchObject({
      kind: 'bounce',
      reports: [{ finalRecipient: 'info@midori.example', text: '次の宛先は存在しません。\n<info@midori.example>' }],
    });
  });
});

test.each([
  ['DELIVERY FAILURE', 'ユーザー 田中 太郎 は Domino ディレクトリには見つかりません。\n\n  info@midori.example\n'],
  ['Delivery Failure', '宛先のユーザーがこの Domino ディレクトリにリストされていません。\n\ninfo@midori.example'],
  ['配信不能', '受信者の名前が Notes の名前およびアドレス帳にありません: \ninfo@midori.example'],
  ['Delivery Failure', '理由: ユーザーが Domino ディレクトリーに一致しません。\n<info@midori.example>'],
  ['Delivery Failure', 'アドレス帳に該当するユーザーがいないため配信できませんでした。\ninfo@midori.example'],
])('Domino names a dead address below its sentence, in ISO-2022-JP: %s', async (subject, text) => {
  const raw = rawMail(
    [
      ['Return-Path', '<>'],
      ['Delivered-To', `b-${MAIL_KEY}@bounce.kaitaku.example`],
      ['From', 'Postmaster@midori.example'],
      ['Subject', encoded(subject)],
      ...JAPANESE,
    ],
    iso2022jp(text),
  );
  const { reports = [] } = (await read(raw)) as { reports?: RecipientReport[] };
  expect(reports.map(({ finalRecipient }) => finalRecipient)).toStrictEqual(['info@midori.example']);
  const recipients = ['info@midori.example'];
  expect(reports.map(({ status, text: words }) => bounceClass({ status, text: words, recipients }))).toEqual(['hard']);
});

/** A mail of a server in words of its own, without a sender, and with a copy of ours. */
const notice = (
  text: string | Buffer,
  subject: string,
  { copy = returnedMail(), type = 'charset=utf-8' } = {},
): Buffer =>
  rawMail(
    [
      ['Return-Path', '<>'],
      ['From', 'no-reply@carrier.example'],
      ['To', 'sales@kaitaku.example'],
      ['Subject', encoded(subject)],
      ['Content-Type', 'multipart/mixed; boundary="b4"'],
    ],
    Buffer.concat([
      Buffer.from(`--b4\r\nContent-Type: text/plain; ${type}\r\n\r\n`),
      Buffer.from(text),
      Buffer.from(`\r\n--b4\r\nContent-Type: message/rfc822\r\n\r\n${copy}\r\n--b4--\r\n`),
    ]),
  );

describe('without a sender and with a copy of our mail', () => {
  test('is a bounce in whatever words (field b11)', async () => {
    const text = iso2022jp(
      '送信先のメールボックスが一杯のため、送信できませんでした。\nCould not be delivered to: <a@b.example>\n',
    );
    expect(await read(notice(text, 'メールエラー通知', { type: 'charset=ISO-2022-JP' }))).toMatchObject({
      kind: 'bounce',
      refs: [{ key: MAIL_KEY }, { uuid: MAIL_UUID }],
      reports: [{ finalRecipient: 'a@b.example', text: expect.stringContaining('一杯') }],
    });
    expect(await read(notice('Zzz', 'Zzz'))).toMatchObject({ kind: 'bounce', reports: [{ finalRecipient: null }] });
  });

  test('is one where the copy stands in the text', async () => {
    const raw = rawMail(
      [
        ['Return-Path', '<>'],
        ['From', 'gate@midori.example'],
      ],
      `Not accepted.\n\n${returnedMail()}`,
    );
    expect(await read(raw, null)).toMatchObject({
      kind: 'bounce',
      refs: [{ key: MAIL_KEY }, { uuid: MAIL_UUID }],
      reports: [{ text: 'Not accepted.' }],
    });
  });

  test.each([
    ['メールは遅延していますが、再送を続けています。', 'お知らせ'],
    ['Gmail will retry for 46 more hours. You will be notified if the delivery fails permanently.', 'Notice'],
    ['It is still in the queue.', 'Delayed mail'],
    ['Your mail was successfully delivered to the recipient.', 'Notice'],
  ])('has no report where it only waits, or has arrived: %s', async (text, subject) => {
    expect(await read(notice(text, subject))).toMatchObject({ kind: 'bounce', reports: [] });
  });

  test('is an automatic answer where its subject says so, or where the copy is not ours', async () => {
    expect(await read(notice('I am away.', '不在のお知らせ'))).toMatchObject({ kind: 'auto_reply' });
    expect(await read(notice('Zzz', 'Zzz', { copy: 'Subject: other' }))).toMatchObject({ kind: 'auto_reply' });
  });
});

test.each([
  '451 4.7.1 Message has been delayed by greylisting: retry timeout exceeded',
  'It has not yet been delivered. Giving up on 192.0.2.1.',
  'has been delayed. I will keep trying no more: this has failed permanently',
])('words of a delay do not hide that it was given up (field b19): %s', async (text) => {
  expect(await read(textReport(`info@midori.example\n  ${text}`))).toMatchObject({
    reports: [{ finalRecipient: 'info@midori.example' }],
  });
});

describe('a text about several recipients', () => {
  const reportsOf = async (text: string) => {
    const mail = await read(textReport(text));
    return mail.kind === 'bounce' ? mail.reports.map((report) => [report.finalRecipient, report.text]) : mail;
  };

  test('says of each what stands below it (field b18)', async () => {
    expect(
      await reportsOf('<copy@own.example>:\n552 full\n\n<Info@b.example>:\n550 unknown\nGiving up.'),
    ).toStrictEqual([
      ['copy@own.example', '<copy@own.example>: 552 full'],
      ['info@b.example', '<Info@b.example>: 550 unknown\nGiving up.'],
    ]);
  });

  test('says the same of those that stand together, and more of one that stands twice', async () => {
    expect(
      await reportsOf('<a@b.example>\n<c@b.example>\n550 unknown\n<a@b.example>: 552 full\n---- Transcript'),
    ).toStrictEqual([
      ['a@b.example', '<a@b.example>: 550 unknown\n<a@b.example>: 552 full'],
      ['c@b.example', '<c@b.example>: 550 unknown'],
    ]);
  });

  test('says the whole of all where nothing stands below them', async () => {
    const text = '次の宛先は存在しません。\n<a@b.example>\n<c@b.example>';
    expect(await reportsOf(text)).toStrictEqual([
      ['a@b.example', text],
      ['c@b.example', text],
    ]);
  });
});

describe('a report without form', () => {
  const withText = (groups: readonly string[], text: string): Buffer =>
    Buffer.from(
      dsnMail({ groups })
        .toString()
        .replace('This is the mail system at host mx.kaitaku.example.', text.replaceAll('\n', '\r\n')),
    );
  const SILENT = 'Final-Recipient: rfc822; a@b.example\nAction: failed\nStatus: 5.0.0';

  test('has the reason of its text (field b09)', async () => {
    expect(await read(withText([SILENT], 'An error occurred:\n\na@b.example: 550 User unknown'))).toMatchObject({
      reports: [{ finalRecipient: 'a@b.example', status: '5.0.0', text: expect.stringContaining('550 User unknown') }],
    });
    const both = [SILENT, SILENT.replace('a@', 'c@')];
    expect(await read(withText(both, 'a@b.example: 550 unknown\nc@b.example: 552 full'))).toMatchObject({
      reports: [{ text: 'a@b.example: 550 unknown' }, { text: 'c@b.example: 552 full' }],
    });
  });

  test('names nobody: its text says who failed (field b13)', async () => {
    const text = 'Delivery to the following recipients failed permanently:\n\n   * a@b.example';
    expect(await read(withText([], text))).toMatchObject({
      kind: 'bounce',
      reports: [{ action: 'failed', finalRecipient: 'a@b.example', status: null }],
    });
    expect(await read(withText([], 'THIS IS A WARNING MESSAGE ONLY.'))).toMatchObject({ reports: [] });
    const bare = SILENT.replace(/Action.*/s, 'Diagnostic-Code: smtp; 550 unknown');
    expect(await read(dsnMail({ groups: [bare] }))).toMatchObject({ reports: [{ text: '550 unknown' }] });
  });

  test('is in ISO-2022-JP (field b07)', async () => {
    const reason = 'ユーザー TANAKA (a@b.example) は Domino ディレクトリには見つかりません。';
    const group = `${SILENT}\nDiagnostic-Code: X-Notes; ${iso2022jp(reason).toString('latin1')}`;
    expect(await read(dsnMail({ groups: [group] }))).toMatchObject({ reports: [{ text: reason }] });
  });
});

describe('a complaint', () => {
  test.each([
    [
      'staff@hotmail.com',
      'complaint about message from 192.0.2.22',
      'X-HmXmrOriginalRecipient: a@b.example\r\n',
      'complaint',
    ],
    ['any@outlook.example', 'x', 'X-HmXmrOriginalRecipient: a@b.example\r\n', 'complaint'],
    ['feedback@provider.example', 'Spam report', '', 'complaint'],
    ['info@midori.example', 'Spam report', '', 'reply'],
    ['feedback@midori.example', 'お問い合わせ', '', 'reply'],
  ])('of %s about «%s» in a form of its own (field b14): %s%s', async (from, subject, field, kind) => {
    const raw = notice('', subject, { copy: `${field}${returnedMail()}` }).toString();
    const sent = raw.replace('<>', `<${from}>`).replace('no-reply@carrier.example', from);
    expect(await read(Buffer.from(sent))).toMatchObject({ kind, refs: [{ key: MAIL_KEY }, { uuid: MAIL_UUID }] });
  });

  test('names its mail by what it returns', async () => {
    expect(await read(complaintMail('abuse'))).toStrictEqual({
      kind: 'complaint',
      refs: [{ key: MAIL_KEY }, { uuid: MAIL_UUID }],
    });
    expect(await read(complaintMail('abuse', 'Subject: x'))).toStrictEqual({ kind: 'complaint', refs: [] });
  });

  test('lawful 80: that takes one back is ignored', async () => {
    expect(await read(complaintMail('not-spam'))).toStrictEqual({ kind: 'ignored', why: 'not_spam' });
  });
});

test('lawful 82: a mail to the address for refusals is one, whoever writes it', async () => {
  const to = [['X-Original-To', `U-${MAIL_KEY}@Bounce.kaitaku.example`]] as const;
  for (const more of [to, [...to, ['Auto-Submitted', 'auto-replied'] as const]]) {
    expect(await read(replyMail('', more))).toStrictEqual({ kind: 'refusal', refs: [{ key: MAIL_KEY }] });
  }
});

describe('an automatic answer', () => {
  test.each([
    ['lawful 74: by its field', [['Auto-Submitted', 'auto-replied (vacation)']]],
    ['by an older field', [['X-Autoreply', 'yes']]],
    ['by its precedence', [['Precedence', 'bulk']]],
  ] as const)('is known %s', async (_, more) => {
    expect(await readAnswer(replyMail('Back on Monday.', more))).toMatchObject({
      kind: 'auto_reply',
      excerpt: 'Back on Monday.',
    });
  });

  test.each(['不在のお知らせ', '【自動返信】お問い合わせ', 'Automatic reply: a proposal', 'Out of Office'])(
    'lawful 75: is known by its subject, %s',
    async (subject) => {
      const raw = rawMail(
        [
          ['Return-Path', '<info@midori.example>'],
          ['From', 'info@midori.example'],
          ['Subject', `=?utf-8?B?${Buffer.from(subject).toString('base64')}?=`],
          ['In-Reply-To', `<${MAIL_UUID}@kaitaku.example>`],
        ],
        'x',
      );
      expect(await readAnswer(raw)).toMatchObject({ kind: 'auto_reply', subject });
    },
  );

  test.each(['Re: a proposal', 'Re: 配信できなかったメールを減らすご提案', 'RE[2]: Returned mail'])(
    'that goes to the return address with an empty sender is no bounce: %s',
    async (subject) => {
      const raw = rawMail(
        [
          ['Return-Path', '<>'],
          ['Delivered-To', `b-${MAIL_KEY}@bounce.kaitaku.example`],
          ['From', 'info@midori.example'],
          ['Subject', encoded(subject)],
        ],
        'I am away.',
      );
      expect(await readAnswer(raw)).toMatchObject({ kind: 'auto_reply', subject });
    },
  );

  test.each(['Re: 問い合わせ自動応答のご提案', 'RE：不在配達を減らす', 'Re^2: Out of office desks', '返信: 自動送信'])(
    'is none where only the subject of our mail says so: %s',
    async (subject) => {
      const raw = replyMail('Please call us.').toString().replace('Re: a proposal', encoded(subject));
      expect(await readAnswer(Buffer.from(raw))).toMatchObject({ kind: 'reply', subject });
    },
  );

  test('is known by its subject before that of our mail', async () => {
    const raw = replyMail('x').toString().replace('Re: a proposal', encoded('【自動返信】Re: ご提案'));
    expect(await readAnswer(Buffer.from(raw))).toMatchObject({ kind: 'auto_reply' });
  });
});

describe('a reply', () => {
  test('shows the text above the quotation', async () => {
    const body = `Thank you.\nPlease call us.\n\nOn Mon, Nov 23, 2026 at 10:00 AM Yamada <sales@kaitaku.example> wrote:\n> x`;
    expect(await readAnswer(replyMail(body))).toStrictEqual({
      kind: 'reply',
      from: 'info@midori.example',
      isSingle: true,
      dmarc: null,
      subject: 'Re: a proposal',
      excerpt: 'Thank you.\nPlease call us.',
      wish: 'none',
      isRobot: false,
      hash: expect.any(Buffer),
    });
    expect(await read(replyMail(body))).toMatchObject({ refs: [{ uuid: MAIL_UUID }] });
  });

  test('ends where a quotation with full-width marks begins', async () => {
    const raw = replyMail('資料をください。\n\n＞ 配信停止をご希望の方は', [
      ['Content-Type', 'text/plain; charset=utf-8'],
    ]);
    expect(await readAnswer(raw)).toMatchObject({ excerpt: '資料をください。', wish: 'none' });
  });

  test('that is all quotation shows it', async () => {
    expect(await readAnswer(replyMail('> quoted'))).toMatchObject({ excerpt: '> quoted' });
  });

  test.each([
    ['ISO-2022-JP', iso2022jp('ご連絡ありがとうございます。\n-----元のメッセージ-----\n前の文')],
    ['Shift_JIS', iconv.encode('ご連絡ありがとうございます。', 'shift_jis')],
  ])('lawful 76: is read in %s', async (charset, body) => {
    const raw = replyMail(body, [['Content-Type', `text/plain; charset=${charset}`]]);
    expect(await readAnswer(raw)).toMatchObject({ excerpt: 'ご連絡ありがとうございます。' });
  });

  test.each([
    ['iso-2022-jp-ms', iso2022jp('配信停止してください。')],
    ['eucJP-ms', iconv.encode('配信停止してください。', 'euc-jp')],
  ])('lawful 76: is a refusal in %s too', async (charset, body) => {
    const raw = replyMail(body, [['Content-Type', `text/plain; charset=${charset}`]]);
    expect(await readAnswer(raw)).toMatchObject({ excerpt: '配信停止してください。', wish: 'refusal' });
  });

  test('lawful 76: half-width kana of ISO-2022-JP are read', async () => {
    const raw = replyMail(Buffer.from('\x1b(I1280\x1b(B'), JAPANESE);
    expect(await readAnswer(raw)).toMatchObject({ excerpt: 'ｱｲｸｰ' });
  });

  test('lawful 81: HTML is stored as its visible text', async () => {
    const html = `<p>Thank <b>you</b></p><script>alert(1)</script><img src="https://track.example/x"><p hidden>no</p>`;
    const raw = replyMail(html, [['Content-Type', 'text/html; charset=utf-8']]);
    expect(await readAnswer(raw)).toMatchObject({ excerpt: 'Thank you' });
  });

  test('is cut at a whole character', async () => {
    const raw = replyMail('𠮷'.repeat(600), [['Content-Type', 'text/plain; charset=utf-8']]);
    expect(await readAnswer(raw)).toMatchObject({ excerpt: '𠮷'.repeat(500) });
  });

  test('has the same hash whenever it is read, and another one than another reply', async () => {
    const hashOf = async (raw: Buffer) => ((await readAnswer(raw)) as { hash: Buffer }).hash.toString('hex');
    const first = await hashOf(replyMail('a'));
    expect(await hashOf(Buffer.concat([Buffer.from('Received: by other\r\n'), replyMail('a')]))).toBe(first);
    const other = replyMail('a').toString().replace('reply-1', 'reply-2');
    expect(await hashOf(Buffer.from(other))).not.toBe(first);
  });

  test('about no mail of ours names none', async () => {
    const raw = rawMail([['From', 'a@b.example']], returnedMail());
    expect(await read(raw)).toMatchObject({ kind: 'reply', refs: [] });
  });
});
