import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type Certificate, selfSigned } from '#test/certificate.ts';
import { testSink } from '#test/sending.ts';
import type { SmtpSink } from '#test/smtp-sink.ts';
import { smtpLane } from './connection.ts';
import type { SmtpSettings } from './settings.ts';

const ENVELOPE = { from: 'a@example.com', to: 'b@example.com', bcc: [] };
const MESSAGE = Buffer.from('Message-ID: <1@example.com>\r\n\r\nbody\r\n');
const LOGIN = { user: 'kaitaku', pass: '合言葉 secret' };

const OURS = selfSigned();
const EXPIRED = selfSigned({ days: -1 });
const OF_ANOTHER = selfSigned({ host: 'mx.example.com' });

// Does in this process what NODE_EXTRA_CA_CERTS does at startup.
const authorities = getCACertificates('default');
setDefaultCACertificates([...authorities, ...[OURS, EXPIRED, OF_ANOTHER].map(({ cert }) => cert)]);
afterAll(() => setDefaultCACertificates(authorities));

let sink: SmtpSink;
let marks: number;

beforeEach(async () => {
  sink = await testSink();
  marks = 0;
});

function send(settings: Partial<SmtpSettings>) {
  const lane = smtpLane({
    host: 'localhost',
    port: sink.port,
    secure: false,
    requireTls: true,
    credentials: null,
    ...settings,
  });
  onTestFinished(() => lane.close());
  return lane.send(ENVELOPE, MESSAGE, async () => {
    marks += 1;
    return true;
  });
}

const WAYS = [
  { way: 'STARTTLS', from: 'STARTTLS', settings: { secure: false, requireTls: true } },
  { way: 'smtps', from: 'first byte', settings: { secure: true, requireTls: false } },
] as const;

describe.each(WAYS)('by $way', ({ from, settings }) => {
  test('a mail is handed over, encrypted', async () => {
    sink.tls = { ...OURS, from };
    expect(await send(settings)).toMatchObject({ kind: 'sent', reply: '250 2.0.0 queued' });
    expect(sink.mails).toMatchObject([{ messageId: '<1@example.com>', to: [ENVELOPE.to], secure: true }]);
  });

  test('a login that is right hands it over', async () => {
    sink.tls = { ...OURS, from };
    sink.login = LOGIN;
    expect(await send({ ...settings, credentials: LOGIN })).toMatchObject({ kind: 'sent' });
    expect(sink.mails).toMatchObject([{ secure: true }]);
  });

  test.each<[string, Certificate, RegExp]>([
    ['an expired certificate', EXPIRED, /expired/],
    ['a certificate of another name', OF_ANOTHER, /altnames/],
    ['a certificate nobody knows', selfSigned(), /self-signed/],
  ])('bad-inputs 136: %s is refused before a word of the mail', async (_, certificate, words) => {
    const commands: string[] = [];
    sink.tls = { ...certificate, from };
    sink.login = LOGIN;
    sink.fault = (moment) => {
      commands.push(moment);
      return null;
    };
    expect(await send({ ...settings, credentials: LOGIN })).toMatchObject({
      kind: 'transport',
      reply: expect.stringMatching(words),
    });
    expect([sink.mails, marks]).toStrictEqual([[], 0]);
    const before = new Set(['greeting', 'EHLO', 'STARTTLS']);
    expect(commands.filter((moment) => !before.has(moment))).toStrictEqual([]);
  });
});

test('a wrong login sends no mail', async () => {
  sink.tls = { ...OURS, from: 'STARTTLS' };
  sink.login = LOGIN;
  const wrong = { ...LOGIN, pass: 'wrong' };
  expect(await send({ credentials: wrong })).toMatchObject({ kind: 'transport', reply: expect.stringMatching(/^535/) });
  expect([sink.mails, marks]).toStrictEqual([[], 0]);
});

test('a server that requires a login refuses a client without one', async () => {
  sink.tls = { ...OURS, from: 'STARTTLS' };
  sink.login = LOGIN;
  expect(await send({})).toMatchObject({ kind: 'sender-refused', reply: expect.stringMatching(/^530/) });
  expect([sink.mails, marks]).toStrictEqual([[], 0]);
});
