import { beforeAll, describe, expect, test } from 'vitest';
import { MAX_FILTERS_IN_ADDRESS } from '#domain/limits.ts';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase } from '#test/db.ts';
import { addProspects, addTenant } from '#test/prospects.ts';

/** Tests the text filters of each call: a text is accepted whole, or refused with an error at its field. */

let client: Client;
let groupId = 0;

beforeAll(async () => {
  const database = await emptyDatabase();
  const { accountId, senderGroupId } = await addTenant(database.db);
  groupId = senderGroupId;
  await addProspects(database.db, accountId, [{}, { address: '東京都港区' }]);
  client = await clientOf(database, accountId);
});

const TOO_MANY = '語は100個までにしてください';
const TOO_LONG = '絞り込みの条件が長すぎます。語を減らしてください';
const terms = (count: number, write: (index: number) => string) =>
  Array.from({ length: count }, (_, n) => write(n)).join();

describe.each([
  ['/prospect/view', '', 'total'],
  ['/attack_list/preview', '', 'matched'],
  ['/attack_list/left_out', '&reason=no_email', 'total'],
])('bad-inputs 216: filters of %s', (path, more, total) => {
  const ask = (filters: Record<string, string>) =>
    client.get(`${path}?${new URLSearchParams({ sender_group_id: String(groupId), ...filters })}${more}`);

  test.each<[string, Record<string, string>]>([
    ['a term after 199 characters', { address: `${'無'.repeat(199)}、東京` }],
    ['a hundred terms, the last of which matches', { address: terms(100, (n) => (n === 99 ? '東京' : `無い町${n}`)) }],
    [
      'all that an address takes',
      { address: `東京,${'x'.repeat(MAX_FILTERS_IN_ADDRESS - 'address=%E6%9D%B1%E4%BA%AC%2C&'.length)}` },
    ],
  ])('%s is looked for to the last term', async (_, filters) => {
    const { status, body } = await ask(filters);
    expect([status, (body as Record<string, number>)[total]]).toStrictEqual([200, 1]);
  });

  test.each<[string, Record<string, string>, string, string]>([
    ['101 terms', { address: terms(101, String) }, 'address', TOO_MANY],
    ['3,000 terms', { company_email: terms(3000, String) }, 'company_email', TOO_MANY],
    [
      'one character more than an address takes',
      { address: '東'.repeat(MAX_FILTERS_IN_ADDRESS / 9) },
      'address',
      TOO_LONG,
    ],
    ['too much in all', { address: '東'.repeat(900), major_industry_type: '製'.repeat(500) }, 'address', TOO_LONG],
  ])('%s is refused at its field', async (_, filters, field, message) => {
    expect(await ask(filters)).toMatchObject({
      status: 400,
      body: { code: 'invalid_input', details: expect.arrayContaining([{ path: field, message }]) },
    });
  });
});
