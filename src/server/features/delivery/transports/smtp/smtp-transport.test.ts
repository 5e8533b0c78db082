import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import type { DkimKey } from '#server/platform/mail/dkim.ts';
import { emptyDatabase } from '#test/db.ts';
import { addTenant } from '#test/prospects.ts';
import { acceptRun, testSink, untilSettled, workerBy } from '#test/sending.ts';
import { smtpTransport } from './smtp-transport.ts';

/** Sends a mail, a copy and a test mail. @returns their envelope senders, and the keys of the mails */
async function send(pattern: string | null, dkim: DkimKey | null = null) {
  const database = await emptyDatabase();
  const tenant = await addTenant(database.db);
  await database.db.updateTable('sender_profile').set({ bcc: 'copy@own.example' }).execute();
  await acceptRun(database, tenant, 1);
  await acceptRun(database, tenant, 1, { test: true });
  const sink = await testSink();
  const { port } = sink;
  const settings = { host: '127.0.0.1', port, secure: false, requireTls: false, credentials: null, dkim };
  const worker = workerBy(database, smtpTransport(settings, pattern));
  await untilSettled(database.db);
  await worker.stop();
  const mails = await database.db.selectFrom('delivery').select(['mail_to', 'mail_key']).orderBy('id').execute();
  const { email } = await database.db.selectFrom('sender_profile').select('email').executeTakeFirstOrThrow();
  return {
    senders: mails.map(({ mail_to }) => sink.mails.find(({ to }) => to.includes(mail_to ?? ''))?.from),
    keys: mails.map(({ mail_key }) => mail_key?.replaceAll('-', '')),
    email,
    headers: sink.mails.map(({ source }) => /^From: .*<(.*)>/m.exec(source)?.[1]),
    signedBy: sink.mails.map(({ source }) => /^DKIM-Signature:[^:]*; d=([^;]*);/m.exec(source)?.[1]),
    refusals: mails.map(({ mail_to }) => {
      const source = sink.mails.find(({ to }) => to.includes(mail_to ?? ''))?.source ?? '';
      return /^List-Unsubscribe: <[^>]+>, <mailto:(.*)\?subject=unsubscribe>\r$/m.exec(source)?.[1];
    }),
  };
}

test('mails leave with a return address of their own, tests too; the field From stays', async () => {
  const { senders, keys, email, headers, refusals } = await send('b-{key}@bounce.example');
  expect(senders).toStrictEqual(keys.map((key) => `b-${key}@bounce.example`));
  expect(headers).toStrictEqual([email, email]);
  expect(refusals).toStrictEqual(keys.map((key) => `u-${key}@bounce.example`));
});

test('without a pattern they leave with the address of the sender', async () => {
  const { senders, email, refusals } = await send(null);
  expect(senders).toStrictEqual([email, email]);
  expect(refusals).toStrictEqual([undefined, undefined]);
});

test('the key of the domain in From signs, whatever the domain of the return address', async () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  const keyOf = (domain: string): DkimKey => ({ domain, selector: 'test', privateKey: pem });
  const own = await send('b-{key}@bounce.example', keyOf('example.com'));
  expect(own.email).toMatch(/@example\.com$/);
  expect(own.signedBy).toStrictEqual(['example.com', 'example.com']);
  const foreign = await send('b-{key}@bounce.example', keyOf('bounce.example'));
  expect(foreign.signedBy).toStrictEqual([undefined, undefined]);
});
