import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, clientAt, serve } from '#test/client.ts';
import { emptyDatabase } from '#test/db.ts';
import { addReservation } from '#test/prospect-history.ts';
import { addProspects, addSender, addSenderGroup, addTenant } from '#test/prospects.ts';
import { openSessionOf } from '../accounts.ts';

/**
 * Tests every list call and its pages: bad-inputs 30–37, 40 and 207.
 * A call accepts only its own names and comparisons.
 */

let client: Client;
let read: (path: string) => Promise<Response>;

beforeAll(async () => {
  const database = await emptyDatabase();
  const { db } = database;
  const tenant = await addTenant(db);
  const { accountId, senderGroupId } = tenant;
  const ids = await addProspects(db, accountId, [{}, {}, {}]);
  const token = await openSessionOf(database.login, accountId, Date.now());
  const address = await serve(database);
  client = clientAt(address, `Bearer ${token}`);
  read = (path) => fetch(address + path, { headers: { authorization: `Bearer ${token}` } });
  // Adds three rows to each list.
  for (const [n, prospect_id] of ids.entries()) {
    if (n > 0) await addSender(db, { accountId, senderGroupId: await addSenderGroup(db, accountId) });
    const switched = { add_info: { prospect_id, sender_group_id: senderGroupId }, duplicate_key_update_info: {} };
    await client.post('/active_prospect/', switched);
    await client.post('/send_log', { sender_group_id: senderGroupId, attack_list: [prospect_id] });
    await addReservation(db, tenant, [prospect_id], { sendAt: new Date(Date.UTC(2026, 11, 1 + n)) });
  }
});

const json = (value: unknown) => encodeURIComponent(JSON.stringify(value));

const IMPOSSIBLE_IDS = ['', '0', '-1', '1.5', '1e3', '9007199254740993', '9223372036854775808', '１', '1 OR 1=1'];

/** Each list, with an id that it can filter by. */
describe.each([
  ['/sender_group/list', 'account_id'],
  ['/sender/list', 'sender_group_id'],
  ['/sender_profile/list', 'sender_group_id'],
  ['/active_prospect/list', 'sender_group_id'],
  ['/send_log/list', 'sender_group_id'],
  ['/reservation/list', 'sender_id'],
  ['/prospect/list', 'id'],
])('GET %s', (path, id) => {
  test.each([
    ['30: where_info is not JSON', `where_info=${encodeURIComponent('{"id":')}`],
    ['8: a name twice in the JSON of a parameter', `where_info=${encodeURIComponent(`{"${id}":1,"${id}":2}`)}`],
    ['7: JSON of a parameter nested too deep', `where_info=${'['.repeat(40)}${']'.repeat(40)}`],
    ['30: where_info is a list', `where_info=${json([{ [id]: 1 }])}`],
    ['30: where_info is a number', 'where_info=1'],
    ['30: where_info is null', 'where_info=null'],
    ['31: the operator of another database', `where_info=${json({ [id]: { $ne: 1 } })}`],
    ['31: the same in brackets', `where_info[${id}][$ne]=1`],
    ['31: a comparison of ours where there is none', `where_info=${json({ [id]: { in: [1] } })}`],
    ['32: or', `where_info=${json({ or: [{ [id]: 1 }, { [id]: 2 }] })}`],
    ['33: a list of values', `where_info=${json({ [id]: [1, 2] })}`],
    ['33: the same in brackets', `where_info[${id}][]=1&where_info[${id}][]=2`],
    ['33: two values', `where_info[${id}]=1&where_info[${id}]=2`],
    ...IMPOSSIBLE_IDS.map((value): [string, string] => [
      `29: the id ${value}`,
      `where_info[${id}]=${encodeURIComponent(value)}`,
    ]),
    ['34: an unknown key', `where_info=${json({ password_hash: 1 })}`],
    ['34: a key of every object', `where_info=${json({ toString: 1 })}`],
    ['34: an unknown parameter', 'order_by=id'],
    ['35: all columns by a star', 'columns=*'],
    ['35: the same as a list', `columns=${json(['*'])}`],
    ['36: a column of secrets', `columns=${json(['id', 'password_hash'])}`],
    ['37: SQL in a column', `columns[]=${encodeURIComponent('id;drop table')}`],
    ['37: SQL in a key', `where_info=${json({ [`${id}=1 OR 1`]: 1 })}`],
    ...['constructor', 'toString', 'valueOf', '__proto__', '%5F%5Fproto_%5f'].flatMap((name): [string, string][] => [
      [`207: ${name} as a parameter`, `${name}=1`],
      [`207: ${name} as a parameter with brackets`, `${name}[x]=1`],
      [`207: ${name} as a key`, `where_info[${name}]=1`],
      [`207: ${name} as a key with brackets`, `where_info[${name}][x]=1`],
      [`207: ${name} as a comparison`, `where_info[${id}][${name}]=1`],
      [`207: ${name} beside a comparison`, `where_info[id][gt]=1&where_info[id][${name}]=1`],
      [`207: ${name} as a column`, `columns[]=${name}`],
      [`207: ${name} as a place of a column`, `columns[${name}]=id`],
    ]),
    ['40: limit -1', 'limit=-1'],
    ['40: limit 0', 'limit=0'],
    ['40: limit 1e9', 'limit=1000000000'],
    ['40: offset -1', 'offset=-1'],
    ['40: offset beyond counting', 'offset=99999999999999'],
    ['40: limit 1e9 in another form', 'limit=1e9'],
  ])('bad-inputs %s', async (_, query) => {
    const { status, body } = await client.get(`${path}?${query}`);
    expect([status, body]).toMatchObject([
      400,
      { code: 'invalid_input', message: expect.stringMatching(/[ぁ-ん]/), details: expect.any(Array) },
    ]);
    expect(JSON.stringify(body).length).toBeLessThan(1000);
  });

  test('accepts limit and offset, and answers the total and the link to the next page', async () => {
    const page = async (asked: string) => {
      const answer = await read(asked);
      const next = /^<\/api\/v1([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1];
      const rows = (await answer.json()) as Record<string, unknown>[];
      return { status: answer.status, total: answer.headers.get('x-total-count'), next, rows };
    };
    const expected = { status: 200, total: '3', next: undefined };
    const all = await page(path);
    expect(all).toStrictEqual({ ...expected, rows: [expect.anything(), expect.anything(), expect.anything()] });
    const key = path === '/active_prospect/list' ? 'prospect_id' : 'id';
    const keys = all.rows.map((row) => ({ [key]: row[key] }));
    expect(new Set(keys.map((row) => row[key])).size).toBe(3);
    const filter = `where_info[${key}][gte]=1&columns[]=${key}&limit=2`;
    const first = await page(`${path}?${filter}`);
    expect(first).toStrictEqual({ ...expected, next: expect.any(String), rows: keys.slice(0, 2) });
    expect(await page(first.next ?? '')).toStrictEqual({ ...expected, rows: keys.slice(2) });
    expect(await page(`${path}?offset=2&limit=1`)).toStrictEqual({ ...expected, rows: all.rows.slice(2) });
    expect(await page(`${path}?offset=3`)).toStrictEqual({ ...expected, rows: [] });
    for (const nobody of [2_147_483_647, 2_147_483_648, Number.MAX_SAFE_INTEGER]) {
      const none = await page(`${path}?where_info[${key}]=${nobody}`);
      expect(none).toStrictEqual({ ...expected, total: '0', rows: [] });
    }
  });

  test('can be requested in equivalent forms without an error', async () => {
    for (const query of [`where_info=${json({ [id]: 1 })}`, `where_info[${id}]=1`, 'where_info={}', 'limit=1']) {
      expect([query, (await client.get(`${path}?${query}`)).status]).toStrictEqual([query, 200]);
    }
  });
});
