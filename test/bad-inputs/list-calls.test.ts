import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, clientOf } from '#test/client.ts';
import { createTestDatabase } from '#test/db.ts';
import { addProspects, addTenant } from '#test/prospects.ts';

/** bad-inputs 30–37, 40 and 207, of every list call: a filter knows its names and its comparisons, and nothing else is tried. */

let client: Client;

beforeAll(async () => {
  const database = await createTestDatabase();
  const { accountId } = await addTenant(database.db);
  await addProspects(database.db, accountId, [{}]);
  client = await clientOf(database, accountId);
  return () => database.drop();
});

const json = (value: unknown) => encodeURIComponent(JSON.stringify(value));

/** Each list with an id it filters by. */
describe.each([
  ['/sender_group/list', 'account_id'],
  ['/sender/list', 'sender_group_id'],
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
    ['40: limit 1e9 in another form', 'limit=1e9'],
  ])('bad-inputs %s', async (_, query) => {
    const { status, body } = await client.get(`${path}?${query}`);
    expect([status, body]).toMatchObject([
      400,
      { code: 'invalid_input', message: expect.stringMatching(/[ぁ-ん]/), details: expect.any(Array) },
    ]);
    expect(JSON.stringify(body).length).toBeLessThan(1000);
  });

  test('is asked in the same ways without a fault', async () => {
    for (const query of [`where_info=${json({ [id]: 1 })}`, `where_info[${id}]=1`, 'where_info={}', 'limit=1']) {
      expect([query, (await client.get(`${path}?${query}`)).status]).toStrictEqual([query, 200]);
    }
  });
});
