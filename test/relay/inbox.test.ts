import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openInbox } from '#server/features/inbox/imap-session.ts';
import type { InboxReaderParts } from '#server/features/inbox/inbox-reader.ts';
import type { InboxSettings } from '#server/platform/mail/inbox-settings.ts';
import { type TestDatabase, testDatabase } from '#test/db.ts';
import { rawMail } from '#test/inbox-mails.ts';
import { bouncedMails, countFailed, faultLog, startReader } from '#test/inbox-reading.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { eventually } from '#test/sending.ts';
import { type Dovecot, startDovecot } from './dovecot.ts';

/** Reads the inbox on a real IMAP server: Debian's Dovecot. */

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

const start = (more: Partial<InboxSettings> = {}, parts: Partial<InboxReaderParts> = {}) =>
  startReader(database, { name: 'imap://inbox', open: () => openInbox(settings(more)), ...parts });

const row = () => database.db.selectFrom('inbox').selectAll().executeTakeFirst();
const failed = () => countFailed(database);

test('present and arriving mails are processed, and the mailbox is not changed', async () => {
  const [first, ...others] = await bouncedMails(database, tenant, 51);
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

test('with INBOX_DONE processed mails are moved, still unseen; the others stay', async () => {
  dovecot.deliver(rawMail([['From', 'a@b.example']], 'x'));
  for (const mail of await bouncedMails(database, tenant, 7)) dovecot.deliver(mail);
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

test('a restart of the server while the reader waits is a fault, and no mail that arrives meanwhile is skipped', async () => {
  const { log, faults } = faultLog();
  const [before, during, after] = await bouncedMails(database, tenant, 3);
  start({}, { log });
  for (const [n, mail] of [before, during, after].entries()) {
    dovecot.deliver(mail ?? expect.unreachable());
    if (mail === during) await dovecot.restart();
    await eventually(failed, (count) => count === n + 1, 30_000);
    // The reader waits again.
    await eventually(row, (found) => found?.fault === null && found.read_at instanceof Date);
  }
  expect(new Set(faults)).toStrictEqual(new Set(['connection']));
  expect(await row()).toMatchObject({ skipped: 0 });
});
