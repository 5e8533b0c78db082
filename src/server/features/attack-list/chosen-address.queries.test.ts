import fc from 'fast-check';
import { type Expression, sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { personAddressee } from '#domain/mail/addressee.ts';
import { SEND_TO } from '#domain/sending/attack-list.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addPrimary } from '#test/people.ts';
import { planByIndexes } from '#test/plan.ts';
import { addManyProspects, addProspects, addTenant } from '#test/prospects.ts';
import {
  addressKeyOf,
  chosenPersonId,
  companiesBy,
  companiesInDomain,
  companiesInEither,
  companiesOfEither,
  greeted,
  hasNoAddress,
  idsWithoutAddress,
  mailAddress,
  mailKey,
  sendToOf,
} from './chosen-address.queries.ts';
import { suppressedIds } from './eligibility.queries.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await emptyDatabase();
});

const ADDRESSES = ['a@x.jp', 'B@x.jp', 'c@sub.x.jp', 'd@y.jp'] as const;
const DOMAINS = ['x.jp', 'sub.x.jp', 'y.jp', 'z.jp'];
const address = fc.constantFrom(...ADDRESSES, null);
const company = fc.record({
  company_email: fc.oneof(address, fc.constant('')),
  /** undefined: the company has no main contact person; null: one without an address. */
  person: fc.option(address, { nil: undefined }),
});

/** What a plain reading of the design says of a company. */
const expectedOf = ({ company_email, person }: typeof company extends fc.Arbitrary<infer C> ? C : never) => ({
  company: company_email ?? '',
  primary_or_company: person ?? company_email ?? '',
});

async function idsOf(select: Expression<unknown>, name = 'id'): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    SELECT DISTINCT ${sql.ref(name)} AS id FROM (${select}) AS found ORDER BY 1`.execute(database.db);
  return rows.map(({ id }) => id);
}

test('each form of the chosen address agrees with the others, and with a plain reading', async () => {
  const { db } = database;
  await fc.assert(
    fc.asyncProperty(fc.array(company, { minLength: 1, maxLength: 12 }), async (companies) => {
      const tenant = await addTenant(db);
      const { accountId } = tenant;
      const ids = await addProspects(
        db,
        accountId,
        companies.map(({ company_email }) => ({ company_email })),
      );
      const people = new Map<number, number>();
      for (const [index, { person }] of companies.entries()) {
        const id = ids[index] ?? 0;
        if (person !== undefined) people.set(id, await addPrimary(db, tenant, id, { email: person }));
      }
      const idsWhere = (isWanted: (index: number) => boolean) => ids.filter((_, index) => isWanted(index));
      for (const sendTo of SEND_TO) {
        const wanted = companies.map((one) => expectedOf(one)[sendTo]);
        // The same by a column.
        const by = { constant: sendTo, column: sendToOf('run') };
        for (const to of Object.values(by)) {
          const { rows } = await sql<Record<string, unknown>>`
            SELECT coalesce(${mailAddress(to)}, '') AS address, coalesce(${mailKey(to)}, '') AS key,
              coalesce(${addressKeyOf(to)}, '') AS searched, ${hasNoAddress(to)} AS "hasNone",
              ${chosenPersonId(to)} AS person
            FROM prospect CROSS JOIN (SELECT ${sendTo}::text AS send_to) AS run
            WHERE account_id = ${accountId} ORDER BY id`.execute(db);
          expect(rows).toStrictEqual(
            wanted.map((one, index) => ({
              address: one,
              key: one.toLowerCase(),
              searched: one.toLowerCase(),
              hasNone: one === '',
              person: sendTo !== 'company' && companies[index]?.person ? people.get(ids[index] ?? 0) : null,
            })),
          );
        }
        for (const one of ADDRESSES.map((each) => each.toLowerCase())) {
          const select = companiesBy(
            sendTo,
            sql`${one}::text`,
            (isMailed) => sql`SELECT id FROM prospect AS known WHERE account_id = ${accountId} AND ${isMailed}`,
          );
          expect(await idsOf(select)).toStrictEqual(idsWhere((index) => wanted[index]?.toLowerCase() === one));
        }
        for (const domain of DOMAINS) {
          const found = await idsOf(companiesInDomain(sendTo, accountId, sql`${domain}::text`));
          expect(found).toStrictEqual(idsWhere((index) => wanted[index]?.split('@').at(-1) === domain));
        }
        const without = await idsOf(idsWithoutAddress(sendTo, accountId));
        expect(without).toStrictEqual(idsWhere((index) => wanted[index] === ''));
      }
      // Those that either address may concern.
      const both = companies.map(({ company_email, person }) =>
        [company_email, person].map((one) => one?.toLowerCase()),
      );
      expect(await idsOf(companiesOfEither(accountId, ['a@x.jp', 'd@y.jp']))).toStrictEqual(
        idsWhere((index) => both[index]?.some((one) => one === 'a@x.jp' || one === 'd@y.jp') ?? false),
      );
      expect(await idsOf(companiesInEither(accountId, ['sub.x.jp']))).toStrictEqual(
        idsWhere((index) => both[index]?.includes('c@sub.x.jp') ?? false),
      );
    }),
    { numRuns: 15 },
  );
});

test('a mail to a person greets department, title and name; one to the company greets its ceo', () => {
  const person = { id: 1, department: '購買部', title: '部長', name: '佐藤 一郎' };
  expect(greeted(person, '山田 太郎')).toBe(personAddressee(person));
  expect(greeted(person, '山田 太郎')).toBe('購買部 部長 佐藤 一郎');
  expect([greeted(null, '山田 太郎'), greeted(null, null)]).toStrictEqual(['山田 太郎', '']);
});

test.each(SEND_TO)('suppressed companies are found by the indexes of addresses and of domains: %s', async (sendTo) => {
  const { db } = database;
  const tenant = await addTenant(db);
  const { accountId } = tenant;
  // With statistics of this list: those of an earlier one may make any index look as good.
  await addManyProspects(db, accountId, 2000);
  await sql`UPDATE prospect SET email_search = 'info@company' || id || '.example'
    WHERE account_id = ${accountId}`.execute(db);
  await sql`
    INSERT INTO person (account_id, prospect_id, name, email, email_search)
    SELECT account_id, id, '佐藤', 'sato@person' || id || '.example', 'sato@person' || id || '.example'
    FROM prospect WHERE account_id = ${accountId} AND id % 2 = 0`.execute(db);
  await sql`
    UPDATE prospect SET person_id = person.id, person_email = person.email, person_email_search = person.email_search
    FROM person WHERE person.account_id = prospect.account_id AND person.prospect_id = prospect.id`.execute(db);
  await sql`ANALYZE prospect, person`.execute(db);
  const plan = await planByIndexes(db, suppressedIds({ accountId, sendTo }));
  expect(plan).toContain('prospect_email_idx');
  expect(plan).toContain('prospect_domain_idx');
  if (sendTo === 'company') return;
  expect(plan).toContain('prospect_person_email_idx');
  expect(plan).toContain('person_domain_idx');
});
