import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { TEMPLATE_ID } from '#test/mails.ts';
import { freePort } from '#test/program.ts';
import { type FakeSendGrid, testSendGrid } from '#test/sendgrid.ts';
import { sendBySendGrid } from './send.ts';

let fake: FakeSendGrid;
const mark = vi.fn(async () => true);

beforeEach(async () => {
  fake = await testSendGrid();
  mark.mockReset().mockImplementation(async () => true);
});

const mail = (addresses: readonly string[], more: object = {}) => ({
  from: { email: 'sender@example.com', name: '担当' },
  template_id: TEMPLATE_ID,
  personalizations: addresses.map((email) => ({ to: [{ email }] })),
  ...more,
});

const send = (addresses: readonly string[] = ['a@a.example', 'b@a.example'], settings: object = {}, more = {}) =>
  sendBySendGrid({ ...fake, ...settings }, mail(addresses, more), addresses.length, mark, {
    times: { openMs: 300, answerMs: 500 },
  });

test("an accepted request is sent, with SendGrid's message id as reply", async () => {
  const sent = { kind: 'sent', reply: '202 x-message-id: id-1' };
  expect(await send()).toStrictEqual([sent, sent]);
  // SendGrid itself adds no way to refuse, whatever its account is set to.
  const withoutTracking = { tracking_settings: { subscription_tracking: { enable: false } } };
  expect(fake.requests).toStrictEqual([mail(['a@a.example', 'b@a.example'], withoutTracking)]);
  expect(mark).toHaveBeenCalledTimes(1);
});

test('the limits and errors of its reference', async () => {
  expect(await send(['a@a.example', 'no address', 'c@a.example'])).toMatchObject([
    { kind: 'not-taken' },
    {
      kind: 'failed',
      badAddress: true,
      reply: '400 Does not contain a valid address. (personalizations.1.to.0.email)',
    },
    { kind: 'not-taken' },
  ]);
  expect((await send(Array.from({ length: 1001 }, (_, n) => `a${n}@a.example`)))[0]).toMatchObject({
    kind: 'failed',
    reply: expect.stringContaining('limited to 1000'),
  });
  expect((await send(['a@a.example'], {}, { from: { email: 'nobody' } }))[0]).toMatchObject({ kind: 'sender-refused' });
  expect((await send(['a@a.example'], {}, { template_id: 'welcome' }))[0]).toMatchObject({ kind: 'failed' });
  expect(fake.mails).toHaveLength(0);
});

test('a wrong API key is a transport fault, and its text is not shown', async () => {
  const [outcome] = await send(['a@a.example'], { apiKey: 'SG.secret-canary' });
  expect(outcome).toMatchObject({ kind: 'transport', reply: expect.stringContaining('authorization grant') });
  fake.fault = () => ({ status: 400, errors: [{ message: `what is ${fake.apiKey}?`, field: null }] });
  expect((await send())[0]).toMatchObject({ kind: 'failed', reply: '400 what is ***?' });
});

test('a 429 pauses for as long as SendGrid asks', async () => {
  const reset = (headers: Record<string, string>) => {
    fake.fault = () => ({ status: 429, errors: [{ message: 'too many requests', field: null }], headers });
    return send();
  };
  const date = new Date(1_392_815_200_000).toUTCString();
  expect((await reset({ 'x-ratelimit-reset': '1392815263', date }))[0]).toMatchObject({ kind: 'limited', seconds: 63 });
  expect((await reset({ 'retry-after': '5' }))[0]).toMatchObject({ kind: 'limited', seconds: 5 });
  expect((await reset({ 'x-ratelimit-reset': 'soon' }))[0]).toMatchObject({ kind: 'limited', seconds: 60 });
});

test('an unreachable server is a transport fault, and no mail is marked', async () => {
  const url = new URL(`http://127.0.0.1:${await freePort()}`);
  expect(await send(['a@a.example'], { url })).toMatchObject([{ kind: 'transport' }]);
  // A TLS client meets a server without TLS.
  expect(await send(['a@a.example'], { url: new URL(`https://127.0.0.1:${fake.url.port}`) })).toMatchObject([
    { kind: 'transport' },
  ]);
  // A server that accepts the connection and never answers.
  const mute = createServer((socket) => onTestFinished(() => void socket.destroy())).listen(0, '127.0.0.1');
  onTestFinished(() => void mute.close());
  await once(mute, 'listening');
  const { port } = mute.address() as AddressInfo;
  expect(await send(['a@a.example'], { url: new URL(`https://127.0.0.1:${port}`) })).toStrictEqual([
    { kind: 'transport', reply: 'no connection in time' },
  ]);
  expect(mark).not.toHaveBeenCalled();
});

test.each(['close', 'take, close', 'silence', 'take, silence'] as const)(
  'no answer behind a whole request (%s): unknown',
  async (fault) => {
    fake.fault = () => fault;
    const [first, second] = await send();
    expect([first, second]).toMatchObject([{ kind: 'unknown' }, { kind: 'unknown' }]);
  },
);

test('a link that breaks within a large body: it was not all there, and goes again', async () => {
  const cut = createServer((socket) => socket.once('data', () => socket.destroy())).listen(0, '127.0.0.1');
  onTestFinished(() => void cut.close());
  await once(cut, 'listening');
  const { port } = cut.address() as AddressInfo;
  const large = { subject: 'x'.repeat(20_000_000) };
  expect(await send(['a@a.example'], { url: new URL(`http://127.0.0.1:${port}`) }, large)).toMatchObject([
    { kind: 'deferred' },
  ]);
});

test('no byte is sent after a refused or failed mark', async () => {
  mark.mockImplementation(async () => false);
  expect(await send()).toStrictEqual([{ kind: 'claim-lost' }, { kind: 'claim-lost' }]);
  mark.mockImplementation(() => Promise.reject(new Error('no database')));
  expect(await send()).toMatchObject([{ kind: 'unmarked', reply: 'no database' }, { kind: 'unmarked' }]);
  expect(fake.requests).toHaveLength(0);
});

test('a request that we abort ends at once: its mails are unknown if SendGrid may have read them', async () => {
  const request = new AbortController();
  fake.fault = () => {
    // The worker shuts down while SendGrid does not answer.
    setImmediate(() => request.abort());
    return 'silence';
  };
  const outcome = await sendBySendGrid(fake, mail(['a@a.example']), 1, mark, { signal: request.signal });
  expect(outcome).toStrictEqual([{ kind: 'unknown', reply: 'the connection was closed by us' }]);
});
