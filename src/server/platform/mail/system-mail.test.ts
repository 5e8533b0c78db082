import PostalMime from 'postal-mime';
import { beforeEach, describe, expect, test } from 'vitest';
import { type FakeSendGrid, testSendGrid } from '#test/sendgrid.ts';
import { testSink } from '#test/sending.ts';
import type { SmtpSink } from '#test/smtp-sink.ts';
import { type Mailer, sendGridSystemMailer, systemMailer } from './system-mail.ts';

const MAIL = {
  to: 'hanako@example.jp',
  subject: '確認のお願い',
  text: '本文です。\n',
  html: '<p>本文です。</p>',
  reader: 'anybody' as const,
};

let sink: SmtpSink;
let logged: object[];
let mailer: Mailer;

beforeEach(async () => {
  sink = await testSink();
  logged = [];
  mailer = systemMailer({
    smtp: { host: '127.0.0.1', port: sink.port, secure: false, requireTls: false, credentials: null },
    from: async () => ({ name: '開拓', address: 'no-reply@kaitaku.example.jp' }),
    now: () => Date.UTC(2026, 10, 21, 3),
    log: { warn: (fields: unknown) => logged.push(fields as object) },
    maxWaitMs: 300,
  });
});

test('a system mail has one recipient, text and HTML, and the program as sender', async () => {
  expect(await mailer(MAIL)).toMatchObject({ kind: 'sent' });
  expect(sink.mails).toMatchObject([{ from: 'no-reply@kaitaku.example.jp', to: ['hanako@example.jp'] }]);
  const read = await PostalMime.parse(sink.mails[0]?.source ?? '');
  expect(read).toMatchObject({
    from: { name: '開拓', address: 'no-reply@kaitaku.example.jp' },
    to: [{ address: 'hanako@example.jp' }],
    subject: '確認のお願い',
    text: '本文です。\n',
    date: '2026-11-21T03:00:00.000Z',
    messageId: expect.stringMatching(/^<[\w-]{36}@kaitaku\.example\.jp>$/),
  });
  expect(read.html).toContain('<p>本文です。</p>');
  expect(read.headers).toContainEqual(expect.objectContaining({ key: 'auto-submitted', value: 'auto-generated' }));
  expect(logged).toStrictEqual([]);
});

test('a refusal is the outcome, and is logged', async () => {
  sink.fault = (moment) => (moment === 'RCPT' ? '550 5.1.1 nobody' : null);
  expect(await mailer(MAIL)).toMatchObject({ kind: 'failed' });
  expect(logged).toMatchObject([{ to: MAIL.to, outcome: { kind: 'failed' } }]);
});

test('an unreachable server is a transport fault', async () => {
  await sink.close();
  expect(await mailer(MAIL)).toMatchObject({ kind: 'transport' });
});

test.each([
  ['before the body', 'DATA', 'transport'],
  ['behind the final dot', 'dot', 'unknown'],
])('a server that says nothing %s is not waited for', async (_, silentAt, kind) => {
  sink.fault = (moment) => (moment === silentAt ? 'silence' : null);
  expect(await mailer(MAIL)).toMatchObject({ kind });
  expect(logged).toHaveLength(1);
});

test('a mail whose header field has a line break is not sent', async () => {
  expect(await mailer({ ...MAIL, subject: '件名\r\nBcc: evil@example.com' })).toMatchObject({ kind: 'failed' });
  expect(sink.mails).toHaveLength(0);
  expect(logged).toMatchObject([{ outcome: { reply: expect.stringContaining('CR, LF') } }]);
});

describe('through SendGrid', () => {
  const from = { name: '開拓', address: 'no-reply@kaitaku.example.jp' };
  const mailerTo = (sendgrid: FakeSendGrid) =>
    sendGridSystemMailer(sendgrid, {
      from: async () => from,
      log: { warn: (fields: unknown) => logged.push(fields as object) },
      maxWaitMs: 300,
    });

  test('a mail of our own making, without a template', async () => {
    const fake = await testSendGrid();
    expect(await mailerTo(fake)(MAIL)).toMatchObject({ kind: 'sent' });
    expect(fake.requests).toStrictEqual([
      {
        from: { email: 'no-reply@kaitaku.example.jp', name: '開拓' },
        personalizations: [{ to: [{ email: 'hanako@example.jp' }] }],
        subject: '確認のお願い',
        content: [
          { type: 'text/plain', value: '本文です。\n' },
          { type: 'text/html', value: '<p>本文です。</p>' },
        ],
        headers: { 'Auto-Submitted': 'auto-generated' },
        tracking_settings: { subscription_tracking: { enable: false } },
      },
    ]);
  });

  test('a refusal and a silence are outcomes, and are logged', async () => {
    const fake = await testSendGrid();
    fake.fault = () => ({ status: 403, errors: [{ message: 'not verified', field: 'from' }] });
    expect(await mailerTo(fake)(MAIL)).toMatchObject({ kind: 'sender-refused' });
    fake.fault = () => 'silence';
    expect(await mailerTo(fake)(MAIL)).toMatchObject({ kind: 'unknown' });
    expect(logged).toHaveLength(2);
  });
});
