import { beforeEach, expect, test } from 'vitest';
import { accountDbOf } from '#server/platform/database/account-db.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { dsnMail, postfixGroup, qmailBounce, RETURN_PATTERN, returnedMail } from '#test/inbox-mails.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { acceptRun, claimMails, finishDeliveries, markSending } from '#test/sending.ts';
import { retryFailures } from '../runs/retry.command.ts';
import { readInboxMail } from './read-mail.ts';
import { takeMail } from './take-mail.command.ts';

/** Reports about a mail that was sent twice. */

let database: TestDatabase;
let tenant: Tenant;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
});

const ADDRESS = 'info0@a.example';
const USER_UNKNOWN = 'smtp; 550 5.1.1 User unknown';
const mails = () => database.db.selectFrom('delivery').selectAll().orderBy('id').execute();
const suppressed = async () =>
  (await database.db.selectFrom('suppression').select(['value', 'class']).execute()).map(({ value }) => value);

async function sendMails(rows: number): Promise<void> {
  const claims = await claimMails(database, { rows });
  await markSending(database.service.db, claims);
  const outcome = { kind: 'sent', reply: '250 OK' } as const;
  await finishDeliveries(
    database.service.db,
    claims.map((claim) => ({ claim, outcome })),
  );
}

/** Sends the first mails of a run, which come back, and sends them again. @returns their keys */
async function sendTwice(count: number, targets = count): Promise<string[]> {
  const { id } = await acceptRun(database, tenant, targets);
  await sendMails(count);
  await database.db.updateTable('delivery').set({ state: 'failed' }).where('state', '=', 'sent').execute();
  // The days between two mails to a company are over.
  await database.db.deleteFrom('contact_state').execute();
  await database.db.deleteFrom('address_contact').execute();
  const member = database.account(tenant.accountId, tenant.memberId);
  expect(await retryFailures(member, id, Date.now())).toMatchObject({ accepted: count });
  const tomorrow = new Date(Date.now() + 86_400_000);
  await database.db
    .updateTable('delivery')
    .set({ not_before: tomorrow })
    .where('attempts', '=', 0)
    .where('claim_no', '=', 0)
    .execute();
  await sendMails(count);
  const sent = (await mails()).filter(({ state }) => state === 'sent');
  expect(sent).toHaveLength(count);
  return sent.map(({ mail_key }) => mail_key?.replaceAll('-', '') ?? '');
}

function take(raw: Buffer) {
  const { db } = database.service;
  const services = { db, now: Date.now, accountDb: accountDbOf(db) };
  return readInboxMail(raw, RETURN_PATTERN).then((mail) => takeMail(services, mail, () => expect.unreachable()));
}

/** As RFC 5322 writes it, in Japan. */
const dateIn = (seconds: number): string => {
  const [, day, month, year, time] = new Date(Date.now() + (seconds + 9 * 3600) * 1000).toUTCString().split(' ');
  return `Fri, ${day} ${month} ${year} ${time} +0900 (JST)`;
};
const HOP = 'from web (localhost [127.0.0.1])\r\n\tby mx.kaitaku.example (Postfix) with ESMTP id AAAA';
const groups = [postfixGroup(ADDRESS, '5.1.1', USER_UNKNOWN)];
const twoHops = (first: string, second: string) =>
  `Received: ${HOP.replaceAll('\r', '')};\n\t${first}\nReceived: by web; ${second}\n`;

test.each<[string, (key: string, date: string) => Buffer]>([
  ['Arrival-Date', (key, arrival) => dsnMail({ key, groups, arrival })],
  [
    'Arrival-Date, not the mail that it returns',
    (key, arrival) => dsnMail({ key, groups, arrival, returned: twoHops(dateIn(60), dateIn(60)) + returnedMail(key) }),
  ],
  [
    'topmost Received',
    (key, date) => dsnMail({ key, groups, returned: twoHops(date, dateIn(60)) + returnedMail(key) }),
  ],
  [
    'topmost Received beside an unreadable Arrival-Date',
    (key, date) => dsnMail({ key, groups, arrival: 'yesterday', returned: twoHops(date, '') + returnedMail(key) }),
  ],
  ['Received in a copy', (key, date) => qmailBounce(ADDRESS, 'No mailbox here. (#5.1.1)', key, `(qmail 1); ${date}`)],
])('a report is of the try that its %s names; a dead address is suppressed either way', async (_, reportOf) => {
  const [key = ''] = await sendTwice(1);
  expect(await take(reportOf(key, dateIn(-600)))).toBe('bounce');
  expect(await mails()).toMatchObject([{ state: 'sent', smtp_reply: '250 OK' }]);
  expect(await suppressed()).toStrictEqual([ADDRESS]);
  const later = reportOf(key, dateIn(0)).toString().replace('AAAA@mx', 'BBBB@mx').replace('notice', 'notice again');
  expect(await take(Buffer.from(later))).toBe('bounce');
  expect(await mails()).toMatchObject([{ state: 'failed' }]);
});

test('an early report of a mail that was sent once is about that try: clocks differ', async () => {
  await acceptRun(database, tenant, 1);
  await sendMails(1);
  const [{ mail_key } = expect.unreachable()] = await mails();
  await take(dsnMail({ key: mail_key?.replaceAll('-', '') ?? '', groups, arrival: dateIn(-600) }));
  expect(await mails()).toMatchObject([{ state: 'failed' }]);
});

test('a delivery report of an earlier attempt does not concern the last one', async () => {
  const [key = ''] = await sendTwice(1);
  const delivered = [postfixGroup(ADDRESS, '2.0.0', 'smtp; 250 ok', 'delivered')];
  await take(dsnMail({ key, groups: delivered, arrival: dateIn(-600) }));
  expect(await mails()).toMatchObject([{ state: 'sent', delivered_at: null }]);
  await take(dsnMail({ key, groups: delivered, arrival: dateIn(0) }));
  expect(await mails()).toMatchObject([{ delivered_at: expect.any(Date) }]);
});

test('refusals by policy of earlier tries pause the run, whose mails stay sent', async () => {
  const keys = await sendTwice(3, 40);
  for (const [n, key] of keys.entries()) {
    const refused = postfixGroup(`info${n}@a.example`, '5.7.1', 'smtp; 550 5.7.1 rejected by DMARC policy');
    await take(dsnMail({ key, groups: [refused], arrival: dateIn(-600) }));
  }
  expect((await mails()).filter(({ state }) => state === 'sent')).toHaveLength(3);
  const runs = database.db.selectFrom('send_log').select('paused_by');
  expect(await runs.execute()).toStrictEqual([{ paused_by: 'policy_bounces' }]);
});
