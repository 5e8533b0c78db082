import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openSessionOf } from '../accounts.ts';
import { addFullTenant, type FullTenant } from '../authorization/full-tenant.ts';
import { type Ask, requestOf } from '../authorization/matrix-row.ts';
import { MATRIX } from '../authorization/matrix-rows.ts';
import type { ApiDocument, Operation, Schema } from '../authorization/random-call.ts';
import { clientAt, serve } from '../client.ts';
import { describedCalls } from '../contract.ts';
import { emptyDatabase } from '../db.ts';
import { isNumber, numberPlaces, queryPlaces, replaced } from './replaced.ts';

/** Makes every call as its owner does, with one value replaced by an impossible one. */

let api: string;
let reference: ApiDocument;
let owner: FullTenant;
let authorization: string;

beforeAll(async () => {
  api = await serve(await emptyDatabase());
  reference = (await describedCalls()) as ApiDocument;
});

async function addOwner(): Promise<void> {
  const database = await emptyDatabase();
  owner = await addFullTenant(database.db, 'owner');
  authorization = `Bearer ${await openSessionOf(database.login, owner.accountId, Date.now())}`;
}

async function answer(route: string, { path, body }: Ask): Promise<number> {
  const [method = ''] = route.split(' ');
  const asked = requestOf(body);
  const response = await fetch(api + path, { method, ...asked, headers: { authorization, ...asked.headers } });
  const text = await response.text();
  const told = `${method} ${path} ${JSON.stringify(body)?.slice(0, 300)} → ${response.status} ${text.slice(0, 1200)}`;
  expect(response.status, told).toBeLessThan(500);
  if (response.status >= 400) {
    expect(JSON.parse(text), told).toMatchObject({
      message: expect.stringMatching(/[ぁ-ん]/),
      code: expect.stringMatching(/^[a-z_]+$/),
    });
    expect(Buffer.byteLength(text), told).toBeLessThan(1000);
  }
  return response.status;
}

/** Returns the reference's description of a route. */
function operationOf(route: string): Operation {
  const [method = '', path = ''] = route.split(' ');
  const described = path.replaceAll(/:(\w+)/g, '{$1}');
  const [, methods] = Object.entries(reference.paths).find(([key]) => key.replace(/\/$/, '') === described) ?? [];
  return methods?.[method.toLowerCase()] ?? expect.unreachable(route);
}

const takesFile = (route: string): boolean =>
  operationOf(route).requestBody?.content['application/octet-stream'] !== undefined;

const ownAsk = async (route: string): Promise<Ask> => {
  const ask = MATRIX[route]?.own(owner, clientAt(api, authorization));
  return (await ask) ?? { path: '/' };
};

const routes = Object.keys(MATRIX);
// The id of a session is a UUID: features/auth/sessions.test.ts. A provider is one of two names.
const withId = routes.filter(
  (route) => route.includes('/:') && route !== 'PUT /session/:id' && !route.endsWith('/:provider'),
);

const IMPOSSIBLE_NUMBERS = [
  '0',
  '-1',
  '1.5',
  '1e3',
  '9007199254740993',
  '9223372036854775808',
  '１',
  '1 OR 1=1',
  '1,2',
  '\0',
  '../1',
];
const NUMBERS_OF_NOBODY = ['987654321', '2147483647', '2147483648', '9007199254740991'];
const NUMBER_IN_PATH = /\/\d+(?=\/|$)/g;

describe('a number in the path', () => {
  // All requests are refused, so one owner serves all calls.
  beforeAll(addOwner);

  test('the calls that have one were found', () => expect(withId.length).toBeGreaterThan(7));

  test.each(withId)(
    'bad-inputs 21–28: %s with an impossible number, and with an unknown one, at each place',
    async (route) => {
      const { path, body } = await ownAsk(route);
      const { parameters = [] } = operationOf(route);
      const asked = parameters.filter((parameter) => parameter.in === 'path');
      const [resource = '', search = ''] = path.split(/(?=\?)/);
      const places = [...resource.matchAll(NUMBER_IN_PATH)];
      expect(places).toHaveLength(asked.length);
      for (const [at, { index, 0: own }] of places.entries()) {
        // The reference omits the maximum of an id.
        const { maximum = Number.MAX_SAFE_INTEGER } = asked[at]?.schema ?? {};
        const ask = (number: string) => {
          const changed = `${resource.slice(0, index)}/${encodeURIComponent(number)}${resource.slice(index + own.length)}`;
          return answer(route, { path: changed + search, ...(body && { body }) });
        };
        for (const number of IMPOSSIBLE_NUMBERS)
          expect([at, number, await ask(number)]).toStrictEqual([at, number, 400]);
        for (const number of NUMBERS_OF_NOBODY) {
          const status = Number(number) > maximum ? 400 : 404;
          expect([at, number, await ask(number)]).toStrictEqual([at, number, status]);
        }
      }
    },
  );
});

/** Numbers at and beyond the limits of PostgreSQL's types: each place of a number gets all of them. */
const NUMBERS = [2, 0, -1, 1.5, 32_768, 2_147_483_648, -2_147_483_649, 2 ** 53 - 1, 2 ** 53, 2 ** 63, -(2 ** 63), 1e19];
const VALUES: readonly unknown[] = [null, true, ...NUMBERS, [1, 2], [], {}];
const SHAPES: readonly unknown[] = [
  { $ne: 1 },
  { or: [{ id: 1 }] },
  { constructor: { prototype: {} } },
  { ['x'.repeat(2000)]: 1 },
];
/** Refused everywhere, so that each parameter of a query has a refusal. */
const NUL = 'a\0';
const TEXTS = ['0', '1e3', '１', '٣', '1 OR 1=1', 'NaN', '0000-00-00', '\ud800', NUL, '\u202e', '9'.repeat(400)];
const JSON_TEXTS = ['[null]', '[1', '{', '[{"prospect_id":1,"__proto__":{"a":1}}]', '{"__proto__":{"a":1}}'];
const NUL_IN_JSON = '[{"prospect_id":1,"company_name":"\\u0000"}]';
const LONG = ['['.repeat(50_000), 'あ'.repeat(50_000), Array.from({ length: 1001 }, () => ({ prospect_id: '1' }))];

/** The replacements of a value; some are JSON texts, because a list may be encoded as JSON. */
const HOSTILE: readonly unknown[] = [...VALUES, ...SHAPES, ...TEXTS, ...JSON_TEXTS, NUL_IN_JSON, ...LONG];

/** Each part of a body or query gets one of this many values, in turn. `npm run faults` tries all. */
const SHARE = Number(process.env.FUZZ_SHARE ?? 3);
const isInTurn = (index: number, part: number): boolean => (index + part) % SHARE === 0;
const isTried = (index: number, part: number, of: Schema): boolean =>
  isInTurn(index, part) || (isNumber(of) && NUMBERS.includes(HOSTILE[index] as number));

const bodySchema = (route: string): Schema | undefined =>
  operationOf(route).requestBody?.content['application/json']?.schema;

const WITHOUT_BODY = [
  'POST /session/end_others',
  'POST /auth/logout',
  'PUT /auth/confirmation_token/:id',
  'POST /send_log/:id/retry',
  'POST /delivery/:id/retry',
  'POST /sender/:id/confirmation',
  'POST /job/:id/cancel',
  'POST /prospect/:id/archive',
  'POST /prospect/:id/restore',
  'POST /import/:id/discard',
  'POST /import/:id/file/delete',
  'POST /export/:id/delete',
  'POST /import/:id/undo',
  'POST /mail_template/:id/archive',
  'POST /mail_template/:id/restore',
  'POST /mail_template_folder/:id/remove',
  'POST /member/:id/password_reset',
  'POST /invitation/:id/send',
  'POST /mailbox/:id/authorize',
  'POST /prospect/samples',
  'POST /prospect/samples/remove',
];
/**
 * The call that skips a malformed event, and processes the others of its batch.
 * See features/sendgrid-events/sendgrid-events.test.ts.
 */
const TOLERANT = 'POST /sendgrid/events';

/** The calls with bodies of bytes. See upload.test.ts of imports and suppression-list.test.ts. */
const RAW = ['PUT /import/:id/content', 'POST /suppression/import'];

const changing = routes.filter(
  (route) => !route.startsWith('GET') && ![...WITHOUT_BODY, ...RAW, TOLERANT].includes(route),
);

describe('an impossible value in place of a field', () => {
  // Some values are accepted, and change what the next call needs.
  beforeEach(addOwner);

  test.each(changing)(
    'bad-inputs 14, 15, 21–34, 47: %s with an impossible value in each of its fields',
    async (route) => {
      const { path, body } = await ownAsk(route);
      const schema = bodySchema(route);
      expect(Object.keys(schema?.properties ?? {})).toStrictEqual(expect.arrayContaining(Object.keys(body ?? {})));
      const seen = new Map<string, Set<number>>();
      const first = changing.indexOf(route);
      for (const [index, by] of HOSTILE.entries()) {
        for (const [turn, { place, value, of }] of [...replaced(body, by, schema)].entries()) {
          if (!isTried(index, first + turn, of)) continue;
          const status = await answer(route, { path, body: value as object });
          seen.set(place, (seen.get(place) ?? new Set()).add(status));
        }
      }
      expect(seen.size).toBeGreaterThan(0);
      expect([...seen.keys()]).toStrictEqual(expect.arrayContaining([...numberPlaces(schema ?? {})]));
      for (const [place, statuses] of seen)
        expect([place, [...statuses]]).toStrictEqual([place, expect.arrayContaining([400])]);
    },
    180_000,
  );
});

describe('bodies that are refused whole', () => {
  beforeAll(addOwner);

  test.each(WITHOUT_BODY)('%s with a field, though it takes none', async (route) => {
    const { path } = await ownAsk(route);
    expect(await answer(route, { path, body: { all: 1 } })).toBe(400);
  });

  test('bad-inputs 47: a flag must be 0 or 1 in every call', async () => {
    const places = new Set<string>();
    for (const route of changing) {
      const { path, body } = await ownAsk(route);
      for (const by of ['0', '1', true, 2, -1, null, []]) {
        for (const { place, value } of replaced(body, by)) {
          if (!/\.(active|test_send_mode)$/.test(place)) continue;
          places.add(`${route} ${place}`);
          const status = await answer(route, { path, body: value as object });
          expect([route, place, by, status]).toStrictEqual([route, place, by, 400]);
        }
      }
    }
    expect(places.size).toBeGreaterThanOrEqual(7);
  });

  test.each([-1, 3651, 7.5, '7', 'NaN', null])(
    'bad-inputs 55: a send with days_from_lastday %j is refused',
    async (days_from_lastday) => {
      const { path, body } = await ownAsk('POST /mail/send/:sender_id');
      expect(await answer('POST', { path, body: { ...body, days_from_lastday } })).toBe(400);
    },
  );

  test('bad-inputs 27, 28, 40–42, 54, 55: every parameter of every query with an impossible value', async () => {
    const written = HOSTILE.map((by, index) => ({ index, value: typeof by === 'string' ? by : JSON.stringify(by) }));
    const fitting = written.filter(({ value }) => value.length < 3000);
    let places = 0;
    for (const route of routes) {
      for (const { name, of } of queryPlaces(operationOf(route))) {
        const { path, body } = await ownAsk(route);
        const own = new URL(path, 'http://localhost');
        const part = places;
        const given = fitting.filter(({ index, value }) => value === NUL || isTried(index, part, of));
        const asks = given.map(({ value }) => {
          own.searchParams.set(name, value);
          return { path: own.pathname + own.search, ...(body && { body }) };
        });
        // An account may send one part of a file at a time.
        const atOnce = takesFile(route) ? 1 : asks.length;
        const statuses: number[] = [];
        for (let next = 0; next < asks.length; next += atOnce) {
          const some = asks.slice(next, next + atOnce);
          statuses.push(...(await Promise.all(some.map((ask) => answer(route, ask)))));
        }
        places += 1;
        expect([route, name, statuses]).toStrictEqual([route, name, expect.arrayContaining([400])]);
      }
    }
    expect(places).toBeGreaterThan(40);
  }, 180_000);
});
