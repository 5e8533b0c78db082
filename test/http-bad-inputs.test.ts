import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { API_BASE, type Call } from '#contract/call.ts';
import { openSessionOf } from './accounts.ts';
import { serve } from './client.ts';
import { contractCalls } from './contract.ts';
import { emptyDatabase } from './db.ts';
import { addTenant } from './prospects.ts';
import { exchange, requestText } from './raw-http.ts';

/** bad-inputs.md 1–19, 38, 39: for every call, or for one call if the same code reads all. */

let api: string;
let token: string;
let accountId: number;

beforeAll(async () => {
  const database = await emptyDatabase();
  ({ accountId } = await addTenant(database.db));
  token = await openSessionOf(database.login, accountId, Date.now());
  api = await serve(database);
});

const calls = (await contractCalls()).map(({ call }) => call);

const withBody = calls.filter(({ body }) => body !== undefined);
const pathOf = ({ path }: Call) => path.replaceAll(/:\w+/g, '1');

const JSON_TYPE = { 'content-type': 'application/json' };

interface Sent {
  readonly body?: string | Buffer;
  readonly headers?: Record<string, string>;
}

async function ask(method: string, path: string, { body, headers = JSON_TYPE }: Sent) {
  const response = await fetch(api + path, {
    method,
    headers: { authorization: `Bearer ${token}`, ...headers },
    ...(body !== undefined && { body }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Checks the form of a refusal: short, Japanese, with a stable code and without internals. */
function expectRefusal({ status, text }: { status: number; text: string }, expected: number): void {
  expect([status, text]).toStrictEqual([expected, expect.any(String)]);
  expect(JSON.parse(text)).toMatchObject({
    message: expect.stringMatching(/[ぁ-ん]/),
    code: expect.stringMatching(/^[a-z_]+$/),
  });
  expect(Buffer.byteLength(text)).toBeLessThan(1000);
  expect(text).not.toMatch(/\bat .*\.[tj]s|node_modules|FST_|Error:/);
}

const nested = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`;
/** Compressed once, because it takes as long as a hundred requests. */
const bomb = gzipSync(Buffer.alloc(20_000_000));
const utf16 = Buffer.from('{"email":"a@b.jp","password":"x"}', 'utf16le');

test('the calls of the contract were found', () => {
  expect(calls.length).toBeGreaterThan(15);
  expect(withBody.length).toBeGreaterThan(8);
  expect(parsed).toHaveLength(PARSED.length);
});

type Case = readonly [name: string, status: number, sent: Sent];

/** Refused by the schema of each call. */
const bySchema = ({ body }: Call): readonly Case[] => [
  ['bad-inputs 1: empty body', 400, { body: '' }],
  ['bad-inputs 1: no body at all', 400, { headers: {} }],
  ['bad-inputs 2: null', 400, { body: 'null' }],
  ['bad-inputs 3: [], or {} where a list is taken', 400, { body: body instanceof z.ZodArray ? '{}' : '[]' }],
  ['bad-inputs 4: "x"', 400, { body: '"x"' }],
  ['an unknown field', 400, { body: `{"${'x'.repeat(5000)}":1}` }],
  [
    'an unknown field that JSON writes in six times its length',
    400,
    { body: `{"${String.raw`\u0001`.repeat(200)}":1}` },
  ],
];

/** Refused by common code for all calls, before any schema. */
const byParser = ({ largeBody }: Call): readonly Case[] => [
  ['bad-inputs 5: truncated JSON', 400, { body: '{"update_info":{"name"' }],
  ['bad-inputs 6: 2 MB of JSON', 413, { body: `{"a":"${'x'.repeat(2_000_000)}"}` }],
  ['bad-inputs 7: JSON 10,000 levels deep', largeBody ? 400 : 413, { body: nested }],
  ['bad-inputs 8: a key twice', 400, { body: '{"email":"a@b.jp","email":"c@d.jp"}' }],
  ['bad-inputs 9: __proto__', 400, { body: '{"__proto__":{"admin":1}}' }],
  ['bad-inputs 10: constructor.prototype', 400, { body: '{"constructor":{"prototype":{"admin":1}}}' }],
  ['bad-inputs 11: text/plain', 415, { body: '{}', headers: { 'content-type': 'text/plain' } }],
  ['bad-inputs 11: a form', 415, { body: 'a=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } }],
  ['bad-inputs 11: no type', 415, { body: Buffer.from('{}'), headers: {} }],
  ['bad-inputs 11: a type that is none', 415, { body: '{}', headers: { 'content-type': 'json' } }],
  ['bad-inputs 12: UTF-16', 400, { body: utf16 }],
  ['bad-inputs 12: UTF-16 with its mark', 400, { body: Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]) }],
  [
    'bad-inputs 12: UTF-16 as it says',
    415,
    { body: utf16, headers: { 'content-type': 'application/json; charset=utf-16' } },
  ],
  [
    'bad-inputs 13: invalid UTF-8',
    400,
    { body: Buffer.from([...Buffer.from('{"email":"'), 0xc3, 0x28, ...Buffer.from('"}')]) },
  ],
  ['bad-inputs 14: half a surrogate pair', 400, { body: '{"email":"a\\ud800@b.jp"}' }],
  ['bad-inputs 15: NUL', 400, { body: '{"email":"a\\u0000@b.jp"}' }],
  ['bad-inputs 16: gzip bomb', 415, { body: bomb, headers: { ...JSON_TYPE, 'content-encoding': 'gzip' } }],
];

const named = withBody.map((call) => [`${call.method} ${call.path}`, call] as const);
/** A call with a small body, one with a large one, and one with a list. */
const PARSED = ['POST /auth/login', 'POST /send_log', 'POST /sendgrid/events'];
const parsed = named.filter(([name]) => PARSED.includes(name));

describe.each(named)('%s', (_name, call) => {
  test.each(bySchema(call))('%s', async (_line, status, sent) => {
    expectRefusal(await ask(call.method, pathOf(call), sent), status);
  });
});

describe.each(parsed)('before the schema of %s', (_name, call) => {
  test.each(byParser(call))('%s', async (_line, status, sent) => {
    expectRefusal(await ask(call.method, pathOf(call), sent), status);
  });
});

describe('the limit of a body', () => {
  const large = withBody.filter(({ largeBody }) => largeBody);

  test('is 1 MiB for an attack list, a template, a company, filters, events, suppressions or closing days', () =>
    expect(large.map(({ method, path }) => `${method} ${path}`).toSorted()).toStrictEqual([
      'POST /closing_day/import',
      'POST /export',
      'POST /import/:id/check',
      'POST /mail/check/:sender_id',
      'POST /mail/preview/:sender_id',
      'POST /mail/send/:sender_id',
      'POST /mail_template/:id/preview',
      'POST /mail_template/:id/test',
      'POST /prospect',
      'POST /prospect/bulk',
      'POST /reservation',
      'POST /send_log',
      'POST /sendgrid/events',
      'POST /suppression',
      'PUT /mail_template/:id',
      'PUT /prospect/:id',
    ]));

  test.each(named)('bad-inputs 208: %s is refused because of its length', async (_name, call) => {
    const limit = call.largeBody ? 1024 * 1024 : 16 * 1024;
    const head = (length: number) =>
      requestText(`${call.method} ${API_BASE}${pathOf(call)}`, [
        `Authorization: Bearer ${token}`,
        'Content-Type: application/json',
        `Content-Length: ${length}`,
      ]);
    const { status, body } = await exchange(api, [head(limit + 1)]);
    expectRefusal({ status, text: body }, 413);
    // A body one byte shorter is read, and refused as no JSON of the call.
    expect((await exchange(api, [head(limit), `${' '.repeat(limit - 4)}null`])).status).toBe(400);
  });

  test('bad-inputs 208: 90,000 names in an object', async () => {
    const names = Array.from({ length: 90_000 }, (_, n) => `"a${n}":1`).join();
    expectRefusal(await ask('POST', '/auth/login', { body: `{${names}}` }), 413);
    const { text, ...answer } = await ask('POST', '/send_log', { body: `{${names}}` });
    expectRefusal({ ...answer, text }, 400);
    expect(JSON.parse(text).message).toContain('100個まで');
  });
});

describe('a chunked body, without a length', () => {
  test('bad-inputs 6: is cut where it exceeds the limit', async () => {
    const head = requestText(`POST ${API_BASE}/auth/login`, [
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
    ]);
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const { status, body } = await exchange(api, [head, ...Array.from({ length: 32 }, () => chunk), '0\r\n\r\n']);
    expectRefusal({ status, text: body }, 413);
  });
});

describe('requests that would otherwise be a log-in', () => {
  const login = (email: string, password: string) =>
    Buffer.from(`{"email":"${email}","password":"${password}"}`, 'latin1');

  test.each([
    ['nothing', 401, login('nobody@example.com', 'x')],
    ['bad-inputs 8: a key twice', 400, login('a@b.jp","email":"nobody@example.com', 'x')],
    ['bad-inputs 8: a key twice, once escaped', 400, login('a@b.jp","\\u0065mail":"nobody@example.com', 'x')],
    ['bad-inputs 13: invalid UTF-8', 400, login('nobody@example.com', '\xc3\x28')],
    ['bad-inputs 13: an overlong form', 400, login('nobody@example.com', '\xc0\x80')],
    ['bad-inputs 14: half a surrogate pair', 400, login('nobody@example.com', '\\ud800')],
    ['bad-inputs 15: NUL', 400, login('nobody@example.com', '\\u0000')],
  ])('%s in it', async (_name, status, body) => {
    expectRefusal(await ask('POST', '/auth/login', { body }), status);
  });
});

describe('charset utf-8 and a byte order mark', () => {
  test.each(['application/json; charset=utf-8', 'application/json;charset=UTF-8', 'Application/JSON'])(
    '%s is read',
    async (type) => {
      const body = '\ufeff{"email":"nobody@example.com","password":"not the password"}';
      expect((await ask('POST', '/auth/login', { body, headers: { 'content-type': type } })).status).toBe(401);
    },
  );
});

const guarded = calls.filter(({ auth }) => auth === undefined);

describe('without a valid token', () => {
  const bearer = (value: string) => `Authorization: ${value}`;
  test.each<[string, (token: string) => string[]]>([
    ['bad-inputs 17: none', () => []],
    ['bad-inputs 17: empty', () => [bearer('')]],
    ['bad-inputs 17: the scheme alone', () => [bearer('Bearer')]],
    ['bad-inputs 17: two tokens', (good) => [bearer(`Bearer ${good} ${good}`)]],
    ['bad-inputs 17: two tokens with a comma', (good) => [bearer(`Bearer ${good}, Bearer ${good}`)]],
    ['bad-inputs 17: 8 KB', () => [bearer(`Bearer ${'x'.repeat(8192)}`)]],
    ['bad-inputs 17: Basic', (good) => [bearer(`Basic ${Buffer.from(`a:${good}`).toString('base64')}`)]],
    ['bad-inputs 17: the token alone', (good) => [bearer(good)]],
    ['bad-inputs 17: another token', () => [bearer(`Bearer ${'x'.repeat(43)}`)]],
    ['bad-inputs 19: two headers', (good) => [bearer(`Bearer ${good}`), bearer(`Bearer ${good}`)]],
    ['bad-inputs 19: a bad and a good header', (good) => [bearer('Bearer x'), bearer(`Bearer ${good}`)]],
    ['a cookie', (good) => [`Cookie: token=${good}`]],
  ])('%s', async (_line, headers) => {
    const { status, body } = await exchange(api, [requestText(`GET ${API_BASE}/account/${accountId}`, headers(token))]);
    expectRefusal({ status, text: body }, 401);
  });

  test.each(['token', 'access_token', 'authorization'])('bad-inputs 18: the token in the query as %s', async (name) => {
    const { status, body } = await exchange(api, [
      requestText(`GET ${API_BASE}/account/${accountId}?${name}=${encodeURIComponent(`Bearer ${token}`)}`),
    ]);
    expectRefusal({ status, text: body }, 401);
  });

  test('bad-inputs 17: `bearer` in lower case is the same scheme', async () => {
    const headers = [`authorization: bearer ${token}`];
    expect((await exchange(api, [requestText(`GET ${API_BASE}/account/${accountId}`, headers)])).status).toBe(200);
  });

  test.each(guarded.map((call) => [`${call.method} ${call.path}`, call] as const))(
    '%s reads no body',
    async (_name, call) => {
      // If the body were read first, the server could only wait for its rest.
      const head = requestText(`${call.method} ${API_BASE}${pathOf(call)}`, [
        ...Object.entries(JSON_TYPE).map((pair) => pair.join(': ')),
        'Content-Length: 1000',
      ]);
      const { status, body } = await exchange(api, [head]);
      expectRefusal({ status, text: body }, 401);
    },
  );
});

describe('a query', () => {
  const lists = calls.filter(({ method, query, path }) => method === 'GET' && query && path.endsWith('/list'));

  test('the lists were found', () => expect(lists.length).toBeGreaterThanOrEqual(2));

  test.each(lists.map(({ path }) => path))('bad-inputs 38: 600 columns of %s', async (path) => {
    for (const columns of [
      'columns[]=id&'.repeat(600),
      `columns=${JSON.stringify(Array.from({ length: 600 }, () => 'id'))}`,
    ]) {
      expectRefusal(await ask('GET', `${path}?${columns}`, { headers: {} }), 400);
    }
  });

  test('bad-inputs 39: where_info of 100 KB', async () => {
    const whereInfo = encodeURIComponent(JSON.stringify({ id: 'x'.repeat(100_000) }));
    expectRefusal(await ask('GET', `/sender/list?where_info=${whereInfo}`, { headers: {} }), 414);
  });

  test.each([
    ['more than 24 KiB', `/prospect/view?sender_group_id=1&address=${'x'.repeat(24 * 1024)}`, 414],
    ['200 KB, more than node reads', `/prospect/view?address=${'x'.repeat(200_000)}`, 431],
    ['a scalar twice', '/prospect/view?sender_group_id=1&sender_group_id=1', 400],
    ['a scalar as a list', '/prospect/view?sender_group_id[]=1', 400],
    ['a scalar as an object', '/prospect/view?sender_group_id[a]=1', 400],
    ['parameters beyond counting', `/prospect/view?sender_group_id=1${'&'.repeat(200)}unknown=1`, 400],
    ['brackets beyond depth', '/sender/list?where_info[a][b][c][d][e][f]=1', 400],
    ['__proto__ in brackets', '/sender/list?where_info[__proto__][admin]=1&where_info[x]=1', 400],
    ['bad-inputs 207: a parameter that every object has', '/prospect/view?sender_group_id=1&constructor=1', 400],
    ['bad-inputs 207: the prototype as a parameter', '/prospect/view?sender_group_id=1&__proto__=1', 400],
    ['percent signs of nothing', '/account/%zz', 400],
    ['bytes that are no UTF-8', '/account/%ff', 400],
  ])('%s', async (_name, path, status) => {
    expectRefusal(await ask('GET', path, { headers: {} }), status);
  });
});
