import fc from 'fast-check';
import iconv from 'iconv-lite';
import { pino } from 'pino';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { OWN_FIELD_TYPES, type OwnFieldType } from '#contract/companies/own-fields-names.ts';
import { meansBlank } from '#domain/text/blank-text.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { type Importer, importAsProposed, importerOf } from '#test/imports.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { exportHandler } from '../exports/export-job.ts';
import { startJobWorker } from '../jobs/job-worker.ts';
import { NO_STORAGE_LIMITS } from '../stored-files/storage-limits.ts';

/* Companies with people, own fields and tags go out by the real exports, and come in again by the real imports. */

let database: TestDatabase;

beforeEach(async () => {
  database = await emptyDatabase();
  const { db } = database.service;
  const handlers = { export: exportHandler({ db, now: Date.now, limits: NO_STORAGE_LIMITS }) };
  onTestFinished(startJobWorker({ db, log: pino({ level: 'silent' }), handlers, pollMs: 50 }));
});

interface Account {
  readonly tenant: Tenant;
  readonly by: Importer;
}

async function newAccount(): Promise<Account> {
  const tenant = await addTenant(database.db);
  return { tenant, by: await importerOf(database, tenant) };
}

type Format = 'csv_utf8' | 'csv_cp932' | 'xlsx';
type What = 'people' | 'prospects';
const FILES = (['csv_utf8', 'csv_cp932', 'xlsx'] as const).flatMap((format) =>
  (['people', 'prospects'] as const).map((what) => [what, format] as const),
);

async function exported({ tenant, by }: Account, what: What, format: Format): Promise<Buffer> {
  const job = await by.job('/export', { what, format, sender_group_id: tenant.senderGroupId });
  expect(job).toMatchObject({ state: 'done', message: null });
  return Buffer.from(await (await by.file(`/export/${job.id}/file`)).arrayBuffer());
}

const nameOf = (format: Format) => (format === 'xlsx' ? '名簿.xlsx' : '名簿.csv');

/** Imports a file, and returns what the check and the import say of it. */
async function imported({ by, tenant }: Account, file: string | Buffer, name = '名刺.csv') {
  const id = await importAsProposed(by, file, { sender_group_id: tenant.senderGroupId }, name);
  const { review, counts } = await by.read(id);
  return { review, counts };
}

/** All that is stored of an account's companies, without ids. */
async function contentOf({ tenant }: Account, people: 'all' | 'primary' = 'all') {
  const { rows } = await database.pool.query(
    `SELECT company_name, address, phone, company_email, external_id, member.name AS owner,
       (SELECT json_agg(json_build_array(person.name, department, title, person.email, person.phone, met_on,
            person.id = prospect.person_id) ORDER BY person.name, department, person.email)
          FROM person WHERE prospect_id = prospect.id AND ($2 = 'all' OR person.id = prospect.person_id)) AS people,
       (SELECT json_object_agg(label, val.value ORDER BY label) FROM jsonb_each(own.vals) AS val
          JOIN custom_field ON id = val.key::integer) AS own,
       (SELECT json_agg(concat_ws('=', field.label, label.label) ORDER BY field.label, label.label)
          FROM label_set JOIN label ON members LIKE '%,' || label.id || ',%'
          LEFT JOIN custom_field AS field ON field.id = label.field_id
          WHERE label_set.id = own.label_set_id) AS labels
     FROM prospect LEFT JOIN prospect_own AS own ON own.prospect_id = prospect.id
     LEFT JOIN member ON member.id = own.owner_id
     WHERE prospect.account_id = $1 ORDER BY company_name`,
    [tenant.accountId, people],
  );
  return rows;
}

const NO_CHANGE = {
  review: {
    added: 0,
    updated: 0,
    refused: 0,
    repeated: 0,
    blanked: 0,
    not_taken: 0,
    ignored_columns: expect.any(Array),
  },
  counts: { added: 0, updated: 0, people: { added: 0, updated: 0 } },
};

describe('the card list of ten columns', () => {
  const cards = (ours: string) => `会社名,部署,役職,氏名,担当者メール,名刺交換日,展示会名,ランク,担当者,携帯
株式会社東都カード,購買部,部長,佐藤 一郎,ichiro.sato@toto-card.example,2026/10/15,東京産業展,A,${ours},090-0000-0001
株式会社東都カード,情報システム部,課長,鈴木 花子,hanako@toto-card.example,R8.10.16,東京産業展,A,,090-0000-0002
合同会社浪速カード,総務部,,高橋 次郎,jiro@naniwa-card.example,,東京産業展,B,${ours},
`;

  test.each(FILES)('P-Import 6: goes out as %s, %s, and comes in again without a change', async (what, format) => {
    const account = await newAccount();
    const member = await database.db
      .selectFrom('member')
      .select('name')
      .where('account_id', '=', account.tenant.accountId)
      .executeTakeFirstOrThrow();
    expect(await imported(account, cards(member.name))).toMatchObject({
      review: { ignored_columns: [], refused: 0, blanked: 0, not_taken: 0, new_fields: ['展示会名', 'ランク'] },
      counts: { added: 2, people: { added: 3 } },
    });
    const before = await contentOf(account);
    expect(before).toMatchObject([
      { company_name: '合同会社浪速カード', owner: member.name, labels: ['展示会名=東京産業展'], own: { ランク: 'B' } },
      { company_name: '株式会社東都カード', people: [expect.any(Array), expect.any(Array)] },
    ]);
    const file = await exported(account, what, format);
    expect(await imported(account, file, nameOf(format))).toMatchObject(NO_CHANGE);
    expect(await contentOf(account)).toStrictEqual(before);

    const other = await newAccount();
    await database.db
      .updateTable('member')
      .set({ name: member.name })
      .where('account_id', '=', other.tenant.accountId)
      .execute();
    expect(await imported(other, file, nameOf(format))).toMatchObject({ counts: { added: 2, refused: 0 } });
    expect(await contentOf(other)).toStrictEqual(what === 'people' ? before : await contentOf(account, 'primary'));
  });
});

/** A text as people write it; `isKept` leaves out what the encoding of the file cannot hold. */
const texts = (isKept: (text: string) => boolean, maxLength: number) =>
  fc
    .array(
      fc.constantFrom(
        '東京',
        '髙﨑',
        'カブ',
        'ｶﾌﾞ',
        '㈱',
        '=1+1',
        '+81',
        '@',
        '-',
        '−',
        '〜',
        "'",
        "''=",
        '"',
        ',',
        ' ',
        '　',
        '0',
        '７',
        '1,200',
        '#',
        '&amp;',
        '<b>',
        '{{x}}',
        '😀',
        'e\u0301',
        'か\u3099',
        '様',
        '次',
        '\\N',
        '%',
        'なし',
        'TRUE',
      ),
      { minLength: 1, maxLength },
    )
    .map((parts) => parts.join('').trim())
    .filter((text) => text !== '' && isKept(text));

const NATURAL = { min: -1e9, max: 1e9 };
const VALUES: Readonly<Record<OwnFieldType, fc.Arbitrary<string>>> = {
  text: fc.constant(''),
  number: fc.oneof(
    fc.integer(NATURAL).map(String),
    fc.tuple(fc.integer(NATURAL), fc.integer({ min: 1, max: 999_999 })).map(([a, b]) => `${a}.${b}`),
    fc.constantFrom('1.2億', '△0.5', '0.000001'),
  ),
  date: fc
    .date({ min: new Date('1800-01-01'), max: new Date('2199-12-31'), noInvalidDate: true })
    .map((day) => day.toISOString().slice(0, 10)),
  choice: fc.constantFrom('Ａ級', 'a', 'なし', "'=1", '0', '-5'),
  flag: fc.constantFrom('はい', 'いいえ'),
  url: fc.constantFrom('https://example.jp/?a=1,2&b="c"', "http://example.jp/'=x", 'www.example.jp'),
};

/** Companies with own values, tags and people. */
function companies(format: Format) {
  const isKept = (text: string) =>
    format !== 'csv_cp932' || iconv.decode(iconv.encode(text, 'cp932'), 'cp932') === text;
  const text = (maxLength: number) => texts(isKept, maxLength);
  const person = fc.record(
    {
      name: fc.oneof(text(3), fc.constantFrom('佐藤 一郎', '佐藤　一郎 様', '鈴木', '')),
      department: fc.oneof(text(2), fc.constantFrom('購買部', '')),
      title: text(2),
      email: fc.constantFrom('a@x.example', 'b@x.example', 'A@x.example', null),
      phone: fc.constantFrom('090-0000-0001', '+81 90 0000 0002', '03-1111-2222 内線5', null),
      met_on: fc.constantFrom('2026/10/15', '1999-01-02', null),
    },
    { requiredKeys: [] },
  );
  const custom = fc.record(
    Object.fromEntries(OWN_FIELD_TYPES.map((type) => [type, type === 'text' ? text(6) : VALUES[type]])),
    { requiredKeys: [] },
  );
  const tags = fc.array(fc.nat(5), { maxLength: 6 });
  return fc.record({
    // Imports compose kana; a label keeps them as typed.
    tags: fc.array(
      text(3).map((label) => label.normalize('NFC')),
      { minLength: 6, maxLength: 6 },
    ),
    companies: fc.array(fc.record({ custom, tags, people: fc.array(person, { maxLength: 3 }) }), {
      minLength: 10,
      maxLength: 25,
    }),
  });
}

type Id = { readonly id: number };

/** Adds a field of each type. The account of the file and the one that takes it have the same. */
async function addFields({ by }: Account): Promise<void> {
  for (const type of OWN_FIELD_TYPES) {
    const options = type === 'choice' ? { options: ['Ａ級', 'a', 'なし', "'=1", '0', '-5'] } : {};
    const { status } = await by.client.post('/custom_field', {
      add_info: { label: `項目${type}`, key: type, type, ...options },
    });
    expect(status).toBe(200);
  }
}

test('a tag keeps its spaces, of any width and number, in another account too', async () => {
  const account = await newAccount();
  const label = '営業　第一  部';
  const { body } = await account.by.client.post('/tag', { add_info: { label } });
  await account.by.client.post('/prospect', { add_info: { company_name: '甲', tag_ids: [(body as Id).id] } });
  const file = await exported(account, 'people', 'xlsx');
  expect(await imported(account, file, nameOf('xlsx'))).toMatchObject(NO_CHANGE);

  const other = await newAccount();
  await imported(other, file, nameOf('xlsx'));
  expect(await contentOf(other)).toMatchObject([{ company_name: '甲', labels: [label] }]);
});

describe('generated values', () => {
  test.each(['csv_utf8', 'csv_cp932', 'xlsx'] as const)(
    'F-Proved by: go out with all people as %s, and come in again, here and elsewhere',
    { timeout: 240_000 },
    async (format) => {
      await fc.assert(
        fc.asyncProperty(companies(format), async (made) => {
          const account = await newAccount();
          await addFields(account);
          const { client } = account.by;
          const ids: number[] = [];
          // A cell of a blank word is none.
          for (const label of made.tags.filter((tag) => !meansBlank(tag))) {
            const { status, body } = await client.post('/tag', { add_info: { label } });
            if (status === 200) ids.push((body as Id).id);
          }
          for (const [at, { custom, tags, people }] of made.companies.entries()) {
            const tag_ids = [...new Set(tags.flatMap((tag) => ids[tag] ?? []))];
            const add_info = { company_name: `会社${at}`, custom, tag_ids };
            const { status, body } = await client.post('/prospect', { add_info, acknowledged: 1 });
            expect([status, body]).toMatchObject([200, {}]);
            // The same person twice, and one who has nothing, are refused.
            for (const person of people) {
              await client.post('/person', { add_info: { prospect_id: (body as Id).id, ...person } });
            }
          }
          const before = await contentOf(account);
          const file = await exported(account, 'people', format);
          expect(await imported(account, file, nameOf(format))).toMatchObject(NO_CHANGE);
          expect(await contentOf(account)).toStrictEqual(before);

          const other = await newAccount();
          await addFields(other);
          await imported(other, file, nameOf(format));
          expect(await contentOf(other)).toStrictEqual(before);
        }),
        { numRuns: 2, endOnFailure: true },
      );
    },
  );
});
