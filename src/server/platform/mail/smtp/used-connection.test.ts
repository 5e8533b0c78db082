import { beforeEach, expect, test } from 'vitest';
import { testSink } from '#test/sending.ts';
import type { Fault, Moment, SmtpSink } from '#test/smtp-sink.ts';
import type { Outcome } from '../outcome.ts';
import { type SmtpLane, smtpLane } from './connection.ts';
import { SMTP_TIMES } from './settings.ts';

const ENVELOPE = { from: 'a@example.com', to: 'b@example.com', bcc: [] };
const MESSAGE = Buffer.from('Message-ID: <1@example.com>\r\n\r\nbody\r\n');
const ours = async () => true;

let sink: SmtpSink;
let lane: SmtpLane;
let connections: number;

beforeEach(async () => {
  sink = await testSink();
  connections = 0;
  const address = { host: '127.0.0.1', port: sink.port, secure: false, requireTls: false, credentials: null };
  lane = smtpLane(address, { ...SMTP_TIMES, envelopeMs: 2000 });
  return () => lane.close();
});

/** @param fault returns the server's fault at a moment of a mail; `taken` counts the connection's earlier mails */
const serverThat = (fault: (moment: Moment, taken: number) => Fault | null) => {
  sink.fault = (moment, _line, taken) => {
    if (moment === 'greeting') connections += 1;
    return fault(moment, taken);
  };
};

test.each<[Moment, Fault]>([
  ['MAIL', 'close'],
  ['MAIL', 'reset'],
  ['MAIL', 'silence'],
  ['MAIL', 'garbage'],
  ['MAIL', '421 4.3.2 closing'],
  ['MAIL', '451 4.7.1 too much mail in this session'],
  ['MAIL', '550 5.7.1 too much mail in this session'],
])('a fault at %s (%s) of a used connection: the mail goes at once on a fresh one', async (at, fault) => {
  serverThat((moment, taken) => (moment === at && taken > 0 ? fault : null));
  for (let n = 0; n < 2; n += 1) expect(await lane.send(ENVELOPE, MESSAGE, ours)).toMatchObject({ kind: 'sent' });
  expect(connections).toBe(2);
  expect(sink.mails).toHaveLength(2);
});

test.each<[Moment, Fault, Outcome['kind']]>([
  ['RCPT', 'close', 'dropped'],
  ['RCPT', '421 4.3.2 closing', 'dropped'],
  ['DATA', 'close', 'dropped'],
  ['dot', 'close', 'unknown'],
])(
  'a fault at %s (%s) of a used connection: the mail itself may be to blame, so it counts',
  async (at, fault, kind) => {
    serverThat((moment, taken) => (moment === at && taken > 0 ? fault : null));
    await lane.send(ENVELOPE, MESSAGE, ours);
    expect(await lane.send(ENVELOPE, MESSAGE, ours)).toMatchObject({ kind });
    expect(connections).toBe(1);
  },
);

test('a fault of the fresh connection, too: that fault counts, there is no third connection', async () => {
  serverThat((moment) => (moment === 'MAIL' && sink.mails.length > 0 ? 'close' : null));
  await lane.send(ENVELOPE, MESSAGE, ours);
  expect(await lane.send(ENVELOPE, MESSAGE, ours)).toMatchObject({ kind: 'dropped' });
  expect(connections).toBe(2);
});

test('closed by us while a used connection is silent, the lane opens no other', async () => {
  const { promise: isSilent, resolve } = Promise.withResolvers<void>();
  serverThat((moment, taken) => {
    if (moment !== 'MAIL' || taken === 0) return null;
    resolve();
    return 'silence';
  });
  await lane.send(ENVELOPE, MESSAGE, ours);
  const outcome = lane.send(ENVELOPE, MESSAGE, ours);
  await isSilent;
  lane.close();
  expect(await outcome).toMatchObject({ kind: 'dropped', reply: 'the connection was closed by us' });
  expect(connections).toBe(1);
});
