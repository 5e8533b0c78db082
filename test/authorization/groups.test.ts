import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { Call } from '#contract/call.ts';
import { neededRole } from '#domain/account/role.ts';
import { openSessionOf } from '../accounts.ts';
import { type Client, clientAt, serveApp } from '../client.ts';
import { contractCalls } from '../contract.ts';
import { emptyDatabase, type TestDatabase } from '../db.ts';
import { addFullTenant, type FullTenant } from './full-tenant.ts';
import { type Ask, requestOf } from './matrix-row.ts';
import { MATRIX } from './matrix-rows.ts';

/** Calls that act in a group only with certain contents: what the test sends instead of the matrix's own request. */
const WITH_GROUP: Readonly<Record<string, (tenant: FullTenant, client: Client) => Ask | Promise<Ask>>> = {
  'POST /mail_template': (tenant) => templateWithSender(tenant),
  'POST /mail_template/:id/archive': async (tenant, client) => {
    const { path, body } = templateWithSender(tenant);
    const added = await client.post(path, body);
    return { path: `/mail_template/${(added.body as { id: number }).id}/archive` };
  },
};

/** Adds a template with a sender, which the matrix's own request does not. */
const templateWithSender = ({ templateId, senderProfileId }: FullTenant) => ({
  path: '/mail_template',
  body: { add_info: { name: '新', copy_of: templateId, sender_profile_ids: [senderProfileId] } },
});

/** The calls that name a group or a row of one, and act in none: every member of the role `sales` may make them. */
const OPEN: Readonly<Record<string, string>> = {
  'POST /export': 'reads',
  'POST /import/:id/check': 'writes no remarks',
  'POST /mail/check/:sender_id': 'sends nothing',
  'POST /mail/preview/:sender_id': 'sends nothing',
  'POST /mail/send/confirmation/:id': "the member's own address",
  'POST /mail_template/:id/preview': 'sends nothing',
  'POST /mail_template/:id/test': 'to the own address',
  'POST /saved_condition': 'a filter of the own list',
  'PUT /saved_condition/:id': 'a filter of the own list',
};

const inGroup = ({ errors = [] }: Call): boolean => errors.includes('not_in_group');

/** Whether the path or the input names a group, or a row that belongs to one. */
const namesGroup = ({ path, body }: Call): boolean =>
  /\/(?:sender|reservation|send_log|delivery|active_prospect|mail)\b/.test(path) ||
  /"(?:sender_group_id|sender_id|sender_profile_ids|profile_id|reservation_id|send_log_id)"/.test(
    body === undefined ? '' : JSON.stringify(z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' })),
  );

let database: TestDatabase;
let address: string;

beforeAll(async () => {
  database = await emptyDatabase();
  ({ address } = await serveApp(database));
});

const routeOf = ({ method, path }: Call) => `${method} ${path.replace(/(?<=.)\/$/, '')}`;
const changes = (await contractCalls()).flatMap(({ call }) => {
  const row = MATRIX[routeOf(call)];
  return call.method === 'GET' || !row || row.open || neededRole(call.method, call.needs) === 'admin'
    ? []
    : [[routeOf(call), call, row] as const];
});

test.each(changes)('%s refuses a member of other groups exactly if it acts in a group', async (route, call, row) => {
  if (namesGroup(call)) expect([route, inGroup(call) || route in OPEN]).toStrictEqual([route, true]);
  const tenant = await addFullTenant(database.db, 'owner');
  const { accountId, memberId, senderGroupId } = tenant;
  const token = `Bearer ${await openSessionOf(database.login, accountId, Date.now())}`;
  const { path, body } = await (WITH_GROUP[route] ?? row.own)(tenant, clientAt(address, token));
  await sql`UPDATE import_run SET sender_group_id = ${senderGroupId} WHERE account_id = ${accountId}`.execute(
    database.db,
  );
  await sql`UPDATE member SET role = 'sales' WHERE id = ${memberId}`.execute(database.db);
  await sql`
      WITH other AS (INSERT INTO sender_group (account_id, group_name) VALUES (${accountId}, '別の部') RETURNING id)
      , bound AS (DELETE FROM member_group WHERE member_id = ${memberId})
      INSERT INTO member_group SELECT ${accountId}, ${memberId}, id FROM other`.execute(database.db);
  const asked = requestOf(body);
  const headers = { authorization: token, ...asked.headers };
  const ask = async () => (await fetch(address + path, { method: call.method, ...asked, headers })).text();
  expect([route, (await ask()).includes('"code":"not_in_group"')]).toStrictEqual([route, inGroup(call)]);
  if (!inGroup(call)) return;
  // The same request of who acts in all groups is accepted.
  await sql`DELETE FROM member_group WHERE member_id = ${memberId}`.execute(database.db);
  expect([route, await ask()]).not.toStrictEqual([route, expect.stringContaining('"code"')]);
});
