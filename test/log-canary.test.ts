import { generateKeyPairSync } from 'node:crypto';
import PostalMime from 'postal-mime';
import { expect, test } from 'vitest';
import { createAccount } from '#server/features/account/account.command.ts';
import { startDeliveryWorker } from '#server/features/delivery/delivery-worker.ts';
import { smtpTransport } from '#server/features/delivery/transports/smtp/smtp-transport.ts';
import { acceptSend } from '#server/features/runs/accept.command.ts';
import { confirmAddress } from '#server/features/sender-addresses/confirmed-address.queries.ts';
import { createLog } from '#server/platform/log.ts';
import { type DkimKey, readDkim } from '#server/platform/mail/dkim.ts';
import { systemMailer } from '#server/platform/mail/system-mail.ts';
import { serveApp } from './client.ts';
import { testDatabase } from './db.ts';
import { TEST_MAILING } from './mailing.ts';
import { addProspects, addSender, addSenderGroup } from './prospects.ts';
import { eventually, testSink, untilSettled } from './sending.ts';

/** Texts that exist only where the test planted them: anywhere else they have leaked. */
const PASSWORD = 'canary-password-7d1f';
const WRONG_PASSWORD = 'canary-wrong-password-0c2e';
const SMTP_PASSWORD = 'canary-smtp-password-55ab';
const EMAIL = 'canary.account@example.com';
const SENDER = 'sender@example.com';
const PROSPECT = 'canary.prospect@example.net';
const TEST_ADDRESS = 'canary.test@example.org';
const SUBJECT = 'canary件名9b3c';
const BODY = 'canary本文1e8a';
const REMARK = 'canary備考77d0';
const FILTER = 'canary絞り込み2f41';
const SECRET_IN_PATH = 'canaryKx7vQ2mZ9pL4tR8wN1cB6yH3sD5fG0jEaUiO';

/** A valid key and an invalid one: the latter's fault is logged, but not the key. */
const { privateKey: DKIM_KEY } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const BROKEN_DKIM_KEY = DKIM_KEY.replaceAll(/^[\w+/]{64}$/gm, (line) => [...line].reverse().join(''));
const linesOfKey = (pem: string) => pem.split('\n').filter((line) => line !== '' && !line.startsWith('-----'));

const base64 = (text: string) => Buffer.from(text).toString('base64');

test('no secret is in the log or in a refusal', async () => {
  const database = await testDatabase();
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  const account = { email: EMAIL, name: '山田', company: '会社', password: PASSWORD };
  const accountId = (await createAccount(database.db, account)) as number;
  await confirmAddress(database.db, accountId, EMAIL);
  const sink = await testSink();
  const dkim = { domain: 'example.com', selector: 'canary', privateKey: DKIM_KEY };
  const smtp = { host: '127.0.0.1', port: sink.port, secure: false, requireTls: false, dkim };
  const mailerBy = (key: DkimKey) =>
    systemMailer({
      smtp: { ...smtp, dkim: key, credentials: null },
      from: async () => ({ name: 'Kaitaku', address: SENDER }),
      now: Date.now,
      log,
    });
  const mailer = mailerBy(dkim);
  const { address } = await serveApp({ ...database, mailer }, Date.now, { logger: log });
  const answers: string[] = [];

  const ask = async (method: string, path: string, body?: object | string, token?: string) => {
    const response = await fetch(path.startsWith('http') ? path : address + path, {
      method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.status >= 400) answers.push(text);
    return { status: response.status, text };
  };

  // Log in, with the right and a wrong password.
  const { text } = await ask('POST', '/auth/login', { email: EMAIL, password: PASSWORD });
  const { token } = JSON.parse(text) as { token: string };
  await ask('POST', '/auth/login', { email: EMAIL, password: WRONG_PASSWORD });
  await ask('POST', '/auth/login', `{"email":"${EMAIL}","password":"${PASSWORD}"`);
  await ask('POST', '/auth/login', { email: EMAIL, password: PASSWORD, admin: PASSWORD });
  await ask('PUT', `/auth/password/${accountId}`, { password: WRONG_PASSWORD, new_password: PASSWORD }, token);

  // Send secrets in wrong places.
  const { origin } = new URL(address);
  await ask('GET', `${origin}/confirmation/${SECRET_IN_PATH}?email=${EMAIL}`);
  await ask('GET', `${origin}/${SECRET_IN_PATH}`);
  await ask('GET', `${address}/auth/${SECRET_IN_PATH}/${EMAIL}`);
  await ask('GET', `${address}/account/%zz${SECRET_IN_PATH}`);
  await ask('GET', `/account/${EMAIL}?token=${token}`, undefined, token);
  await ask('GET', `/prospect/view?sender_group_id=1&address=${FILTER}&company_email=${EMAIL}`, undefined, token);

  // Request a password reset link, and use invalid links.
  await ask('POST', '/auth/password_reset', { email: EMAIL });
  const [link] = await eventually(
    () => sink.mails,
    ({ length }) => length > 0,
  );
  const [resetKey = ''] =
    /(?<=\/password-reset\/)[\w-]{43}/.exec((await PostalMime.parse(link?.source ?? '')).text ?? '') ?? [];
  expect(resetKey).toHaveLength(43);
  await ask('GET', `${origin}/password-reset/${SECRET_IN_PATH}`);
  await ask('GET', `${origin}/setup/${SECRET_IN_PATH}`);
  for (const key of [SECRET_IN_PATH, { key: resetKey }])
    await ask('POST', '/auth/password_reset/confirm', { key, new_password: PASSWORD });
  await ask('POST', '/setup', { key: resetKey, company: '会社', name: '氏名', email: EMAIL, new_password: PASSWORD });

  // Make the database fail, with an error that quotes its input.
  const senderGroupId = await addSenderGroup(database.db, accountId);
  const senderId = await addSender(database.db, { accountId, senderGroupId });
  const [prospect = 0, other = 0] = await addProspects(database.db, accountId, [
    { company_name: '株式会社一', company_email: PROSPECT },
    { company_name: '株式会社二', company_email: `second.${PROSPECT}` },
  ]);
  const save = () => {
    const row = { prospect_id: prospect, sender_group_id: senderGroupId, active: 1, remarks: REMARK };
    return ask('POST', '/active_prospect/', { add_info: row, duplicate_key_update_info: { remarks: REMARK } }, token);
  };
  await database.pool.query(`ALTER TABLE active_prospect ADD CONSTRAINT planted CHECK (remarks NOT LIKE 'canary%')`);
  expect((await save()).status).toBe(500);
  await database.pool.query('ALTER TABLE active_prospect DROP CONSTRAINT planted');
  await database.pool.query(`
    CREATE FUNCTION planted() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM NEW.remarks::date; RETURN NEW; END $$;
    CREATE TRIGGER planted BEFORE INSERT ON active_prospect FOR EACH ROW EXECUTE FUNCTION planted()`);
  expect((await save()).status).toBe(500);
  await database.pool.query('DROP TRIGGER planted ON active_prospect');

  // Make the mail server refuse, with replies that quote the addresses and the password.
  await database.db.updateTable('sender').set({ subject: SUBJECT }).execute();
  await database.db
    .updateTable('sender_profile')
    .set({ bcc: `copy.${EMAIL}` })
    .execute();
  await database.db
    .updateTable('mail_template')
    .set({ text_body: BODY, html_body: `<p>${BODY}</p>` })
    .execute();
  const refused: Record<string, `${number} ${string}`> = {
    RCPT: `550 5.1.1 <${PROSPECT}>: no such user, says ${EMAIL}`,
    dot: `554 5.7.1 from=<${SENDER}> to="${PROSPECT}"@x.jp smtp://user:${SMTP_PASSWORD}@mx.example.com`,
  };
  sink.fault = (moment, line) => (moment === 'RCPT' && line.includes('second.') ? null : (refused[moment] ?? null));
  const send = (test_send_mode: 0 | 1, ids: number[]) =>
    acceptSend(
      database.account(accountId),
      {
        senderId,
        body: { test_send_mode, attack_list: ids.map((prospect_id) => ({ prospect_id, company_email: TEST_ADDRESS })) },
        idempotencyKey: null,
        ...TEST_MAILING,
      },
      Date.now(),
    );
  const work = async (credentials: { user: string; pass: string } | null, done: () => Promise<unknown>) => {
    const parts = { db: database.service.db, now: Date.now, connections: 1, log };
    const worker = startDeliveryWorker({ ...parts, transport: smtpTransport({ ...smtp, credentials }) });
    await done();
    await worker.stop();
  };
  expect(await send(1, [prospect])).toMatchObject({ accepted: 1 });
  expect(await send(0, [prospect, other])).toMatchObject({ accepted: 2 });
  await work(null, () => untilSettled(database.db));
  const systemMail = { to: EMAIL, subject: SUBJECT, text: BODY, html: BODY, reader: 'anybody' } as const;
  await mailer(systemMail);
  await mailerBy({ ...dkim, privateKey: BROKEN_DKIM_KEY })(systemMail);
  const faults = readDkim({ DKIM_DOMAIN: dkim.domain, DKIM_SELECTOR: '', DKIM_PRIVATE_KEY: BROKEN_DKIM_KEY });
  answers.push(...(faults as string[]));
  await database.db.deleteFrom('suppression').execute();
  const [third = 0] = await addProspects(database.db, accountId, [
    { company_name: '株式会社三', company_email: `third.${PROSPECT}` },
  ]);
  expect(await send(0, [third])).toMatchObject({ accepted: 1 });
  const before = lines.length;
  await work({ user: EMAIL, pass: SMTP_PASSWORD }, () =>
    eventually(
      () => lines.length,
      (count) => count > before,
    ),
  );

  const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const everything = [...lines, ...answers].join('\n');
  // The expected lines are present, so that an empty log cannot pass.
  expect(entries.filter(({ msg }) => msg === 'request').length).toBeGreaterThanOrEqual(13);
  expect(entries.filter(({ msg }) => msg === 'request failed')).toHaveLength(2);
  expect(entries.filter(({ msg }) => msg === 'mail not sent').length).toBeGreaterThanOrEqual(4);
  expect(entries.filter(({ msg }) => msg === 'system mail not sent')).toHaveLength(2);
  expect(everything).toContain('DKIM署名を付けられなかった');
  expect(everything).toContain('DKIM_PRIVATE_KEY は');
  expect(everything).toContain('550 5.1.1 <c***@example.net>: no such user, says c***@example.com');
  expect(everything).toContain('"path":"/confirmation/…"');
  expect(entries.find(({ msg, status }) => msg === 'request' && status === 500)).toMatchObject({
    reqId: expect.any(String),
    method: 'POST',
    path: '/api/v1/active_prospect/',
    ms: expect.any(Number),
  });
  // The log contains none of the secrets.
  const secrets = [
    PASSWORD,
    WRONG_PASSWORD,
    SMTP_PASSWORD,
    token,
    SECRET_IN_PATH,
    resetKey,
    SUBJECT,
    BODY,
    REMARK,
    FILTER,
    EMAIL,
    SENDER,
    PROSPECT,
    TEST_ADDRESS,
    'canary.',
    ...[SUBJECT, BODY, SMTP_PASSWORD, `\0${EMAIL}\0${SMTP_PASSWORD}`].map(base64),
    ...[EMAIL, FILTER].map(encodeURIComponent),
    ...[DKIM_KEY, BROKEN_DKIM_KEY].flatMap(linesOfKey),
  ];
  expect(secrets.filter((secret) => everything.includes(secret))).toStrictEqual([]);
  expect(answers.every((answer) => Buffer.byteLength(answer) < 1000)).toBe(true);
});
