import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeEach, expect, test } from 'vitest';
import type { Mailer, SystemMail } from '#server/platform/mail/system-mail.ts';
import { outboundWith } from '#server/platform/outbound/outbound.ts';
import { isPublicAddress } from '#server/platform/outbound/public-address.ts';
import { addMember } from '#test/accounts.ts';
import { selfSigned } from '#test/certificate.ts';
import { clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { serveZone } from '#test/dns-zone.ts';
import { addTestMailbox } from '#test/mailboxes.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { testSecrets } from '#test/secrets.ts';
import { eventually, testSink } from '#test/sending.ts';
import type { SmtpSink } from '#test/smtp-sink.ts';
import { testMailer } from '#test/system-mail.ts';
import { mailerByMailboxes } from './system-mails.ts';

const HOST = 'mail.haru.example';
const OURS = selfSigned({ host: HOST });
const authorities = getCACertificates('default');
setDefaultCACertificates([...authorities, OURS.cert]);
afterAll(() => setDefaultCACertificates(authorities));

let database: TestDatabase;
let tenant: Tenant;
let catcher: SmtpSink;
let sink: SmtpSink;
let mailer: Mailer;
let logged: object[];

beforeEach(async () => {
  logged = [];
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  catcher = await testSink();
  sink = await testSink();
  sink.tls = { ...OURS, from: 'STARTTLS' };
  sink.login = { user: 'aya', pass: 'secret of the mailbox' };
  const zone = await serveZone({ [`A ${HOST}`]: ['127.0.0.1'] });
  const inner = outboundWith({
    dnsServers: [zone.server],
    mayReach: (address) => isPublicAddress(address) || address === '127.0.0.1',
  });
  const outbound = { ...inner, connect: () => inner.connect(HOST, sink.port) };
  const services = { secrets: testSecrets, outbound, now: Date.now };
  mailer = mailerByMailboxes({
    db: database.api,
    services,
    caught: testMailer(catcher),
    log: { warn: (what: object) => logged.push(what) },
  });
});

const MAIL = { to: 'hana@natsu.example', subject: '件名', text: '本文', html: '' };
const send = (reader: SystemMail['reader'], more: Partial<SystemMail> = {}) => mailer({ ...MAIL, reader, ...more });
const box = (info: Parameters<typeof addTestMailbox>[2] = {}) =>
  addTestMailbox(database.db, tenant.accountId, { smtp_host: HOST, ...info });

test('without a mailbox they are caught, which their caller learns', async () => {
  expect(await send({ memberOf: tenant.accountId })).toMatchObject({ kind: 'sent', isCaught: true });
  expect(catcher.mails).toHaveLength(1);
});

test('they leave by the first usable shared mailbox, else by an admin’s, and by no colleague’s', async () => {
  const [admin, sales] = [
    await addMember(database.db, tenant.accountId, { role: 'admin' }),
    await addMember(database.db, tenant.accountId, { role: 'sales' }),
  ];
  const from = async () => {
    sink.mails.length = 0;
    const outcome = await send('anybody', { accountId: tenant.accountId });
    return sink.mails[0]?.from ?? (outcome.kind === 'sent' ? null : outcome);
  };
  await box({ owner_id: sales, address: 'sales@haru.example' });
  expect(await from()).toBeNull();
  await box({ owner_id: admin, address: 'admin@haru.example' });
  expect(await from()).toBe('admin@haru.example');
  const shared = await box({ address: 'info@haru.example' });
  await box({ address: 'later@haru.example' });
  expect(await from()).toBe('info@haru.example');
  await database.db.updateTable('mailbox').set({ state: 'reconnect' }).where('id', '=', shared).execute();
  expect(await from()).toBe('later@haru.example');
  expect(sink.mails[0]?.source).toContain('From: Kaitaku <later@haru.example>');
  await database.db.updateTable('mailbox').set({ state: 'off' }).where('owner_id', 'is', null).execute();
  await database.db.updateTable('member').set({ active: false }).where('id', '=', admin).execute();
  expect(await from()).toBeNull();
});

test('those of another account and of visitors do not', async () => {
  await box();
  const other = await addTenant(database.db);
  await send({ memberOf: other.accountId });
  await send('anybody');
  expect([sink.mails.length, catcher.mails.length]).toStrictEqual([0, 2]);
});

test('a paused mailbox, one without its key, and a refused log-in send none, and no other server does', async () => {
  const id = await box();
  const paused = { paused_until: new Date(Date.now() + 60_000), why: 'fault' };
  await database.db.updateTable('mailbox_state').set(paused).execute();
  expect(await send({ memberOf: tenant.accountId })).toMatchObject({ kind: 'transport' });
  await database.db
    .updateTable('mailbox_state')
    .set({ paused_until: new Date(Date.now() - 1000) })
    .execute();
  sink.login = { user: 'aya', pass: 'other' };
  expect(await send({ memberOf: tenant.accountId })).toMatchObject({ kind: 'transport' });
  await database.db.updateTable('mailbox').set({ secret_key: 1 }).where('id', '=', id).execute();
  expect(await send({ memberOf: tenant.accountId })).toMatchObject({ kind: 'transport' });
  expect([sink.mails.length, catcher.mails.length]).toStrictEqual([0, 0]);
});

test('an invitation that is caught says so; by a mailbox it arrives', async () => {
  const client = await clientOf({ ...database, mailer }, tenant.accountId);
  const invitations = async () => (await client.get('/invitation/list')).body as { id: number; mail_state: string }[];
  await client.post('/invitation', { add_info: { emails: ['hana@natsu.example'], role: 'sales' } });
  await eventually(invitations, ([one]) => one?.mail_state === 'caught');
  const [invitation] = await invitations();
  const again = () => client.post(`/invitation/${invitation?.id}/send`, {});
  expect(await again()).toMatchObject({ status: 200, body: { status: 'caught' } });
  await box();
  expect(await again()).toMatchObject({ status: 200, body: { status: 'sent' } });
  expect(await invitations()).toMatchObject([{ mail_state: 'sent' }]);
  expect(sink.mails).toMatchObject([{ from: 'aya@haru.example', to: ['hana@natsu.example'] }]);
  const paused = { paused_until: new Date(Date.now() + 60_000), why: 'fault' };
  await database.db.updateTable('mailbox_state').set(paused).execute();
  expect(await again()).toMatchObject({ status: 503, body: { code: 'mail_not_sent' } });
});

test('what cannot be read is an outcome, and is logged with its cause', async () => {
  const id = await box();
  await database.db
    .updateTable('mailbox')
    .set({ secret: Buffer.alloc(60) })
    .where('id', '=', id)
    .execute();
  expect(await send({ memberOf: tenant.accountId })).toMatchObject({ kind: 'unmarked' });
  expect(logged).toMatchObject([{ err: expect.objectContaining({ name: 'SealBroken' }) }]);
  expect([sink.mails.length, catcher.mails.length]).toStrictEqual([0, 0]);
});
