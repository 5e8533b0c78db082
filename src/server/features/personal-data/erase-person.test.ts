import { Readable } from 'node:stream';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { type Importer, importerOf } from '#test/imports.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { attackList } from '#test/reservations.ts';
import { claimMails, finishDeliveries, markSending, unbalancedRuns } from '#test/sending.ts';
import { recallMails } from '../delivery/after-sending/recall.queries.ts';
import { importProspects } from '../imports/merge/import.command.ts';
import { removePeople } from '../people/remove-people.command.ts';
import { writePeople } from '../people/write-people.command.ts';
import { recallNewHashes } from '../suppressions/suppression-hash.queries.ts';

/** The erasure of a person of a company, and refusals that outlast it (decisions/people). */

let database: TestDatabase;
let tenant: Tenant;
let client: Client;
let company: number;
let bare: number;

const EMAIL = 'Ichiro.Sato@toto.example.jp';
const KEY = EMAIL.toLowerCase();
const SECRETS = ['ichiro', '佐藤', '一郎', '購買部', '090-1111'];

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  client = await clientOf(database, tenant.accountId);
  [company = 0, bare = 0] = await addProspects(database.db, tenant.accountId, [
    { company_name: '東都テスト', company_email: 'info@toto.example.jp', ceo: '東都 太郎' },
    { company_name: '代表メールのない会社', company_email: null, address: '大阪' },
  ]);
});

const SATO = { name: '佐藤 一郎', department: '購買部', phone: '090-1111-0000', email: EMAIL };
const add = async (prospect_id: number, info: object) =>
  ((await client.post('/person', { add_info: { prospect_id, ...info } })).body as { id: number }).id;
/** The people whose address a list would mail. */
const mailedPeople = async () => {
  const { body } = await client.get(
    `/attack_list/preview?sender_group_id=${tenant.senderGroupId}&send_to=primary_or_company`,
  );
  return (body as { rows: { company_email: string }[] }).rows
    .map(({ company_email }) => company_email)
    .filter((email) => email.toLowerCase() === KEY);
};
const erase = async (email = EMAIL) => (await client.post('/personal_data/erase', { email })).body;
const send = (ids: readonly number[]) =>
  client.post(`/mail/send/${tenant.senderId}`, {
    test_send_mode: 0,
    attack_list: attackList(ids),
    days_from_lastday: 7,
    send_to: 'primary_or_company',
  });
const mails = () => database.db.selectFrom('delivery').selectAll().orderBy('prospect_id').execute();
const people = async (id: number) =>
  (
    (await client.get(`/prospect/${id}`)).body as {
      people: { id: number; version: string; suppressed: object | null }[];
    }
  ).people;

async function leftSecrets(): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`.execute(
    database.db,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    for (const secret of SECRETS) {
      const { rows } = await sql`
        SELECT FROM ${sql.table(name)} AS t WHERE t::text ILIKE ${`%${secret}%`} LIMIT 1`.execute(database.db);
      if (rows.length > 0) found.push(`${name}: ${secret}`);
    }
  }
  return found;
}

test('the person is in no table, and the company stays with its remarks; waiting mails go to the company', async () => {
  const id = await add(company, SATO);
  const other = await add(company, { name: '鈴木', department: '営業部' });
  await add(bare, SATO);
  const [version = ''] = (await people(company)).map((person) => person.version);
  await client.put(`/person/${id}`, { version, update_info: { title: '部長' } });
  await client.post('/active_prospect/', {
    add_info: { prospect_id: company, sender_group_id: tenant.senderGroupId, remarks: '展示会で' },
    duplicate_key_update_info: { remarks: '展示会で' },
  });
  await send([company, bare]);
  expect(await mails()).toMatchObject([
    { state: 'queued', mail_to: EMAIL, person_id: id },
    { state: 'cancelled', reason: 'duplicate', mail_to: EMAIL },
  ]);
  expect(await leftSecrets()).not.toStrictEqual([]);
  expect(await erase()).toStrictEqual({
    status: 'erased',
    companies: 0,
    people: 2,
    companies_kept: 2,
    mails: 2,
    cancelled: 0,
    files: 0,
  });
  expect(await leftSecrets()).toStrictEqual([]);
  expect(await mails()).toMatchObject([
    { state: 'queued', mail_to: 'info@toto.example.jp', person_id: null, person_in_charge: '東都 太郎' },
    { state: 'cancelled', mail_to: null, person_id: null, person_in_charge: '' },
  ]);
  expect((await client.get(`/prospect/${company}`)).body).toMatchObject({
    company_name: '東都テスト',
    archived: 0,
    people: [{ id: other, is_primary: 0 }],
    groups: [{ remarks: '展示会で' }],
  });
  expect((await client.get(`/prospect/${company}/timeline`)).status).toBe(200);
  expect(await unbalancedRuns(database.db)).toStrictEqual([]);
});

test('a waiting mail without another address is cancelled; a mail of the past loses its reader', async () => {
  await add(bare, SATO);
  await send([bare]);
  const claims = await claimMails(database);
  await markSending(database.service.db, claims);
  expect(await erase()).toMatchObject({ code: 'mail_underway' });
  expect(await people(bare)).toHaveLength(1);
  await finishDeliveries(
    database.service.db,
    claims.map((claim) => ({ claim, outcome: { kind: 'sent', reply: `250 <${KEY}>` } as const })),
  );
  const [sent] = await mails();
  expect(sent).toMatchObject({ state: 'sent', mail_to: EMAIL });
  expect(await erase()).toMatchObject({ people: 1, mails: 1, cancelled: 0 });
  expect(await mails()).toMatchObject([
    { state: 'sent', mail_to: null, person_id: null, person_in_charge: '', merge_values: null },
  ]);
  expect(await leftSecrets()).toStrictEqual([]);
});

test('without a company address a waiting mail is cancelled', async () => {
  await add(bare, SATO);
  await send([bare]);
  expect(await erase()).toMatchObject({ people: 1, mails: 1, cancelled: 1 });
  expect(await mails()).toMatchObject([{ state: 'cancelled', reason: 'no_email', mail_to: null, person_id: null }]);
  expect(await unbalancedRuns(database.db)).toStrictEqual([]);
});

test('an address of a company and of a person erases both; a company loses all its people', async () => {
  await add(bare, { name: '受付', email: 'info@toto.example.jp' });
  await add(company, SATO);
  expect(await erase('info@toto.example.jp')).toMatchObject({ companies: 1, people: 2, companies_kept: 1 });
  expect(await database.db.selectFrom('person').select('id').execute()).toStrictEqual([]);
  const stored = await database.db.selectFrom('prospect').select(['person_id', 'person_email']).execute();
  expect(stored).toStrictEqual([
    { person_id: null, person_email: null },
    { person_id: null, person_email: null },
  ]);
});

test('an earlier address of a person goes from the history, and the person stays', async () => {
  const id = await add(company, SATO);
  const [person] = await people(company);
  await client.put(`/person/${id}`, { version: person?.version, update_info: { email: 'new@toto.example.jp' } });
  await erase();
  const { rows } = await sql`SELECT FROM prospect_change WHERE changes::text ILIKE '%ichiro%'`.execute(database.db);
  expect(rows).toStrictEqual([]);
  expect(await people(company)).toMatchObject([{ id, name: '佐藤 一郎', email: 'new@toto.example.jp' }]);
});

test.each([
  [{ custom: { memo: '東京、佐藤 一郎' } }, true],
  [{ search: '佐藤一郎' }, true],
  [{ custom: { memo: '佐藤' }, search: '一郎' }, false],
])('a saved condition %j is deleted with the person whom it looks for: %s', async (filter, isTheirs) => {
  await add(company, SATO);
  const where_info = JSON.stringify(filter);
  const saved = { account_id: tenant.accountId, name: 'a', name_key: 'a', where_info };
  await database.db.insertInto('saved_condition').values(saved).execute();
  await erase();
  expect(await database.db.selectFrom('saved_condition').select('where_info').execute()).toStrictEqual(
    isTheirs ? [] : [{ where_info: filter }],
  );
});

test('the disclosure shows the person, their mails and their changes', async () => {
  const id = await add(company, { ...SATO, title: '部長', met_on: '2026/11/20' });
  await add(company, { name: '鈴木', department: '営業部' });
  await send([company]);
  const { body } = await client.post('/personal_data/view', { email: EMAIL });
  const stored = await database.db.selectFrom('person').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const columns = Object.keys(stored).filter(
    (column) => !/^(account_id|import_run_id|.*_(key|search|domain))$/.test(column),
  );
  expect(Object.keys((body as { people: [object] }).people[0]).toSorted()).toStrictEqual(
    [...columns.map((column) => column.replace('archived_at', 'archived')), 'company_name', 'is_primary'].toSorted(),
  );
  expect(body).toMatchObject({
    companies: [],
    people: [
      {
        ...SATO,
        id,
        prospect_id: company,
        company_name: '東都テスト',
        title: '部長',
        met_on: '2026-11-20',
        is_primary: 1,
      },
    ],
    mails: [{ mail_to: EMAIL, person_in_charge: '購買部 部長 佐藤 一郎' }],
  });
  const fields = (body as { changes: { field: string }[] }).changes.map(({ field }) => field);
  expect(fields).toContain(`person.${id}.name`);
  expect(JSON.stringify(body)).not.toContain('鈴木');
});

/** Imports the person for the company without an address. */
const importCards = (by: Importer) =>
  by.importText(`会社名,住所,氏名,担当者メール\n代表メールのない会社,大阪,佐藤 一郎,${EMAIL}\n`);

test('a refused address stays refused however it comes in again', async () => {
  const by = await importerOf(database, tenant);
  await add(company, SATO);
  await add(company, { name: '鈴木' });
  const comesBack: Record<string, () => Promise<unknown>> = {
    'by hand': () => add(company, SATO),
    'as another one of a company': () => add(company, { ...SATO, is_primary: 0 }),
    'by an edit': async () => {
      const one = (await people(company)).find((person) => person.suppressed === null);
      return client.put(`/person/${one?.id}`, { version: one?.version, update_info: { email: EMAIL } });
    },
    'as another one who then becomes the 主担当': async () => {
      const id = await add(company, { ...SATO, is_primary: 0 });
      const version = (await people(company)).find((person) => person.id === id)?.version;
      return client.put(`/person/${id}`, { version, update_info: { is_primary: 1 } });
    },
    'by an import': () => importCards(by),
    'by an import that is undone': async () => by.job(`/import/${await importCards(by)}/undo`),
    'as the address of a company': () =>
      importProspects(database.service, {
        accountId: tenant.accountId,
        file: Readable.from(`会社名,代表メール\n新しい会社,${EMAIL}\n`),
        fileName: 'list.csv',
      }),
  };
  for (const [way, comeBack] of Object.entries(comesBack)) {
    await erase();
    expect(await database.db.selectFrom('suppression').select('value').execute()).toStrictEqual([]);
    await comeBack();
    const plain = await database.db.selectFrom('suppression').select(['value', 'class']).execute();
    expect([way, plain]).toStrictEqual([way, [{ value: KEY, class: 'refused' }]]);
    expect([way, ...(await mailedPeople())]).toStrictEqual([way]);
  }
  await erase();
  const person = await add(company, { ...SATO, is_primary: 1 });
  expect((await people(company)).find(({ id }) => id === person)?.suppressed).toMatchObject({ class: 'refused' });
  expect((await send([company])).body).toMatchObject({ skipped: [{ reason: 'suppressed' }] });
});

test('an import that did not see a refusal looks again before its commit', async () => {
  const { accountId } = tenant;
  await database.service.db.transaction().execute(async (tx) => {
    const scope = { accountId, memberId: null, kind: 'imported' } as const;
    await writePeople(tx, scope, [{ prospectId: company, name: '佐藤', email: EMAIL }]);
    await sql`
      INSERT INTO suppression_hash (account_id, hash, class, source)
      VALUES (${accountId}, address_hash(${accountId}, ${KEY}), 'refused', 'link')`.execute(database.db);
    await recallNewHashes(tx, accountId);
  });
  expect(await people(company)).toMatchObject([{ suppressed: { class: 'refused' } }]);
});

test('a report about a blanked mail finds its person again', async () => {
  const id = await add(company, SATO);
  await send([company]);
  await sql`
    UPDATE delivery SET state = 'sent', finished_at = now(), blanked_at = now(), mail_to = NULL, person_id = NULL,
      erased_hash = address_hash(account_id, ${KEY}), company_name = '', person_in_charge = ''`.execute(database.db);
  const [mail] = await mails();
  await database.service.db.transaction().execute((tx) => recallMails(tx, tenant.accountId, [mail?.id ?? 0]));
  expect(await mails()).toMatchObject([
    {
      mail_to: EMAIL,
      person_id: id,
      person_in_charge: '購買部 佐藤 一郎',
      company_name: '東都テスト',
      blanked_at: null,
    },
  ]);
});

test('a person whom the undo of an import deleted is in no history either', async () => {
  const id = await add(company, SATO);
  const scope = { accountId: tenant.accountId, memberId: tenant.memberId, kind: 'import_undone' as const };
  await database.db.transaction().execute((tx) => removePeople(tx, scope, [id]));
  expect(await leftSecrets()).not.toStrictEqual([]);
  expect(await erase()).toMatchObject({ people: 0, companies_kept: 1 });
  expect(await leftSecrets()).toStrictEqual([]);
});

test('a mail that may have reached a person goes to no other one when the earlier address is erased', async () => {
  const id = await add(company, SATO);
  await send([company]);
  await database.db.updateTable('delivery').set({ maybe_sent: true }).execute();
  const [version] = (await people(company)).map((person) => person.version);
  await client.put(`/person/${id}`, { version, update_info: { email: 'new@toto.example.jp' } });
  await add(company, { name: '鈴木', email: 'suzuki@toto.example.jp', is_primary: 1 });
  expect(await erase()).toMatchObject({ people: 0, mails: 1, cancelled: 1 });
  expect(await mails()).toMatchObject([{ state: 'unknown', mail_to: null, person_id: null }]);
});

test('a mail that may have reached the person goes to nobody else, and the server’s answer to it is gone', async () => {
  await add(company, SATO);
  await send([company]);
  const smtp_reply = `450 4.2.0 <${EMAIL}>: greylisted`;
  await database.db.updateTable('delivery').set({ maybe_sent: true, smtp_reply }).execute();
  await erase();
  expect(await mails()).toMatchObject([{ state: 'unknown', mail_to: null, person_id: null }]);
  expect(await leftSecrets()).toStrictEqual([]);
});

test('a waiting mail goes to the company without what a server said of the person', async () => {
  await add(company, SATO);
  await send([company]);
  const smtp_reply = `450 4.2.0 <${EMAIL}>: greylisted`;
  await database.db.updateTable('delivery').set({ smtp_reply }).execute();
  expect(await erase()).toMatchObject({ cancelled: 0 });
  expect(await mails()).toMatchObject([{ state: 'queued', mail_to: 'info@toto.example.jp', smtp_reply: null }]);
});
