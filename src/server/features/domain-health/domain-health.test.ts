import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Answer, type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { type DnsZone, serveZone } from '#test/dns-zone.ts';
import { addTestMailbox } from '#test/mailboxes.ts';
import type { DomainParts } from '#test/no-dns.ts';
import { addSender, addTenant, addTextOf, changePerson, type Tenant } from '#test/prospects.ts';

const NOON = Date.UTC(2026, 10, 23, 3);
const MINUTE = 60_000;
const DOMAIN = 'example.com';
const GOOD: DnsZone['records'] = {
  [`MX ${DOMAIN}`]: [`mx.${DOMAIN}`],
  [`TXT ${DOMAIN}`]: ['v=spf1 ip4:160.16.0.1 -all'],
  [`TXT _dmarc.${DOMAIN}`]: ['v=DMARC1; p=reject'],
};

let dns: DnsZone;
let database: TestDatabase;
let tenant: Tenant;
let now: number;

beforeAll(async () => {
  dns = await serveZone();
});

beforeEach(async () => {
  dns.records = GOOD;
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  now = NOON;
});

const login = (domains: Partial<DomainParts> = {}, accountId = tenant.accountId): Promise<Client> =>
  clientOf({ ...database, domains: { dnsServers: [dns.server], ...domains } }, accountId, () => now);

const check = (client: Client, domain: unknown = DOMAIN) => client.post('/domain_health/check', { domain });
const list = async (client: Client, query = '') =>
  (await client.get(`/domain_health/list${query}`)).body as Record<string, unknown>[];

interface Shown {
  readonly state: string;
  readonly checks: readonly { readonly check: string; readonly level: string; readonly checked_at: string }[];
}
const levels = ({ body }: Answer) =>
  Object.fromEntries((body as Shown).checks.map(({ check: name, level }) => [name, level]));

test('a domain of the senders is checked, and its result kept', async () => {
  const client = await login();
  const unchecked = { domain: DOMAIN, senders: 1, state: 'unchecked', is_due: 1, checked_at: null, checks: [] };
  expect(await list(client)).toMatchObject([unchecked]);
  const answer = await check(client);
  expect(answer).toMatchObject({
    status: 200,
    body: { domain: DOMAIN, state: 'good', is_due: 0, failed_at: null, checked_at: '2026/11/23 12:00:00' },
  });
  expect(levels(answer)).toMatchObject({ mx: 'good', spf: 'look', dkim: 'look', dmarc: 'good' });
  dns.asked.length = 0;
  expect(await list(client)).toStrictEqual([answer.body]);
  expect(dns.asked).toStrictEqual([]);
});

test('domains are those of senders in use, each once, by name', async () => {
  const { db } = database;
  for (const email of ['a@SECOND.example.com', 'b@second.example.com', 'c@unused.example.com']) {
    await changePerson(db, await addSender(db, tenant), { email });
  }
  const { last } = await db
    .selectFrom('sender')
    .select(({ fn }) => fn.max('id').as('last'))
    .executeTakeFirstOrThrow();
  await db.updateTable('sender').set({ active: false }).where('id', '=', last).execute();
  // Another text of the same person.
  await addTextOf(db, tenant);
  const client = await login();
  const rows = (await list(client)).map(({ domain, senders }) => [domain, senders]);
  expect(rows).toStrictEqual([
    ['example.com', 1],
    ['second.example.com', 2],
  ]);
  expect(await list(client, '?limit=1&offset=1&columns[]=domain')).toStrictEqual([{ domain: 'second.example.com' }]);
  // The DNS answers 30 kB of one domain at most: more at once would block other requests.
  expect((await client.get('/domain_health/list?limit=101')).status).toBe(400);
  expect(await list(client, '?where_info[domain]=Second.example.com&columns[]=senders')).toStrictEqual([
    { senders: 2 },
  ]);
  expect((await check(client, 'unused.example.com')).status).toBe(404);
  await db.updateTable('sender_group').set({ active: false }).execute();
  expect(await list(client)).toStrictEqual([]);
});

test('a result is due for a new check after an hour, one that is not good after five minutes', async () => {
  const client = await login();
  const dueAfter = async (minutes: number) => {
    now = NOON + minutes * MINUTE - 1000;
    const before = (await list(client))[0]?.is_due;
    now += 1000;
    const after = (await list(client))[0]?.is_due;
    now = NOON;
    return [before, after];
  };
  await check(client);
  expect(await dueAfter(60)).toStrictEqual([0, 1]);
  dns.records = { ...GOOD, [`TXT _dmarc.${DOMAIN}`]: [] };
  await check(client);
  expect(await dueAfter(5)).toStrictEqual([0, 1]);
});

test('lawful 90: what the DNS does not answer keeps its last result, and the answer says so', async () => {
  const client = await login();
  dns.records = { ...GOOD, [`TXT _dmarc.${DOMAIN}`]: [] };
  await check(client);
  dns.records = { ...GOOD, [`MX ${DOMAIN}`]: [], [`TXT _dmarc.${DOMAIN}`]: 'SERVFAIL' };
  now += 10 * MINUTE;
  const answer = await check(client);
  expect(answer.body).toMatchObject({
    state: 'bad',
    failed_at: '2026/11/23 12:10:00',
    checked_at: '2026/11/23 12:10:00',
  });
  expect(levels(answer)).toMatchObject({ mx: 'bad', dmarc: 'bad', alignment: 'look' });
  const times = Object.fromEntries(
    (answer.body as Shown).checks.map(({ check: name, checked_at }) => [name, checked_at]),
  );
  expect(times).toMatchObject({ mx: '2026/11/23 12:10:00', dmarc: '2026/11/23 12:00:00' });
  expect(await list(client)).toStrictEqual([answer.body]);
  now += 5 * MINUTE;
  expect(await list(client)).toMatchObject([{ is_due: 1 }]);
  dns.records = GOOD;
  expect((await check(client)).body).toMatchObject({ state: 'good', failed_at: null });
});

test('lawful 90: without an earlier result the state is unknown, and nobody has to tick anything', async () => {
  const client = await login({ dnsServers: ['127.0.0.1:1'] });
  const answer = await check(client);
  expect(answer.body).toMatchObject({ state: 'unknown', needs_acknowledgement: 0, failed_at: '2026/11/23 12:00:00' });
  expect(levels(answer)).toMatchObject({ mx: 'unknown', one_click: 'look' });
});

test('a tick is asked for where mails of a bad domain leave the machine', async () => {
  dns.records = { ...GOOD, [`MX ${DOMAIN}`]: [] };
  expect((await check(await login())).body).toMatchObject({ state: 'bad', needs_acknowledgement: 1 });
  expect((await check(await login({ leavesMachine: false }))).body).toMatchObject({ needs_acknowledgement: 0 });
});

test('a tick is asked for with the mail catcher too, where a mailbox sends', async () => {
  const mailbox_id = await addTestMailbox(database.db, tenant.accountId, { kind: 'google' });
  await database.db.updateTable('sender_profile').set({ mailbox_id }).execute();
  dns.records = { ...GOOD, [`MX ${DOMAIN}`]: [] };
  const answer = await check(await login({ leavesMachine: false }));
  expect(answer.body).toMatchObject({ state: 'bad', needs_acknowledgement: 1 });
  expect(dns.asked).toContain(`TXT google._domainkey.${DOMAIN}`);
});

test('lawful 92: a domain of another account is not found, and nothing of it is asked', async () => {
  const stranger = await addTenant(database.db);
  await database.db
    .updateTable('sender_profile')
    .set({ email: 'a@theirs.example.com' })
    .where('account_id', '=', stranger.accountId)
    .execute();
  const client = await login();
  dns.asked.length = 0;
  expect((await check(client, 'theirs.example.com')).status).toBe(404);
  expect(dns.asked).toStrictEqual([]);
  expect((await check(await login({}, stranger.accountId), 'theirs.example.com')).status).toBe(200);
  expect(await list(client, '?where_info[domain]=theirs.example.com')).toStrictEqual([]);
});

describe('lawful 91: a text that is no domain is refused at its field', () => {
  test.each([
    'example.com;id',
    'a'.repeat(64),
    `${'a.'.repeat(150)}jp`,
    '例え.jp',
    'exa mple.com',
    'example..com',
    '-a.jp',
    '',
    'a@example.com',
    '127.0.0.1:53',
    '[::1]',
    1,
    null,
  ])('%j', async (domain) => {
    const answer = await check(await login(), domain);
    expect(answer).toMatchObject({ status: 400, body: { details: [{ path: 'domain' }] } });
  });
});

test('the eleventh check of a minute is refused, in each account', async () => {
  const client = await login({ dnsServers: ['127.0.0.1:1'] });
  for (let n = 0; n < 10; n += 1) expect((await check(client)).status).toBe(200);
  // Unknown domains ask nothing, so they do not count.
  expect((await check(client, 'unknown.example.com')).status).toBe(404);
  expect(await check(client)).toMatchObject({ status: 429, body: { code: 'too_many_checks' } });
  now += MINUTE;
  expect((await check(client)).status).toBe(200);
});
