import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addAddressContact, addDelivery } from '#test/prospect-history.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { isOwnDomain } from '../opt-out/refused-mail.queries.ts';

/** What looks at the address of a company and at that of its 主担当 (decisions/people). */

let database: TestDatabase;
let tenant: Tenant;
let client: Client;
let company: number;
let other: number;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  client = await clientOf(database, tenant.accountId);
  [company = 0, other = 0] = await addProspects(database.db, tenant.accountId, [
    { company_name: '甲', company_email: 'info@kou.example.jp' },
    { company_name: '乙', company_email: null, address: '大阪' },
  ]);
});

const add = async (prospect_id: number, email: string) =>
  ((await client.post('/person', { add_info: { prospect_id, name: email, email } })).body as { id: number }).id;
const shared = async () => {
  const rows = await database.db
    .selectFrom('shared_address')
    .select(['prospect_id', 'address_key'])
    .orderBy('prospect_id')
    .orderBy('address_key')
    .execute();
  return rows.map(({ prospect_id, address_key }) => [prospect_id, address_key]);
};

test('a mail to an address notes the companies that have it, of their own or as that of a 主担当', async () => {
  await add(company, 'sato@kou.example.jp');
  await add(other, 'sato@kou.example.jp');
  await addDelivery(database.db, tenant, company, { state: 'queued', mailTo: 'sato@kou.example.jp' });
  expect(await shared()).toStrictEqual([[other, 'sato@kou.example.jp']]);
});

test('a 主担当 brings an address that was mailed before; another one takes it away', async () => {
  await addAddressContact(database.db, tenant, 'sato@kou.example.jp', new Date());
  await addAddressContact(database.db, tenant, 'info@kou.example.jp', new Date());
  const id = await add(company, 'sato@kou.example.jp');
  expect(await shared()).toStrictEqual([
    [company, 'info@kou.example.jp'],
    [company, 'sato@kou.example.jp'],
  ]);
  const { body } = await client.get(`/prospect/${company}`);
  const [{ version }] = (body as { people: [{ version: string }] }).people;
  await client.put(`/person/${id}`, { version, update_info: { is_primary: 0 } });
  expect(await shared()).toStrictEqual([[company, 'info@kou.example.jp']]);
});

test('a bulk block takes both addresses, and counts a company with either', async () => {
  await add(company, 'sato@kou.example.jp');
  await add(other, 'suzuki@otsu.example.jp');
  const block = (dry_run: 0 | 1) =>
    client.post('/prospect/bulk', {
      act: 'suppress',
      sender_group_id: tenant.senderGroupId,
      ids: [company, other],
      dry_run,
    });
  expect((await block(1)).body).toMatchObject({ changed: 2, unchanged: { already: 0, no_email: 0 } });
  expect((await block(0)).body).toMatchObject({ changed: 2 });
  const values = await database.db.selectFrom('suppression').select('value').orderBy('value').execute();
  expect(values.map(({ value }) => value)).toStrictEqual([
    'info@kou.example.jp',
    'sato@kou.example.jp',
    'suzuki@otsu.example.jp',
  ]);
  expect((await block(1)).body).toMatchObject({ changed: 0, unchanged: { already: 2 } });
});

test('a reply that refuses takes the 主担当 too', async () => {
  await add(company, 'sato@kou.example.jp');
  await client.post('/reply', { add_info: { prospect_id: company, note: '電話で' } });
  const reply = await database.db.selectFrom('reply').select('id').executeTakeFirstOrThrow();
  expect(await client.put(`/reply/${reply.id}`, { update_info: { refused: 1 } })).toMatchObject({ status: 200 });
  const values = await database.db.selectFrom('suppression').select(['value', 'class']).orderBy('value').execute();
  expect(values).toStrictEqual([
    { value: 'info@kou.example.jp', class: 'refused' },
    { value: 'sato@kou.example.jp', class: 'refused' },
  ]);
  expect((await client.get(`/prospect/${company}`)).body).toMatchObject({
    people: [{ suppressed: { class: 'refused' } }],
  });
});

test('a domain is a company’s own unless another one, or a person of it, has an address in it; a provider’s never', async () => {
  const isOwn = (domain: string) =>
    database.service.db.transaction().execute((tx) =>
      isOwnDomain(tx, tenant.accountId, {
        domain,
        prospectId: company,
        address: `x@${domain}`,
        isTest: false,
        senderName: '',
      }),
    );
  await add(company, 'sato@kou.example.jp');
  expect(await isOwn('kou.example.jp')).toBe(true);
  expect(await isOwn('gmail.com')).toBe(false);
  expect(await isOwn('mint.ocn.ne.jp')).toBe(false);
  expect(await isOwn('notgmail.com')).toBe(true);
  await add(other, 'tanaka@otsu.example.jp');
  await add(other, 'suzuki@kou.example.jp');
  expect(await isOwn('kou.example.jp')).toBe(false);
  await sql`UPDATE person SET archived_at = now()`.execute(database.db);
  expect(await isOwn('kou.example.jp')).toBe(false);
});
