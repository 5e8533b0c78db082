import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { ROLES, type Role } from '#domain/account/role.ts';
import { openSessionOf } from '../accounts.ts';
import { type Api, clientAt, serveApp } from '../client.ts';
import { emptyDatabase, type TestDatabase } from '../db.ts';
import { addTenant } from '../prospects.ts';
import { MATRIX } from './matrix-rows.ts';
import { apiRoutes } from './routes.ts';

/** The calls of a viewer besides reading: those about the viewer's own account, and previews. */
const VIEWERS = [
  'POST /auth/confirmation_token/:id/confirm',
  'POST /auth/logout',
  'POST /mail/check/:sender_id',
  'POST /mail/preview/:sender_id',
  'POST /mail/send/confirmation/:id',
  'POST /mail_template/:id/preview',
  'POST /notice/read',
  'PUT /account/:id',
  'PUT /auth/confirmation_token/:id',
  'PUT /auth/password/:account_id',
  'PUT /session/:id',
  'POST /session/end_others',
  'POST /auth/recovery_codes',
  'POST /auth/two_factor/confirm',
  'POST /auth/two_factor/off',
  'POST /auth/two_factor/start',
  'PUT /first_steps',
  'PUT /notice/:id',
  'PUT /notice_setting',
];
/** Files with data of many people, which need the role sales. */
const SALES = ['GET /export/:id/file', 'GET /import/:id/faults'];
/** The calls that decide for the whole account. */
const ADMINS = [
  'GET /audit/view',
  'POST /closing_day',
  'POST /closing_day/import',
  'GET /invitation/list',
  'POST /closing_day/preset',
  'POST /custom_field',
  'POST /invitation',
  'POST /invitation/:id/send',
  'POST /member/:id/password_reset',
  'POST /personal_data/erase',
  'POST /personal_data/view',
  'POST /restored',
  'POST /sender',
  'POST /sender_group',
  'GET /oauth_app/:provider',
  'GET /oidc',
  'PUT /account_rule',
  'PUT /closing_day/:id',
  'PUT /custom_field/:id',
  'PUT /invitation/:id',
  'PUT /member/:id',
  'PUT /oauth_app/:provider',
  'PUT /oidc',
  'PUT /legal_profile/:sender_group_id',
  'PUT /mail_retention',
  'PUT /sender_group/:id',
  'PUT /sender_limit/:profile_id',
  'PUT /sending_rules/:sender_group_id',
  'PUT /suppression/:id',
  'PUT /tag/:id',
];

/** Returns the role that a call needs, according to the lists above. */
function needed(route: string): Role {
  if (ADMINS.includes(route)) return 'admin';
  if (SALES.includes(route)) return 'sales';
  return VIEWERS.includes(route) || route.startsWith('GET ') ? 'viewer' : 'sales';
}

let database: TestDatabase;
let api: Api;

beforeAll(async () => {
  database = await emptyDatabase();
  api = await serveApp(database);
});

const routes = () => apiRoutes(api.app).filter((route) => !MATRIX[route]?.open);

test('the lists name calls', () => {
  expect([...VIEWERS, ...SALES, ...ADMINS].filter((route) => !routes().includes(route))).toStrictEqual([]);
});

test.each(ROLES)(
  'every call is refused to a %s without its role, before its body is read, and no other',
  async (role) => {
    const { accountId } = await addTenant(database.db);
    await sql`UPDATE member SET role = ${role} WHERE account_id = ${accountId}`.execute(database.db);
    const token = `Bearer ${await openSessionOf(database.login, accountId, Date.now())}`;
    for (const route of routes()) {
      // A log-out would end the session of later calls.
      if (route === 'POST /auth/logout') continue;
      const [method = '', path = ''] = route.split(' ');
      const url = `${api.address}${path.replaceAll(/:\w+/g, '0')}`;
      const body = method === 'GET' ? null : 'no JSON';
      const headers = { authorization: token, 'content-type': 'application/json' };
      const response = await fetch(url, { method, headers, body });
      // An event stream does not end by itself.
      const isRefused = response.status >= 400 && (await response.text()).includes('"code":"not_allowed"');
      if (response.status < 400) await response.body?.cancel();
      const isAllowed = ROLES.indexOf(role) >= ROLES.indexOf(needed(route));
      expect([role, route, isRefused, response.status === 403]).toStrictEqual([role, route, !isAllowed, !isAllowed]);
    }
    expect((await clientAt(api.address, token).get(`/account/${accountId}`)).body).toMatchObject({ member: { role } });
  },
);

/** Returns what an account and its members are named, after a refused act had time to run. */
async function namesOf(accountId: number): Promise<string> {
  await sleep(300);
  const { rows } =
    await sql`SELECT account.company, member.name FROM account JOIN member ON member.account_id = account.id
    WHERE account.id = ${accountId}`.execute(database.db);
  return JSON.stringify(rows);
}

test('a field that only an admin may change is refused, and nothing of the request is done', async () => {
  const { accountId } = await addTenant(database.db);
  await sql`UPDATE member SET role = 'sales' WHERE account_id = ${accountId}`.execute(database.db);
  const client = clientAt(api.address, `Bearer ${await openSessionOf(database.login, accountId, Date.now())}`);
  const before = await namesOf(accountId);
  const { version } = (await client.get(`/account/${accountId}`)).body as { version: string };
  const refused = await client.put(`/account/${accountId}`, { version, update_info: { company: '株式会社別' } });
  expect(refused).toMatchObject({ status: 403, body: { code: 'not_allowed' } });
  expect(await namesOf(accountId)).toBe(before);
});

test('a session that ends while the body arrives is refused, and nothing of the request is done', async () => {
  const { accountId } = await addTenant(database.db);
  const authorization = `Bearer ${await openSessionOf(database.login, accountId, Date.now())}`;
  const before = await namesOf(accountId);
  const body = JSON.stringify({ update_info: { name: '山田 花子' } });
  const headers = { authorization, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const sent = request(`${api.address}/account/${accountId}`, { method: 'PUT', headers });
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  sent.write(body.slice(0, 5));
  await sleep(300);
  await sql`DELETE FROM session WHERE account_id = ${accountId}`.execute(database.db);
  sent.end(body.slice(5));
  const [{ statusCode }] = await answered;
  expect(statusCode).toBe(401);
  expect(await namesOf(accountId)).toBe(before);
});
