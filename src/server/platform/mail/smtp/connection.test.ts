import { createHash, createVerify, generateKeyPairSync } from 'node:crypto';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { testSink } from '#test/sending.ts';
import type { Moment, SmtpSink } from '#test/smtp-sink.ts';
import { readSettings } from '../../settings.ts';
import { composeMessage } from '../compose.ts';
import type { Outcome } from '../outcome.ts';
import { type SmtpLane, smtpLane } from './connection.ts';
import type { SmtpTimes } from './settings.ts';

const ENVELOPE = { from: 'a@example.com', to: 'b@example.com', bcc: [] };
const MESSAGE = Buffer.from('Message-ID: <1@example.com>\r\n\r\nbody\r\n');
const ours = async () => true;

let sink: SmtpSink;
let lane: SmtpLane;
let connections: number;

beforeEach(async () => {
  sink = await testSink();
  connections = 0;
  sink.fault = (moment) => {
    if (moment === 'greeting') connections += 1;
    return null;
  };
  lane = smtpLane({ host: '127.0.0.1', port: sink.port, secure: false, requireTls: false, credentials: null });
  return () => lane.close();
});

test('one connection serves many mails', async () => {
  for (let n = 0; n < 5; n += 1) expect(await lane.send(ENVELOPE, MESSAGE, ours)).toMatchObject({ kind: 'sent' });
  expect(sink.mails).toHaveLength(5);
  expect(connections).toBe(1);
});

test('no session lasts longer than 100 mails', async () => {
  for (let n = 0; n < 101; n += 1) await lane.send(ENVELOPE, MESSAGE, ours);
  expect(sink.mails).toHaveLength(101);
  expect(connections).toBe(2);
  // The second session opens only after the first has closed.
  expect(sink.mostConnections).toBe(1);
});

test('the mark is committed after the 354 and before the body', async () => {
  const order: string[] = [];
  sink.fault = (moment) => {
    order.push(moment);
    return null;
  };
  await lane.send(ENVELOPE, MESSAGE, async () => {
    order.push('mark');
    return true;
  });
  expect(order).toStrictEqual(['greeting', 'EHLO', 'MAIL', 'RCPT', 'DATA', 'mark', 'body', 'dot']);
});

test('a mail that is not ours any more is not begun, and the next one is not harmed', async () => {
  expect(await lane.send(ENVELOPE, MESSAGE, async () => false)).toStrictEqual({ kind: 'claim-lost' });
  expect(sink.mails).toHaveLength(0);
  expect(await lane.send(ENVELOPE, MESSAGE, ours)).toMatchObject({ kind: 'sent' });
  expect(sink.mails).toHaveLength(1);
});

test.each([
  ['450 4.2.0 greylisted', 'deferred'],
  ['550 5.1.1 no such user', 'failed'],
  ['421 4.3.2 closing', 'dropped'],
] as const)('a copy that is taken where the mail is answered %s begins no body', async (reply, kind) => {
  const moments: string[] = [];
  sink.fault = (moment, line) => {
    moments.push(moment);
    return moment === 'RCPT' && line.includes(ENVELOPE.to) ? reply : null;
  };
  const mark = async () => {
    moments.push('mark');
    return true;
  };
  const envelope = { ...ENVELOPE, bcc: ['copy@example.com'] };
  expect(await lane.send(envelope, MESSAGE, mark)).toMatchObject({ kind, reply });
  sink.fault = () => null;
  expect(await lane.send(ENVELOPE, MESSAGE, ours)).toMatchObject({ kind: 'sent' });
  expect(moments).not.toContain('mark');
  expect(moments).not.toContain('body');
  expect(sink.mails.map(({ to }) => to)).toStrictEqual([[ENVELOPE.to]]);
});

describe('a body of several slices', () => {
  const LINE = `${'x'.repeat(76)}\r\n`;
  /** Larger than the socket buffers of both ends, so its end is not written while the server does not read. */
  const ENDLESS = Buffer.concat([MESSAGE, Buffer.from(LINE.repeat(400_000))]);
  /** Three slices, which fit in the socket buffers. */
  const SHORT = Buffer.concat([MESSAGE, Buffer.from(LINE.repeat(600))]);

  beforeEach(() => {
    sink.extensions = ['PIPELINING', '8BITMIME'];
  });

  test('arrives whole', async () => {
    expect(await lane.send(ENVELOPE, SHORT, ours)).toMatchObject({ kind: 'sent' });
    expect(sink.mails[0]?.source).toHaveLength(SHORT.length - 2);
  });

  test.each([
    ['before its end was given: the server cannot have taken it', ENDLESS, 'deferred'],
    ['when all of it was given: nobody knows', SHORT, 'unknown'],
  ])('the server hangs up within it %s', async (_, message, kind) => {
    sink.fault = (moment) => {
      if (moment !== 'body') return null;
      setTimeout(() => sink.hangUp(), 500);
      return 'silence';
    };
    expect(await lane.send(ENVELOPE, message, ours)).toMatchObject({ kind });
    expect(sink.mails).toHaveLength(0);
  });

  test.each([
    ['552 5.3.4 too large', 'failed'],
    ['451 4.3.0 no room now', 'deferred'],
    // An acceptance out of turn: a retry could send the mail twice.
    ['250 2.0.0 queued', 'unknown'],
  ] as const)('is answered %s before its end: %s', async (reply, kind) => {
    sink.fault = (moment) => (moment === 'body' ? reply : null);
    expect(await lane.send(ENVELOPE, ENDLESS, ours)).toMatchObject({ kind, reply });
    sink.fault = () => null;
    expect(await lane.send(ENVELOPE, MESSAGE, ours)).toMatchObject({ kind: 'sent' });
  });
});

test('a mark that cannot be written stops the mail', async () => {
  const outcome = await lane.send(ENVELOPE, MESSAGE, () => Promise.reject(new Error('no database')));
  expect(outcome).toMatchObject({ kind: 'unmarked' });
  expect(sink.mails).toHaveLength(0);
});

test('a server that closed the idle connection is met again on a new one', async () => {
  await lane.send(ENVELOPE, MESSAGE, ours);
  sink.hangUp();
  await new Promise((done) => setTimeout(done, 50));
  expect(await lane.send(ENVELOPE, MESSAGE, ours)).toMatchObject({ kind: 'sent' });
  expect(connections).toBe(2);
});

describe('a server that does not offer STARTTLS', () => {
  const laneOf = (env: NodeJS.ProcessEnv) => {
    const { smtp } = readSettings({ SMTP_URL: `smtp://localhost:${sink.port}`, ...env });
    if (!smtp) throw new Error('no SMTP_URL');
    const read = smtpLane(smtp);
    onTestFinished(() => read.close());
    return read;
  };

  test('bad-inputs 135: where it is required: not a word of the mail in plain text, and why', async () => {
    const commands: string[] = [];
    sink.fault = (_, line) => {
      commands.push(line);
      return null;
    };
    expect(await laneOf({ SMTP_STARTTLS: 'required' }).send(ENVELOPE, MESSAGE, ours)).toMatchObject({
      kind: 'transport',
      reply: expect.stringMatching(/no STARTTLS.*SMTP_STARTTLS.*\d{3} /),
    });
    expect(sink.mails).toHaveLength(0);
    expect(commands.join()).not.toMatch(/MAIL|AUTH|RCPT/);
  });

  test('where it is not, as one was told, and on this machine: the mail goes in plain text', async () => {
    expect(await laneOf({ SMTP_STARTTLS: 'none' }).send(ENVELOPE, MESSAGE, ours)).toMatchObject({ kind: 'sent' });
    expect(await laneOf({}).send(ENVELOPE, MESSAGE, ours)).toMatchObject({ kind: 'sent' });
    expect(sink.mails.map(({ secure }) => secure)).toStrictEqual([false, false]);
  });
});

test('an unreachable server is a transport fault', async () => {
  await sink.close();
  expect(await lane.send(ENVELOPE, MESSAGE, ours)).toMatchObject({ kind: 'transport' });
});

const address = (port: number) => ({ host: '127.0.0.1', port, secure: false, requireTls: false, credentials: null });
const PATIENT: SmtpTimes = { openMs: 60_000, aheadMs: 60_000, envelopeMs: 60_000, silenceMs: 60_000, mailMs: 60_000 };

/** Opens a lane with long time limits, except for those given. */
function laneWith(times: Partial<SmtpTimes>): SmtpLane {
  const limited = smtpLane(address(sink.port), { ...PATIENT, ...times });
  onTestFinished(() => limited.close());
  return limited;
}

describe('a server that takes too long', () => {
  test.each<[Moment, Partial<SmtpTimes>, Outcome['kind']]>([
    ['greeting', { openMs: 100 }, 'transport'],
    ['EHLO', { openMs: 100, envelopeMs: 200 }, 'transport'],
    ['MAIL', { envelopeMs: 200 }, 'dropped'],
    ['RCPT', { envelopeMs: 200 }, 'dropped'],
    ['DATA', { envelopeMs: 200 }, 'dropped'],
    ['dot', { silenceMs: 200 }, 'unknown'],
    ['dot', { mailMs: 300 }, 'unknown'],
  ])('silent at %s with %o', async (silentAt, times, kind) => {
    let marked = 0;
    const mark = async () => {
      marked += 1;
      return true;
    };
    sink.fault = (moment) => (moment === silentAt ? 'silence' : null);
    const limited = laneWith(times);
    expect(await limited.send(ENVELOPE, MESSAGE, mark)).toMatchObject({ kind });
    expect(marked).toBe(silentAt === 'dot' ? 1 : 0);
    sink.fault = () => null;
    expect(await limited.send(ENVELOPE, MESSAGE, ours)).toMatchObject({ kind: 'sent' });
  });

  test('a mark that takes too long begins no body, even when it comes, and the server is not to blame', async () => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const limited = laneWith({ envelopeMs: 200 });
    expect(await limited.send(ENVELOPE, MESSAGE, () => promise)).toMatchObject({ kind: 'unmarked' });
    resolve(true);
    expect(await limited.send(ENVELOPE, MESSAGE, ours)).toMatchObject({ kind: 'sent' });
    expect(sink.mails).toHaveLength(1);
  });
});

test.each<[Moment, Outcome['kind']]>([
  ['greeting', 'transport'],
  ['RCPT', 'dropped'],
  ['dot', 'unknown'],
])('closed by us while the server is silent at %s, a lane ends its mail', async (silentAt, kind) => {
  const { promise: isSilent, resolve } = Promise.withResolvers<void>();
  sink.fault = (moment) => {
    if (moment !== silentAt) return null;
    resolve();
    return 'silence';
  };
  const outcome = lane.send(ENVELOPE, MESSAGE, ours);
  await isSilent;
  lane.close();
  expect(await outcome).toMatchObject({ kind, reply: 'the connection was closed by us' });
});

describe('what the server can take', () => {
  const commands: string[] = [];
  beforeEach(() => {
    commands.length = 0;
    sink.fault = (moment, line) => {
      if (moment !== 'greeting' && moment !== 'body') commands.push(line);
      return null;
    };
  });

  test('a mail larger than its SIZE fails before it is begun, and the next one goes', async () => {
    sink.extensions = ['SIZE 60'];
    let marked = false;
    const large = Buffer.concat([MESSAGE, Buffer.alloc(100, 'x')]);
    const outcome = await lane.send(ENVELOPE, large, async () => {
      marked = true;
      return true;
    });
    expect([outcome, marked]).toStrictEqual([expect.objectContaining({ kind: 'failed', badAddress: false }), false]);
    expect(await lane.send(ENVELOPE, MESSAGE, ours)).toMatchObject({ kind: 'sent' });
    expect(commands).toContain(`MAIL FROM:<a@example.com> SIZE=${MESSAGE.length}`);
  });

  test('a Japanese mail needs neither 8BITMIME nor SMTPUTF8', async () => {
    sink.extensions = [];
    const message = composeMessage({
      from: { name: '髙﨑 一郎', address: 'a@example.com' },
      to: 'b@example.com',
      subject: 'ご提案 𠮷',
      text: '①㈱髙﨑',
      html: '<p>①㈱髙﨑</p>',
      messageId: '<1@example.com>',
      date: new Date(0),
    });
    expect(message.every((byte) => byte < 0x80)).toBe(true);
    expect(await lane.send(ENVELOPE, message, ours)).toMatchObject({ kind: 'sent' });
    expect(commands).toContain('MAIL FROM:<a@example.com>');
  });

  test.each([
    { ...ENVELOPE, to: '例え@example.com' },
    { ...ENVELOPE, from: 'a@例え.jp' },
    { ...ENVELOPE, bcc: ['c@example.com', 'ｄ@example.com'] },
  ])('an address outside ASCII asks no server: %o', async (envelope) => {
    sink.extensions = ['SMTPUTF8'];
    expect(await lane.send(envelope, MESSAGE, ours)).toMatchObject({ kind: 'unsendable' });
    expect(commands).toStrictEqual([]);
  });
});

describe('DKIM', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const dkim = {
    domain: 'example.com',
    selector: 'test',
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  };
  const sign = async (from: string) => {
    const signing = smtpLane({ ...address(sink.port), dkim });
    onTestFinished(() => signing.close());
    const message = composeMessage({
      from: { name: '担当', address: from },
      to: 'b@example.com',
      subject: 'ご提案',
      text: 'こんにちは\n.\n',
      html: '<p>こんにちは</p>',
      messageId: '<1@example.com>',
      date: new Date(0),
      refusal: { url: 'https://kaitaku.example.jp/u/0123456789abcdef0123456789abcdef' },
    });
    expect(await signing.send({ ...ENVELOPE, from }, message, ours)).toMatchObject({ kind: 'sent' });
    return sink.mails.at(-1)?.source ?? '';
  };

  /** Verifies a DKIM signature (RFC 6376, relaxed/relaxed), independently of the signing code. */
  function verifies(source: string): boolean {
    const gap = source.indexOf('\r\n\r\n');
    const fields = source.slice(0, gap).split(/\r\n(?![ \t])/);
    const body = source.slice(gap + 4);
    const relaxed = (field: string) => {
      const [name = '', ...value] = field.replace(/\r\n/g, '').split(':');
      return `${name.trim().toLowerCase()}:${value
        .join(':')
        .replace(/[ \t]+/g, ' ')
        .trim()}`;
    };
    const [signature = ''] = fields.filter((field) => /^dkim-signature:/i.test(field));
    const tags = new Map(
      signature
        .replace(/^[^:]+:/, '')
        .split(';')
        .map((tag) => [tag.slice(0, tag.indexOf('=')).trim(), tag.slice(tag.indexOf('=') + 1).replace(/\s/g, '')]),
    );
    const lines = body.split('\r\n').map((line) => line.replace(/[ \t]+/g, ' ').replace(/ $/, ''));
    const canonical = `${lines.join('\r\n').replace(/(\r\n)*$/, '')}\r\n`;
    const hash = createHash('sha256').update(canonical, 'latin1').digest('base64');
    const left = fields.slice();
    const signed = (tags.get('h') ?? '').split(':').flatMap((name) => {
      const at = left.findLastIndex((field) => field.toLowerCase().startsWith(`${name.toLowerCase()}:`));
      return at < 0 ? [] : left.splice(at, 1).map(relaxed);
    });
    const data = [...signed, relaxed(signature.replace(/(\bb=)[^;]*$/, '$1'))].join('\r\n');
    const fits = createVerify('RSA-SHA256')
      .update(data, 'latin1')
      .verify(publicKey, tags.get('b') ?? '', 'base64');
    return fits && tags.get('bh') === hash && tags.get('d') === 'example.com' && tags.get('s') === 'test';
  }

  test.each(['sales@example.com', 'sales@mail.example.com'])('signs a mail of its domain, from %s', async (from) => {
    const source = await sign(from);
    expect(verifies(source)).toBe(true);
    expect(verifies(source.replace('b@example.com', 'c@example.com'))).toBe(false);
    const signed = /\bh=([^;]*)/.exec(source)?.[1]?.replace(/\s/g, '').split(':');
    const wanted = ['from', 'to', 'subject', 'date', 'message-id', 'list-unsubscribe', 'list-unsubscribe-post'];
    expect(signed).toStrictEqual(expect.arrayContaining(wanted));
  });

  test('lawful 58: a changed field for one click breaks the signature', async () => {
    const source = await sign('sales@example.com');
    expect(verifies(source.replace('List-Unsubscribe=One-Click', 'List-Unsubscribe=Other'))).toBe(false);
    expect(verifies(source.replace('/u/0123', '/u/9123'))).toBe(false);
  });

  test.each(['sales@example.co.jp', 'sales@notexample.com'])('leaves a mail from %s as it is', async (from) => {
    expect(await sign(from)).not.toMatch(/^dkim-signature/im);
  });

  test('sends nothing unsigned where the key fails', async () => {
    const broken = smtpLane({ ...address(sink.port), dkim: { ...dkim, privateKey: 'no key' } });
    onTestFinished(() => broken.close());
    expect(await broken.send(ENVELOPE, MESSAGE, ours)).toMatchObject({ kind: 'unsendable' });
    expect(sink.mails).toHaveLength(0);
  });
});
