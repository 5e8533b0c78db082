import { beforeEach, expect, test } from 'vitest';
import { addMember } from '#test/accounts.ts';
import { type Answer, clientAt, serveApp } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addTenant } from '#test/prospects.ts';
import type { MemberKey } from '../../platform/database/account-db.ts';
import { openSession } from '../auth/session.ts';

const OFFICE = '203.0.113.7';

let database: TestDatabase;
let address: string;
let member: MemberKey;

beforeEach(async () => {
  database = await emptyDatabase();
  const proxies = { ranges: ['127.0.0.1'], header: 'x-forwarded-for' } as const;
  ({ address } = await serveApp(database, Date.now, { proxies }));
  const { accountId, memberId } = await addTenant(database.db);
  member = { accountId, memberId };
});

/** Asks as an admin at this address. @param headers replace the one of the trusted proxy */
async function ask(
  method: 'GET' | 'PUT',
  login_networks: unknown,
  {
    ip = OFFICE,
    headers,
    to = address,
    as = member,
  }: { ip?: string; headers?: object; to?: string; as?: MemberKey } = {},
): Promise<Answer> {
  const token = await openSession(database.login, as, Date.now());
  const response = await fetch(`${to}/account_rule`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(headers ?? { 'x-forwarded-for': ip }),
      ...(method === 'PUT' && { 'content-type': 'application/json' }),
    },
    ...(method === 'PUT' && { body: JSON.stringify({ update_info: { login_networks } }) }),
  });
  return { status: response.status, body: await response.json() };
}
const save = (networks: unknown, how?: Parameters<typeof ask>[2]) => ask('PUT', networks, how);
const shown = async (how?: Parameters<typeof ask>[2]) => (await ask('GET', undefined, how)).body;
const details = async () =>
  (await database.db.selectFrom('audit_event').select(['kind', 'detail']).orderBy('id').execute())
    .filter(({ kind }) => kind === 'account_rule_changed')
    .map(({ detail }) => detail);

test('networks are stored as they were written, shown to admins alone, and audited by what changed', async () => {
  expect(await save(['２０３.0.113.7/32', ' 10.0.0.0 / 8', '2001:DB8:0::/48'])).toStrictEqual({
    status: 200,
    body: { status: 'updated' },
  });
  const login_networks = [OFFICE, '10.0.0.0/8', '2001:db8::/48'];
  expect(await shown()).toMatchObject({ login_networks, current_address: OFFICE });
  expect(await shown({ ip: '2001:db8:0:0::9' })).toMatchObject({ current_address: '2001:db8::9' });
  const sales = { ...member, memberId: await addMember(database.db, member.accountId, { role: 'sales' }) };
  expect(Object.keys((await shown({ as: sales })) as object)).not.toContain('login_networks');
  expect(Object.keys((await shown({ as: sales })) as object)).not.toContain('current_address');
  await save(['203.0.113.0/24', '10.0.0.0/8']);
  await save([]);
  expect(await shown({ ip: '192.0.2.1' })).toMatchObject({ login_networks: [], current_address: '192.0.2.1' });
  expect(await details()).toStrictEqual([
    { login_networks: { added: login_networks, removed: [] } },
    { login_networks: { added: ['203.0.113.0/24'], removed: [OFFICE, '2001:db8::/48'] } },
    { login_networks: { added: [], removed: ['203.0.113.0/24', '10.0.0.0/8'] } },
  ]);
});

test('other rules are saved without a change of the networks', async () => {
  await save([OFFICE]);
  const token = await openSession(database.login, member, Date.now());
  const { accountId } = member;
  await database.db
    .updateTable('account_rule')
    .set({ login_networks: ['127.0.0.0/8'] })
    .execute();
  const { address: direct } = await serveApp(database);
  const answer = await clientAt(direct, `Bearer ${token}`).put('/account_rule', { update_info: { undo_seconds: 10 } });
  expect(answer.status).toBe(200);
  const stored = await database.db
    .selectFrom('account_rule')
    .select(['undo_seconds', 'login_networks'])
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  expect(stored).toStrictEqual({ undo_seconds: 10, login_networks: ['127.0.0.0/8'] });
});

test.each([
  [['203.0.114.0/24'], OFFICE, OFFICE],
  [['2001:db8::/32'], OFFICE, OFFICE],
  [[OFFICE], '2001:db8::7', '2001:db8::7'],
  [[OFFICE], '::ffff:198.51.100.1', '198.51.100.1'],
])('%j without the own address %s is refused at the field, and changes nothing', async (networks, ip, address_) => {
  const message = `いまの接続元（${address_}）が入っていません。追加してから保存してください。`;
  expect(await save(networks, { ip })).toStrictEqual({
    status: 409,
    body: { code: 'own_network_missing', message, details: [{ path: 'update_info.login_networks', message }] },
  });
  expect(await shown({ ip })).toMatchObject({ login_networks: [] });
  expect(await details()).toStrictEqual([]);
});

test.each([
  [[''], 0, '203.0.113.7 か'],
  [[OFFICE, ' '], 1, '203.0.113.7 か'],
  [[OFFICE, '203.0.113.9/24'], 1, 'ネットワークなら 203.0.113.0/24'],
  [[OFFICE, '0.0.0.0/0'], 1, '/0 は'],
  [[OFFICE, 'fe80::1%eth0'], 1, '「%」'],
  [[OFFICE, '::ffff:203.0.113.7'], 1, 'IPv4のアドレスは'],
  [[OFFICE, 'unknown'], 1, '203.0.113.7 か'],
  [[OFFICE, '２０３．０．１１３．７'], 1, '同じネットワーク'],
])('%j is refused at its line', async (networks, line, message) => {
  const { status, body } = await save(networks);
  expect([status, (body as { details: object }).details]).toStrictEqual([
    400,
    [{ path: `update_info.login_networks.${line}`, message: expect.stringContaining(message) }],
  ]);
  expect(await shown()).toMatchObject({ login_networks: [] });
});

test.each([[null], [OFFICE], [[1]], [[null]], [{ 0: OFFICE }], [['x'.repeat(101)]]])(
  '%j is no list',
  async (networks) => {
    expect((await save(networks)).status).toBe(400);
  },
);

test('50 networks are the most', async () => {
  const many = (count: number) => Array.from({ length: count }, (_, n) => `10.0.${n}.0/24`);
  expect((await save([OFFICE, ...many(50)])).status).toBe(400);
  expect((await save([OFFICE, ...many(49)])).status).toBe(200);
  expect(await shown()).toMatchObject({ login_networks: [OFFICE, ...many(49)] });
});

test.each([
  ['without a setting', [], { 'x-forwarded-for': OFFICE }],
  ['by the other header', [], { forwarded: `for=${OFFICE}` }],
  ['of a sender that the setting lacks', ['10.0.0.0/8'], { 'x-forwarded-for': OFFICE }],
  ['by the header that the setting does not name', ['127.0.0.1'], { forwarded: `for=${OFFICE}` }],
])('behind a proxy %s no networks are stored, and an empty list is', async (_, ranges, headers) => {
  const { address: to } = await serveApp(database, Date.now, { proxies: { ranges, header: 'x-forwarded-for' } });
  const refused = await save(['127.0.0.1'], { to, headers });
  expect([refused.status, refused.body]).toMatchObject([
    409,
    {
      code: 'proxy_not_trusted',
      details: [
        {
          path: 'update_info.login_networks',
          message: 'プロキシの設定（TRUST_PROXY）がないため、接続元を見分けられません。',
        },
      ],
    },
  ]);
  expect((await save([], { to, headers })).status).toBe(200);
  expect((await save(['127.0.0.1'], { to, headers: {} })).status).toBe(200);
});
