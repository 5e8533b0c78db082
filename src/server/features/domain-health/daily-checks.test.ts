import { sql } from 'kysely';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { type DnsZone, serveZone } from '#test/dns-zone.ts';
import { addTestMailbox } from '#test/mailboxes.ts';
import { NO_DNS } from '#test/no-dns.ts';
import { noticesOf } from '#test/notices.ts';
import { addSender, addTenant, changePerson, type Tenant } from '#test/prospects.ts';
import { checkDueDomains } from './daily-checks.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** On 23 November in Tokyo. */
const at = (time: string): number => Date.parse(`2026-11-23T${time}+09:00`);
const FOUR = at('04:00:00');

const goodRecords = (domain: string): DnsZone['records'] => ({
  [`MX ${domain}`]: [`mx.${domain}`],
  [`TXT ${domain}`]: ['v=spf1 ip4:160.16.0.1 -all'],
  [`TXT _dmarc.${domain}`]: ['v=DMARC1; p=reject'],
});
const GOOD = goodRecords('example.com');
const BAD = { ...GOOD, 'MX example.com': [] };

let dns: DnsZone;
let database: TestDatabase;
let tenant: Tenant;
let now: number;
let faults: unknown[];

beforeAll(async () => {
  dns = await serveZone();
});

beforeEach(async () => {
  dns.records = GOOD;
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  now = FOUR;
  faults = [];
});

const parts = () => ({
  db: database.service.db,
  now: () => now,
  mailPath: NO_DNS.mailPath,
  leavesMachine: true,
  urlOf: () => '',
  dnsServers: [dns.server],
  log: { error: (fault: unknown) => faults.push(fault) },
});

/** Ends the pause between rounds. */
const endPause = () => sql`UPDATE installation SET domain_round_at = 'epoch'`.execute(database.db);

/** Does a round whose turn it is. @returns the domains that the DNS was asked about */
async function round(more = {}): Promise<string[]> {
  await endPause();
  dns.asked.length = 0;
  await checkDueDomains({ ...parts(), ...more });
  return dns.asked
    .filter((question) => question.startsWith('MX '))
    .map((question) => question.slice(3))
    .sort();
}

const addDomain = async (domain: string, of: Tenant = tenant) =>
  changePerson(database.db, await addSender(database.db, of), { email: `a@${domain}` });
const checks = () => database.db.selectFrom('domain_check').select(['domain', 'checked_at', 'failed_at']).execute();

test('with the mail catcher only domains are checked whose mails leave by a mailbox', async () => {
  await addDomain('boxes.example');
  dns.records = { ...GOOD, ...goodRecords('boxes.example') };
  expect(await round({ leavesMachine: false })).toStrictEqual([]);
  const mailbox_id = await addTestMailbox(database.db, tenant.accountId, { kind: 'google' });
  await database.db.updateTable('sender_profile').set({ mailbox_id }).where('email', '=', 'a@boxes.example').execute();
  expect(await round({ leavesMachine: false })).toStrictEqual(['boxes.example']);
  expect(dns.asked).toContain('TXT google._domainkey.boxes.example');
});

test('a domain is checked once a day, after 4 in Tokyo', async () => {
  expect(await round()).toStrictEqual(['example.com']);
  expect(await round()).toStrictEqual([]);
  now = FOUR + DAY - 1;
  expect(await round()).toStrictEqual([]);
  now = FOUR + DAY;
  expect(await round()).toStrictEqual(['example.com']);
});

test('a check by a member after 4 counts for the day, one before does not', async () => {
  await round();
  const checkedAt = (time: string) =>
    database.db
      .updateTable('domain_check')
      .set({ checked_at: new Date(at(time)) })
      .execute();
  now = at('12:00:00');
  await checkedAt('04:00:01');
  expect(await round()).toStrictEqual([]);
  await checkedAt('03:59:59');
  expect(await round()).toStrictEqual(['example.com']);
});

test('a domain without a sender in use is not checked', async () => {
  await addDomain('unused.example.com');
  await database.db.updateTable('sender').set({ active: false }).where('id', '<>', tenant.senderId).execute();
  const other = await addTenant(database.db);
  await changePerson(database.db, other.senderId, { email: 'a@other.example.com' });
  await database.db.updateTable('sender_group').set({ active: false }).where('id', '=', other.senderGroupId).execute();
  expect(await round()).toStrictEqual(['example.com']);
  expect(await round()).toStrictEqual([]);
});

test('members are notified once of a domain that turned bad', async () => {
  await round();
  expect(await noticesOf(database, tenant.memberId)).toStrictEqual([]);
  dns.records = BAD;
  now += DAY;
  await round();
  const told = [{ kind: 'domain_bad', count: 1, subjects: [tenant.senderId] }];
  expect(await noticesOf(database, tenant.memberId)).toMatchObject(told);
  now += DAY;
  expect(await round()).toStrictEqual(['example.com']);
  expect(await noticesOf(database, tenant.memberId)).toMatchObject(told);
});

test('a domain that the DNS does not answer keeps its result, and is checked again after an hour', async () => {
  await round();
  dns.records = Object.fromEntries(Object.keys(GOOD).map((name) => [name, 'SERVFAIL' as const]));
  now += DAY;
  const failed = now;
  await round();
  expect(await noticesOf(database, tenant.memberId)).toStrictEqual([]);
  expect(await checks()).toMatchObject([{ failed_at: new Date(failed) }]);
  const { rows } = await sql<{ level: string; at: number }>`
    SELECT finding ->> 'level' AS level, (finding ->> 'at')::bigint AS at
    FROM domain_check, jsonb_array_elements(result) AS finding WHERE finding ->> 'check' = 'mx'`.execute(database.db);
  expect(rows).toStrictEqual([{ level: 'good', at: FOUR }]);
  dns.records = GOOD;
  now = failed + HOUR;
  expect(await round()).toStrictEqual([]);
  now += 1;
  expect(await round()).toStrictEqual(['example.com']);
  expect(await checks()).toMatchObject([{ failed_at: null }]);
});

test('a round has one domain of an account, five in all, the oldest first', async () => {
  for (let n = 0; n < 3; n += 1) await addDomain(`own${n}.example.com`);
  for (let n = 0; n < 5; n += 1) {
    const { senderId } = await addTenant(database.db);
    await changePerson(database.db, senderId, { email: `a@tenant${n}.jp` });
  }
  const first = await round();
  expect(first).toHaveLength(5);
  expect(first.filter((domain) => domain.endsWith('example.com'))).toHaveLength(1);
  const all = [...first];
  for (let asked = await round(); asked.length > 0; asked = await round()) all.push(...asked);
  expect(all.toSorted()).toStrictEqual([
    'example.com',
    ...[0, 1, 2].map((n) => `own${n}.example.com`),
    ...[0, 1, 2, 3, 4].map((n) => `tenant${n}.jp`),
  ]);
  expect(new Set(all).size).toBe(all.length);
  now += DAY;
  // Of the first account and of the last one.
  const oldest = ['own2.example.com', 'tenant4.jp'];
  await database.db
    .updateTable('domain_check')
    .set({ checked_at: new Date(FOUR - DAY) })
    .where('domain', 'in', oldest)
    .execute();
  expect(await round()).toEqual(expect.arrayContaining(oldest));
});

test('one process at a time checks, and pauses after a round', async () => {
  await endPause();
  dns.asked.length = 0;
  await Promise.all([1, 2, 3, 4].map(() => checkDueDomains(parts())));
  expect(dns.asked.filter((question) => question === 'MX example.com')).toHaveLength(1);
  dns.asked.length = 0;
  now += DAY;
  expect(await checkDueDomains(parts())).toBe(10_000);
  expect(dns.asked).toStrictEqual([]);
  await endPause();
  await checkDueDomains(parts());
  expect(await checkDueDomains(parts())).toBeUndefined();
});

test('a domain whose check is broken is logged and tried after an hour, the others are checked', async () => {
  await round();
  now += DAY;
  const other = await addTenant(database.db);
  await changePerson(database.db, other.senderId, { email: 'a@other.jp' });
  let broken = 0;
  const mailPath = {
    ...NO_DNS.mailPath,
    get kind(): 'smtp' {
      broken += 1;
      if (broken === 1) throw new Error('broken');
      return 'smtp';
    },
  };
  await round({ mailPath });
  expect(faults).toMatchObject([{ err: { message: 'broken' } }]);
  const stored = await checks();
  expect(stored.map(({ domain }) => domain).toSorted()).toStrictEqual(['example.com', 'other.jp']);
  expect(stored.filter(({ failed_at }) => failed_at !== null)).toHaveLength(1);
  expect(await round()).toStrictEqual([]);
  now += HOUR + 1;
  expect(await round()).toHaveLength(1);
});
