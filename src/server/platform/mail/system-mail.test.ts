import PostalMime from 'postal-mime';
import { beforeEach, expect, test } from 'vitest';
import { testSink } from '#test/sending.ts';
import type { SmtpSink } from '#test/smtp-sink.ts';
import { type Mailer, systemMailer } from './system-mail.ts';

const MAIL = { to: 'hanako@example.jp', subject: '確認のお願い', text: '本文です。\n', html: '<p>本文です。</p>' };

let sink: SmtpSink;
let logged: object[];
let mailer: Mailer;

beforeEach(async () => {
  sink = await testSink();
  logged = [];
  mailer = systemMailer({
    smtp: { host: '127.0.0.1', port: sink.port, secure: false, requireTls: false, credentials: null },
    from: { name: '開拓', address: 'no-reply@kaitaku.example.jp' },
    now: () => Date.UTC(2026, 10, 21, 3),
    log: { warn: (fields: unknown) => logged.push(fields as object) },
    patienceMs: 300,
  });
});

test('one recipient, text and HTML, from the program', async () => {
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
  expect(logged).toStrictEqual([]);
});

test('a refusal is the outcome, and is logged', async () => {
  sink.fault = (moment) => (moment === 'RCPT' ? '550 5.1.1 nobody' : null);
  expect(await mailer(MAIL)).toMatchObject({ kind: 'failed' });
  expect(logged).toMatchObject([{ to: MAIL.to, outcome: { kind: 'failed' } }]);
});

test('nobody there', async () => {
  await sink.close();
  expect(await mailer(MAIL)).toMatchObject({ kind: 'transport' });
});

test('a server that says nothing is not waited for', async () => {
  sink.fault = (moment) => (moment === 'dot' ? 'silence' : null);
  expect(await mailer(MAIL)).toMatchObject({ kind: 'unknown' });
  expect(logged).toHaveLength(1);
});

test('a header field with a line end: nothing leaves', async () => {
  expect(await mailer({ ...MAIL, subject: '件名\r\nBcc: evil@example.com' })).toMatchObject({ kind: 'failed' });
  expect(sink.mails).toHaveLength(0);
  expect(logged).toMatchObject([{ outcome: { reply: expect.stringContaining('CR, LF') } }]);
});
