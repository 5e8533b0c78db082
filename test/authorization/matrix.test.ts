import { beforeAll, describe, expect, test } from 'vitest';
import { SESSION_ABSOLUTE_MS, SESSION_IDLE_MS } from '#domain/limits.ts';
import { closeSession } from '#server/features/auth/session.ts';
import { openSessionOf } from '../accounts.ts';
import { type Api, type Client, clientAt, readAnswer, serveApp } from '../client.ts';
import { emptyDatabase, type TestDatabase } from '../db.ts';
import { openAs } from '../open-as.ts';
import { addFullTenant, type FullTenant, fingerprint, tenantTables } from './full-tenant.ts';
import { type Ask, requestOf } from './matrix-row.ts';
import { MATRIX } from './matrix-rows.ts';
import { apiRoutes } from './routes.ts';
import { withoutScope } from './without-scope.ts';

/**
 * Permissions: every call of the route table × every kind of caller.
 * Another account makes each call twice, the second time without the account's condition in every query: then only row
 * level security separates the accounts.
 */

let database: TestDatabase;
let routes: string[];
let served: Api;
let servedUnscoped: Api;
let removedScopes: (accountId: number) => number;
let unscoped: (accountId: number) => readonly string[];
let writing: (accountId: number) => number;
let owner: FullTenant;

beforeAll(async () => {
  database = await emptyDatabase();
  const tables = await tenantTables(database.db);
  // The pool has one connection, so a call that needs a second one during its first fails.
  const watched = withoutScope(database.url, tables, { countsOnly: true, connections: 1 });
  const { db: login, close: closeLogin } = openAs('login', database.url, 1);
  ({ unscoped, writing } = watched);
  served = await serveApp({ ...database, api: watched.api, login }, Date.now, { accountLimits: { connections: 1 } });
  const stripped = withoutScope(database.url, tables);
  removedScopes = stripped.removed;
  servedUnscoped = await serveApp({ ...database, api: stripped.api });
  routes = apiRoutes(served.app);
  owner = await addOwner();
  return async () => {
    await watched.close();
    await closeLogin();
    await stripped.close();
  };
});

const addOwner = () => addFullTenant(database.db, 'ownermark');
const addStranger = () => addFullTenant(database.db, 'strangermark');

const methodOf = (route: string) => route.split(' ')[0] ?? '';
/** Returns the tenant of a call: calls that write have their own tenants, because they change them. */
const ownerOf = (route: string) => (methodOf(route) === 'GET' ? owner : addOwner());
const rows = Object.entries(MATRIX);
const guarded = rows.filter(([, row]) => !row.open);
const guardedRoutes = guarded.map(([route]) => route);
/** The first guarded call of each method. */
const oneOfEach = guardedRoutes.filter(
  (route, at) => guardedRoutes.findIndex((other) => methodOf(other) === methodOf(route)) === at,
);

/** Cells without a query of an account: there is no condition to remove. */
const UNSCOPED_CELLS = new Set([
  // Ends the token's own session.
  'POST /auth/logout plain',
  // Compares the account in the path with the session's, and reads no row.
  'PUT /account/:id path',
  'PUT /account/:id path, pending address',
  'PUT /account/:id path, confirmed address',
  'PUT /auth/password/:account_id path',
  'PUT /auth/confirmation_token/:id path',
  'POST /mail/send/confirmation/:id path',
  'POST /auth/confirmation_token/:id/confirm path',
]);

async function call(
  { address }: Api,
  route: string,
  { path, body }: Ask,
  authorization?: string,
): Promise<{ status: number; text: string }> {
  const asked = requestOf(body);
  const response = await fetch(address + path, {
    method: methodOf(route),
    ...asked,
    headers: { ...(authorization !== undefined && { authorization }), ...asked.headers },
  });
  return { status: response.status, text: await readAnswer(response) };
}

const sessionOf = async ({ accountId }: FullTenant, openedAt = Date.now()) =>
  `Bearer ${await openSessionOf(database.login, accountId, openedAt)}`;

/** Returns a client of one account with a new session, as a row of the matrix may end its sessions. */
const clientOf = async (tenant: FullTenant): Promise<Client> => clientAt(served.address, await sessionOf(tenant));

test('every call of the route table has a row, and every row a call', () => {
  expect(routes.length).toBeGreaterThan(15);
  expect(Object.keys(MATRIX).sort()).toStrictEqual([...routes].sort());
});

describe('no unauthorised caller gets in', () => {
  const LIVE = 60_000;
  const callers: Record<string, (whose: FullTenant) => Promise<string | undefined> | string | undefined> = {
    'with an empty header': () => '',
    'with another scheme': async (whose) => (await sessionOf(whose)).replace('Bearer', 'Basic'),
    'with a malformed token': () => 'Bearer not-a-token',
    'with a token of nobody': () => `Bearer ${'A'.repeat(43)}`,
    'with a token of 8 KB': () => `Bearer ${'A'.repeat(8000)}`,
    'with a token and something behind it': async (whose) => `${await sessionOf(whose)} x`,
    'with a session unused for too long': (whose) => sessionOf(whose, Date.now() - SESSION_IDLE_MS - LIVE),
    'with a session too old, though used': async (whose) => {
      const session = await sessionOf(whose, Date.now() - SESSION_ABSOLUTE_MS - LIVE);
      await database.db
        .updateTable('session')
        .set({ last_used_at: new Date() })
        .where('account_id', '=', whose.accountId)
        .execute();
      return session;
    },
    'after logging out': async (whose) => {
      const session = await sessionOf(whose);
      await closeSession(database.login, session.slice('Bearer '.length));
      return session;
    },
  };

  const asks = new Map<string, Ask>();
  let victim: FullTenant;
  let before: unknown;

  beforeAll(async () => {
    victim = await addOwner();
    const asking = await clientOf(victim);
    for (const [route, row] of guarded) asks.set(route, await row.own(victim, asking));
    before = await fingerprint(database.db, victim.accountId);
  });

  // Requiring a token is checked for each call; the validity of tokens once, because all calls share that code.
  test.each([
    ['without a token', guardedRoutes] as const,
    ...Object.keys(callers).map((caller) => [caller, oneOfEach] as const),
  ])('%s', async (caller, called) => {
    for (const route of called) {
      const ask = asks.get(route) ?? expect.unreachable();
      const { status, text } = await call(served, route, ask, await callers[caller]?.(victim));
      expect([route, status, JSON.parse(text)]).toMatchObject([route, 401, { code: 'unauthorized' }]);
    }
    expect(await fingerprint(database.db, victim.accountId)).toStrictEqual(before);
  });
});

test.each(guarded)(
  '%s: the owner may on one connection, and every query names the account of each table',
  async (route, row) => {
    const asker = await ownerOf(route);
    const ask = await row.own(asker, await clientOf(asker));
    const written = writing(asker.accountId);
    const { status, text } = await call(served, route, ask, await sessionOf(asker));
    expect([status, text]).toStrictEqual([row.ownGets ?? 200, text]);
    expect(text).not.toMatch(/argon2|password_hash|token_hash/);
    expect(unscoped(asker.accountId)).toStrictEqual([]);
    if (methodOf(route) === 'GET') expect(writing(asker.accountId) - written).toBe(0);
  },
);

describe.each([
  ['with both belts', () => served, false],
  ['without the first belt', () => servedUnscoped, true],
] as const)('another account, %s', (_, api, isTakenOff) => {
  let stranger: FullTenant;
  let unchanged: unknown;

  beforeAll(async () => {
    stranger = await addStranger();
    unchanged = await fingerprint(database.db, owner.accountId);
  });

  test.each(guarded)('%s: a stranger may not', async (route, row) => {
    const asker = stranger;
    const attacks = Object.entries(row.foreign(owner, asker));
    for (const [place, { ask, gets }] of attacks) {
      const before = removedScopes(asker.accountId);
      const { status, text } = await call(api(), route, ask, await sessionOf(asker));
      const wasScoped = removedScopes(asker.accountId) > before;
      // The call has changed the stranger's own rows, so the next call needs another stranger.
      if (status === 200 && methodOf(route) !== 'GET') stranger = await addStranger();
      expect([place, wasScoped]).toStrictEqual([place, isTakenOff && !UNSCOPED_CELLS.has(`${route} ${place}`)]);
      const answer = 'status' in gets ? { status } : { shows: JSON.parse(text) };
      expect([place, answer, text]).toStrictEqual([place, gets, text]);
      expect(text, place).not.toMatch(/ownermark/);
    }
    expect(await fingerprint(database.db, owner.accountId)).toStrictEqual(unchanged);
  });

  test('data of another account are answered like data that do not exist', async () => {
    const asker = stranger;
    const missing: FullTenant = {
      ...owner,
      accountId: 999_999_999,
      senderGroupId: 999_999_999,
      senderId: 999_999_999,
      reservationId: 999_999_999,
      sendLogId: 999_999_999,
      openRunId: 999_999_999,
      unknownDeliveryId: 999_999_999,
      suppressionId: 999_999_999,
      replyId: 999_999_999,
      prospectIds: [999_999_999],
    };
    for (const [route, row] of guarded) {
      const there = row.foreign(owner, asker);
      const nowhere = row.foreign(missing, asker);
      for (const place of Object.keys(there)) {
        const ask = async (foreign: typeof there) => {
          const { ask: asked, gets } = foreign[place] ?? expect.unreachable();
          return 'status' in gets ? call(api(), route, asked, await sessionOf(asker)) : null;
        };
        expect([route, place, await ask(there)]).toStrictEqual([route, place, await ask(nowhere)]);
      }
    }
  });
});
