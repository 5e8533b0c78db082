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
