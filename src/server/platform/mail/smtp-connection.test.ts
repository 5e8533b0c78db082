import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { testSink } from '#test/sending.ts';
import type { SmtpSink } from '#test/smtp-sink.ts';
import { type SmtpLane, smtpLane } from './smtp-connection.ts';

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
});

test('the mark is asked for after the 354 and before the body', async () => {
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

test('STARTTLS that is required and not offered: not a word in plain text', async () => {
  const wary = smtpLane({ host: '127.0.0.1', port: sink.port, secure: false, requireTls: true, credentials: null });
  onTestFinished(() => wary.close());
  expect(await wary.send(ENVELOPE, MESSAGE, ours)).toMatchObject({ kind: 'transport' });
  expect(sink.mails).toHaveLength(0);
});

test('nobody there', async () => {
  await sink.close();
  expect(await lane.send(ENVELOPE, MESSAGE, ours)).toMatchObject({ kind: 'transport' });
});
