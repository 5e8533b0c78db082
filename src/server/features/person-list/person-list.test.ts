import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { MAX_PEOPLE_OF_COMPANY } from '#domain/limits.ts';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addDelivery, addReservation } from '#test/prospect-history.ts';
import { addGroup, addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { setPrimaries } from '../people/store-people.queries.ts';
import { writePeople } from '../people/write-people.command.ts';

let database: TestDatabase;
let tenant: Tenant;
let client: Client;
let company = 0;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  client = await clientOf(database, tenant.accountId);
  [company = 0] = await addProspects(database.db, tenant.accountId, [
    { company_name: '東都テスト', company_email: 'info@toto.example.jp', ceo: '東都 太郎' },
  ]);
});

interface Shown {
  readonly id: number;
  readonly version: string;
  readonly name: string;
  readonly email: string | null;
  readonly is_primary: 0 | 1;
}
const add = (add_info: object, prospect_id = company) =>
  client.post('/person', { add_info: { prospect_id, ...add_info } });
const idOf = async (add_info: object) => ((await add(add_info)).body as { id: number }).id;
const detail = async () => (await client.get(`/prospect/${company}`)).body as { people: Shown[]; version: string };
const people = async () => (await detail()).people;
const versionOf = async (id: number) => (await people()).find((one) => one.id === id)?.version;
const edit = async (id: number, update_info: object) =>
  client.put(`/person/${id}`, { version: await versionOf(id), update_info });
const primaryOf = () =>
  database.db
    .selectFrom('prospect')
    .select(['person_id', 'person_email', 'person_email_search'])
    .where('id', '=', company)
    .executeTakeFirstOrThrow();
const changes = async () => {
  const rows = await database.db.selectFrom('prospect_change').select('changes').orderBy('id').execute();
  return rows.map((row) => row.changes);
};

const SATO = {
  name: '佐藤 一郎',
  department: '購買部',
  title: '部長',
  email: 'Ichiro.Sato@toto.example.jp',
  phone: '+81 90-0000-0000 内線 3',
  met_on: 'R8.11.20',
};

describe('adding', () => {
  test('the first person becomes the 主担当; values are read as cells of an import', async () => {
    const id = await idOf(SATO);
    const [person] = await people();
    expect(person).toStrictEqual({
      id,
      version: expect.any(String),
      name: '佐藤 一郎',
      department: '購買部',
      title: '部長',
      email: 'Ichiro.Sato@toto.example.jp',
      phone: '+81 90-0000-0000 内線 3',
      met_on: '2026-11-20',
      is_primary: 1,
      archived: 0,
      suppressed: null,
      addressee: '購買部 部長 佐藤 一郎 様',
      sent_at: null,
    });
    expect(await primaryOf()).toStrictEqual({
      person_id: id,
      person_email: 'Ichiro.Sato@toto.example.jp',
      person_email_search: 'ichiro.sato@toto.example.jp',
    });
    const found = await database.db.selectFrom('prospect_search').select('person_email_search').execute();
    expect(found).toStrictEqual([{ person_email_search: 'ichiro.sato@toto.example.jp' }]);
    const [change] = await changes();
    expect(change).toMatchObject({ [`person.${id}.title`]: [null, '部長'], person_id: [null, id] });
  });

  test('a second person is no 主担当, unless it takes it', async () => {
    const first = await idOf(SATO);
    const second = await idOf({ name: '鈴木 花子' });
    expect((await people()).map((one) => [one.id, one.is_primary])).toStrictEqual([
      [first, 1],
      [second, 0],
    ]);
    const third = await idOf({ name: '田中', email: 'tanaka@toto.example.jp', is_primary: 1 });
    expect(await primaryOf()).toMatchObject({ person_id: third, person_email: 'tanaka@toto.example.jp' });
    expect((await people()).filter((one) => one.is_primary === 1)).toHaveLength(1);
  });

  test('the same person is named, and not added', async () => {
    const id = await idOf(SATO);
    const { status, body } = await add({ name: '佐藤一郎様', department: '購買部' });
    expect({ status, body }).toMatchObject({
      status: 409,
      body: {
        code: 'same_person',
        details: expect.arrayContaining([
          { path: 'id', message: String(id) },
          { path: 'name', message: '佐藤 一郎' },
        ]),
      },
    });
    expect(await add({ name: '佐藤 一郎', department: '営業部' })).toMatchObject({ status: 200 });
    expect(await people()).toHaveLength(2);
  });

  test.each([
    [{}, 'add_info.name'],
    [{ name: '様' }, 'add_info.name'],
    [{ name: 'あ'.repeat(300) }, 'add_info.name'],
    [{ met_on: '2026/11/20' }, 'add_info.name'],
    [{ name: '甲', email: 'a@x.jp, b@x.jp' }, 'add_info.email'],
    [{ name: '甲', met_on: '2026/02/30' }, 'add_info.met_on'],
    [{ name: '甲', phone: '直通' }, 'add_info.phone'],
  ])('bad-inputs: %j is refused at its field', async (info, path) => {
    expect(await add(info)).toMatchObject({
      status: 400,
      body: { code: 'invalid_person', details: expect.arrayContaining([expect.objectContaining({ path })]) },
    });
    expect(await people()).toStrictEqual([]);
  });

  test('the name stays as it was written, with one 様 in the greeting', async () => {
    await idOf({ name: '佐藤様', title: '部長' });
    expect(await people()).toMatchObject([{ name: '佐藤様', addressee: '部長 佐藤 様' }]);
  });

  test('of two at once a company gets no more than its limit', async () => {
    const write = { prospectId: company, archived: true };
    const names = Array.from({ length: MAX_PEOPLE_OF_COMPANY - 1 }, (_, n) => ({ ...write, name: `人${n}` }));
    const scope = { accountId: tenant.accountId, memberId: null, kind: 'edited' } as const;
    await database.service.db.transaction().execute((tx) => writePeople(tx, scope, names));
    const answers = await Promise.all([add({ name: '甲' }), add({ name: '乙' })]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toStrictEqual([200, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({
      code: 'too_many_people',
      message: expect.stringContaining('1社に登録できるのは200人まで'),
    });
    const results = await database.service.db.transaction().execute((tx) =>
      writePeople(tx, scope, [
        { prospectId: company, name: '丙' },
        { prospectId: company, name: '甲' },
      ]),
    );
    expect(results.map(({ result }) => result)).toContain('too_many');
    expect(await people()).toHaveLength(MAX_PEOPLE_OF_COMPANY);
  });

  test('an account gets no more than PEOPLE_MAX', async () => {
    const limited = await clientOf({ ...database, peopleMax: 1 }, tenant.accountId);
    const post = (name: string) => limited.post('/person', { add_info: { prospect_id: company, name } });
    expect(await post('甲')).toMatchObject({ status: 200 });
    expect(await post('乙')).toMatchObject({
      status: 409,
      body: { code: 'too_many_people', message: expect.stringContaining('人は1人までです（いま1人、追加は1人）') },
    });
  });
});

describe('changing', () => {
  test('the 主担当 moves, is given up, and is lost with 宛先から外す', async () => {
    const first = await idOf(SATO);
    const second = await idOf({ name: '鈴木 花子', email: 'hanako@toto.example.jp' });
    expect(await edit(second, { is_primary: 1 })).toMatchObject({ status: 200 });
    expect(await primaryOf()).toMatchObject({ person_id: second, person_email: 'hanako@toto.example.jp' });
    expect(await edit(second, { email: 'h@toto.example.jp' })).toMatchObject({ status: 200 });
    expect(await primaryOf()).toMatchObject({ person_email: 'h@toto.example.jp' });
    expect(await edit(second, { is_primary: 0 })).toMatchObject({ status: 200 });
    expect(await primaryOf()).toStrictEqual({ person_id: null, person_email: null, person_email_search: null });
    await edit(first, { is_primary: 1 });
    expect(await edit(first, { archived: 1 })).toMatchObject({ status: 200 });
    expect(await primaryOf()).toMatchObject({ person_id: null });
    expect(await edit(first, { is_primary: 1 })).toMatchObject({ status: 400, body: { code: 'invalid_person' } });
    expect(await edit(first, { is_primary: 1, archived: 0 })).toMatchObject({ status: 200 });
    expect(await primaryOf()).toMatchObject({ person_id: first });
  });

  test('a change since the version was read is told with who made it; a repeated save succeeds', async () => {
    const id = await idOf(SATO);
    const version = await versionOf(id);
    const save = (title: string) => client.put(`/person/${id}`, { version, update_info: { title } });
    expect(await save('本部長')).toMatchObject({ status: 200 });
    expect(await save('本部長')).toMatchObject({ status: 200 });
    const { status, body } = await save('課長');
    expect({ status, body }).toMatchObject({ status: 409, body: { code: 'person_changed' } });
    expect((body as { message: string }).message).toMatch(/さんが.*変更しました/);
  });

  test('nobody becomes another person, another company, or nobody', async () => {
    const id = await idOf(SATO);
    const other = await idOf({ name: '鈴木 花子', department: '購買部' });
    expect(await edit(other, { name: '佐藤 一郎' })).toMatchObject({ status: 409, body: { code: 'same_person' } });
    expect(await edit(other, { name: null, department: null })).toMatchObject({
      status: 400,
      body: { code: 'invalid_person' },
    });
    expect(await edit(id, { prospect_id: company })).toMatchObject({ status: 400, body: { code: 'invalid_input' } });
  });

  test('the history shows it', async () => {
    const id = await idOf(SATO);
    await edit(id, { title: '本部長' });
    const { body } = await client.get(`/prospect/${company}/timeline`);
    const [last] = body as { kind: string; changes: object[] }[];
    expect(last).toMatchObject({
      kind: 'edited',
      changes: [{ field: `person.${id}.title`, old: '部長', new: '本部長' }],
    });
  });
});

describe('entries of an import', () => {
  const scope = () => ({ accountId: tenant.accountId, memberId: tenant.memberId, kind: 'imported' }) as const;
  const write = (entries: object[]) =>
    database.service.db.transaction().execute((tx) =>
      writePeople(
        tx,
        scope(),
        entries.map((entry) => ({ prospectId: company, ...entry })),
      ),
    );
  const setOwn = () => database.service.db.transaction().execute((tx) => setPrimaries(tx, scope(), [company]));

  test('go to the person whom they mean; blanks erase nothing; the same again changes nothing', async () => {
    const entries = [
      { name: '鈴木', department: '', email: null },
      { name: '佐藤', department: '購買部', title: '部長', email: 'sato@toto.example.jp' },
      { name: '鈴木', department: '営業部', email: 'suzuki@toto.example.jp', metOn: '2026-11-20' },
    ];
    const first = await write(entries);
    expect(first.map(({ result }) => result)).toStrictEqual(['added', 'added', 'updated']);
    expect(first[2]?.id).toBe(first[0]?.id);
    expect(await primaryOf()).toMatchObject({ person_id: null });
    await setOwn();
    expect(await primaryOf()).toMatchObject({ person_id: first[0]?.id, person_email: 'suzuki@toto.example.jp' });
    const before = await people();
    const logged = (await changes()).length;
    expect((await write(entries)).map(({ result }) => result)).toStrictEqual(['unchanged', 'unchanged', 'unchanged']);
    await setOwn();
    expect(await people()).toStrictEqual(before);
    expect(await changes()).toHaveLength(logged);
  });

  test('the first with an address becomes the 主担当; who is not used stays so', async () => {
    const [one, two] = await write([{ name: '鈴木' }, { name: '佐藤', email: 'sato@toto.example.jp' }]);
    await setOwn();
    expect(await primaryOf()).toMatchObject({ person_id: two?.id });
    await edit(one?.id ?? 0, { archived: 1 });
    expect(await write([{ name: '鈴木', title: '課長' }])).toMatchObject([{ result: 'updated' }]);
    const archived = await database.db
      .selectFrom('person')
      .select('name')
      .where('archived_at', 'is not', null)
      .execute();
    expect(archived).toStrictEqual([{ name: '鈴木' }]);
  });

  test('one statement may give a person the key that another one had', async () => {
    const [a, b] = await write([
      { name: '佐藤', department: '営業', email: 'a@x.jp' },
      { name: '佐藤', department: '購買', email: 'b@x.jp' },
    ]);
    const swapped = [
      { id: a?.id, department: '購買', email: 'b@x.jp' },
      { id: b?.id, department: '営業', email: 'a@x.jp' },
    ];
    expect((await write(swapped)).map(({ result }) => result)).toStrictEqual(['updated', 'updated']);
  });
});

describe('before a save', () => {
  const check = async (query: string) => (await client.get(`/person/check?prospect_id=${company}&${query}`)).body;

  test('the greeting, the same person and a suppression are told', async () => {
    const id = await idOf(SATO);
    await client.post('/suppression', {
      add_info: { values: ['stop@toto.example.jp'], class: 'blocked' },
    });
    expect(await check(`name=${encodeURIComponent('佐藤一郎')}`)).toMatchObject({
      addressee: '佐藤一郎 様',
      same: { id, name: '佐藤 一郎', archived: 0 },
      suppressed: null,
    });
    expect(await check(`id=${id}&name=${encodeURIComponent('佐藤一郎')}&email=stop@toto.example.jp`)).toMatchObject({
      same: null,
      suppressed: { class: 'blocked' },
      affected: { reserved: 0, queued: 0, sending: 0, failed: 0 },
    });
    expect(await check(`department=${encodeURIComponent('購買部')}`)).toMatchObject({ addressee: '購買部 ご担当者様' });
  });
});

test('before a save, the mails that go to the 主担当 are counted by state; other people change none', async () => {
  const { db } = database;
  const id = await idOf(SATO);
  const second = await idOf({ name: '鈴木 花子' });
  const affected = async (person: number | null) => {
    const asked = person === null ? '' : `&id=${person}`;
    const { body } = await client.get(`/person/check?prospect_id=${company}${asked}&email=new@toto.example.jp`);
    return (body as { affected: object }).affected;
  };
  const none = { reserved: 0, queued: 0, sending: 0, failed: 0 };
  expect(await affected(id)).toStrictEqual(none);
  const states = ['queued', 'sending', 'failed', 'failed', 'sent', 'cancelled'] as const;
  for (const state of states) await addDelivery(db, await addGroup(db, tenant), company, { state });
  await addReservation(db, tenant, [company], { sendAt: new Date(Date.now() + 86_400_000) });
  // Mails to the companies are not the person's.
  expect(await affected(id)).toStrictEqual(none);
  await db.updateTable('send_log').set({ send_to: 'primary_or_company' }).execute();
  await db.updateTable('reservation').set({ send_to: 'primary_or_company' }).execute();
  expect(await affected(id)).toStrictEqual({ reserved: 1, queued: 1, sending: 1, failed: 2 });
  expect([await affected(second), await affected(null)]).toStrictEqual([none, none]);
  await db.updateTable('delivery').set({ test_send_mode: true }).execute();
  expect(await affected(id)).toStrictEqual({ ...none, reserved: 1 });
});

describe('finding', () => {
  const find = async (text: string) =>
    ((await client.get(`/person/find?text=${encodeURIComponent(text)}`)).body as Shown[]).map(({ name }) => name);

  test('is by the beginning of name or address, without unused people and archived companies', async () => {
    await idOf(SATO);
    await idOf({ name: '佐藤 二郎', email: 'jiro@toto.example.jp' });
    const unused = await idOf({ name: '佐藤 三郎' });
    await edit(unused, { archived: 1 });
    expect(await find('佐藤')).toStrictEqual(['佐藤 一郎', '佐藤 二郎']);
    expect(await find('佐藤　二')).toStrictEqual(['佐藤 二郎']);
    expect(await find('JIRO@')).toStrictEqual(['佐藤 二郎']);
    expect(await find('一郎')).toStrictEqual([]);
    expect(await find('%')).toStrictEqual([]);
    expect(await find(' ')).toStrictEqual([]);
    await client.post(`/prospect/${company}/archive`, {});
    expect(await find('佐藤')).toStrictEqual([]);
  });
});

test('the account says that a 主担当 has an address, and nothing otherwise', async () => {
  const read = async () => (await client.get(`/account/${tenant.accountId}`)).body;
  expect(await read()).not.toHaveProperty('has_primary_email');
  const id = await idOf({ name: '甲' });
  expect(await read()).not.toHaveProperty('has_primary_email');
  await edit(id, { email: 'ko@toto.example.jp' });
  expect(await read()).toMatchObject({ has_primary_email: 1 });
});

test('a person of a deleted company is gone', async () => {
  await idOf(SATO);
  await sql`DELETE FROM prospect WHERE id = ${company}`.execute(database.db);
  expect(await database.db.selectFrom('person').select('id').execute()).toStrictEqual([]);
});
