import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { openInbox } from '#server/features/inbox/imap-session.ts';
import { startInboxReader } from '#server/features/inbox/inbox-reader.ts';
import { accountDbOf } from '#server/platform/account-db.ts';
import type { InboxSettings } from '#server/platform/mail/inbox-settings.ts';
import { type TestDatabase, testDatabase } from '#test/db.ts';
import { dsnMail, postfixGroup, RETURN_PATTERN, rawMail } from '#test/inbox-mails.ts';
import { NO_DNS } from '#test/no-dns.ts';
import { addDelivery } from '#test/prospect-history.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { eventually } from '#test/sending.ts';
import { type Dovecot, startDovecot } from './dovecot.ts';

/** Reads the inbox of a real IMAP server: Debian's Dovecot. */

let dovecot: Dovecot;
let database: TestDatabase;
let tenant: Tenant;

beforeAll(async () => {
  dovecot = await startDovecot();
});
afterAll(() => dovecot.stop());

beforeEach(async () => {
  database = await testDatabase();
  tenant = await addTenant(database.db);
});

const settings = (more: Partial<InboxSettings> = {}): InboxSettings => {
  const { port, user, password } = dovecot;
  return {
    host: '127.0.0.1',
    port,
    secure: false,
    requireTls: false,
    user,
    password,
    mailbox: 'INBOX',
    done: null,
    name: 'imap://inbox',
    ...more,
  };
};

function start(more: Partial<InboxSettings> = {}): void {
  const { db } = database.service;
  const stop = startInboxReader({
    db,
    now: Date.now,
    accountDb: accountDbOf(db),
    dnsServers: NO_DNS.dnsServers,
    name: 'imap://inbox',
    open: () => openInbox(settings(more)),
    returnPattern: RETURN_PATTERN,
    log: pino({ level: 'silent' }),
    retryMs: 100,
  });
  onTestFinished(stop);
}

const row = () => database.db.selectFrom('inbox').selectAll().executeTakeFirst();
const failed = async () =>
  (await database.db.selectFrom('delivery').select('id').where('state', '=', 'failed').execute()).length;

/** Adds mails that were sent. @returns the report of each that it came back */
async function bouncedMails(count: number): Promise<Buffer[]> {
  const companies = Array.from({ length: count }, (_, n) => ({ company_name: `会社${n}` }));
  const ids = await addProspects(database.db, tenant.accountId, companies);
  for (const id of ids)
    await addDelivery(database.db, tenant, id, { state: 'sent', mailTo: `info${id}@midori.example` });
  const rows = await database.db
    .updateTable('delivery')
    .set({ finished_at: new Date() })
    .returning(['mail_key', 'mail_to'])
    .execute();
  return rows.map(({ mail_key, mail_to }) =>
    dsnMail({
      key: mail_key?.replaceAll('-', '') ?? '',
      groups: [postfixGroup(mail_to ?? '', '5.1.1', 'smtp; 550 User unknown')],
    }),
  );
}

test('mails that are there and mails that come are taken, and the mailbox stays as it was', async () => {
  const [first, ...others] = await bouncedMails(51);
  dovecot.deliver(rawMail([['From', 'a@b.example']], `${'x'.repeat(70)}\n`.repeat(100_000)));
  dovecot.deliver(first ?? expect.unreachable());
  start();
  await eventually(failed, (count) => count === 1);
  await eventually(row, (found) => found?.read_at instanceof Date);
  for (const mail of others) dovecot.deliver(mail);
  await eventually(failed, (count) => count === 51);
  await eventually(row, (found) => found?.mails === 52);
  expect(await row()).toMatchObject({ unmatched: 1, skipped: 0, fault: null });
  expect(dovecot.unseen()).toHaveLength(52);
  expect(dovecot.log()).not.toMatch(/Error|Panic/);
});

test('with INBOX_DONE mails that had an effect are moved, unseen; the others stay', async () => {
  dovecot.deliver(rawMail([['From', 'a@b.example']], 'x'));
  for (const mail of await bouncedMails(7)) dovecot.deliver(mail);
  const before = dovecot.unseen().length;
  start({ done: ['Kaitaku', '読んだ'] });
  await eventually(failed, (count) => count === 7);
  await eventually(row, (found) => found?.read_at instanceof Date);
  // &iq0wkzBg- is 読んだ in the encoding of IMAP (RFC 3501, 5.1.3).
  expect(dovecot.unseen().filter((file) => file.includes('/.Kaitaku.&iq0wkzBg-/'))).toHaveLength(7);
  expect(dovecot.unseen()).toHaveLength(before);
  expect(dovecot.log()).not.toMatch(/Error|Panic/);
});

test.each([
  ['login', { password: 'wrong' }],
  ['mailbox', { mailbox: 'Nowhere' }],
  ['connection', { port: 1 }],
] as const)('lawful 83: a fault of the %s is recorded as such', async (fault, more) => {
  start(more);
  await eventually(row, (found) => found?.fault === fault);
});
