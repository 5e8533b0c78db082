import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { ProspectFilter } from '#contract/companies/prospects-filter.ts';
import { splitTerms } from '#domain/text/text-filter.ts';
import { checkFilter } from '#server/features/prospects/list/own-condition.queries.ts';
import { filterCondition, searchTable } from '#server/features/prospects/list/prospect-filter.queries.ts';
import { Problem } from '#server/platform/problem.ts';
import { emptyDatabase, type TestDatabase } from './db.ts';
import { inRange, matchesTerms } from './list-rules.ts';
import { addFields, addLabels, setOwn } from './own-data.ts';
import { addProspects, addTenant } from './prospects.ts';

/** Compares the filters by own fields and tags in SQL with plain rules on generated companies. */

let database: TestDatabase;
beforeAll(async () => {
  database = await emptyDatabase();
});

const TAGS = Array.from({ length: 12 }, (_, n) => `タグ${n}`);
const RANKS = ['A', 'B', 'C'];

const words = fc.string({ unit: fc.constantFrom(...'東京ITｉt業カﾞガ%_\\ 　1１'), minLength: 1, maxLength: 4 });
const number = fc.constantFrom(-2, -0.5, 0, 0.1, 0.5, 1, 2.25, 1_000_000, 9_007_199_254_740_991);
const day = fc.constantFrom('0999-12-31', '2026-01-31', '2026-02-01', '2026-11-20', '2027-01-01');
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const tags = fc.uniqueArray(fc.nat(TAGS.length - 1), { maxLength: 4 });

const company = fc.record({
  hasRow: fc.boolean(),
  tags,
  rank: optional(fc.nat(RANKS.length - 1)),
  memo: optional(words),
  size: optional(number),
  met: optional(day),
  member: optional(fc.boolean()),
  page: optional(fc.constant('https://x.jp/')),
  hasPrimary: fc.boolean(),
});
type Company = typeof company extends fc.Arbitrary<infer C> ? C : never;

const presence = fc.constantFrom('yes' as const, 'no' as const);
const bounds = <T>(bound: fc.Arbitrary<T>) => fc.record({ from: optional(bound), to: optional(bound) });
const conditions = {
  tags,
  tags_all: tags,
  tags_none: tags,
  rank: fc.uniqueArray(fc.nat(RANKS.length - 1)),
  memo: fc.array(words, { maxLength: 2 }).map((terms) => terms.join('、')),
  size: bounds(number),
  met: bounds(day),
  member: presence,
  page: presence,
  primary: presence,
};
const wanted = fc.record(conditions, { requiredKeys: [] });
type Wanted = typeof wanted extends fc.Arbitrary<infer W> ? W : never;

/** One or two conditions: nine random ones together match almost nothing. */
const someOf = fc
  .tuple(
    fc.record(conditions),
    fc.shuffledSubarray(Object.keys(conditions) as (keyof Wanted)[], { minLength: 1, maxLength: 2 }),
  )
  .map(([all, kept]) => Object.fromEntries(kept.map((name) => [name, all[name]])) as Wanted);

/** Whether a company passes. Blank conditions are none. */
function passes(row: Company, { rank, memo, size, met, member, page, primary, ...by }: Wanted): boolean {
  const has = (tag: number) => row.hasRow && row.tags.includes(tag);
  const value = <T>(own: T | undefined): T | null => (row.hasRow ? (own ?? null) : null);
  const dayNumber = (text: string | null | undefined) => (text == null ? undefined : Number(text.replaceAll('-', '')));
  return (
    (!by.tags?.length || by.tags.some(has)) &&
    (by.tags_all ?? []).every(has) &&
    !(by.tags_none ?? []).some(has) &&
    (!rank?.length || rank.some((option) => value(row.rank) === option)) &&
    matchesTerms(value(row.memo), splitTerms(memo ?? '')) &&
    inRange(value(row.size), size ?? {}) &&
    inRange(dayNumber(value(row.met)) ?? null, { from: dayNumber(met?.from), to: dayNumber(met?.to) }) &&
    (member === undefined || value(row.member) === (member === 'yes')) &&
    (page === undefined || (value(row.page) !== null) === (page === 'yes')) &&
    (primary === undefined || row.hasPrimary === (primary === 'yes'))
  );
}

const FIELDS = [
  { key: 'rank', label: 'ランク', type: 'choice' },
  { key: 'memo', label: '展示会名', type: 'text' },
  { key: 'other', label: '別のメモ', type: 'text' },
  { key: 'size', label: '席数', type: 'number' },
  { key: 'met', label: '訪問日', type: 'date' },
  { key: 'member', label: '会員', type: 'flag' },
  { key: 'page', label: '採用ページ', type: 'url' },
] as const;

test('the SQL and the pure rules agree on which companies a filter by own fields and tags matches', async () => {
  const { db } = database;
  const counted = { passed: 0, failed: 0 };
  const companies = fc.array(company, { minLength: 1, maxLength: 12 });
  const filters = fc.array(fc.oneof({ weight: 4, arbitrary: someOf }, wanted), { minLength: 20, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(companies, filters, async (rows, asked) => {
      const tenant = await addTenant(db);
      const { accountId } = tenant;
      const fields = await addFields(db, accountId, FIELDS);
      const fieldOf = (key: string) => fields.get(key) ?? 0;
      // The ids of an account: 1 is a part of 12.
      await sql`ALTER SEQUENCE label_id_seq RESTART`.execute(db);
      const labels = await addLabels(db, accountId, TAGS);
      const options = await addLabels(db, accountId, RANKS, fieldOf('rank'));
      const idsOf = (ids: readonly number[], places: readonly number[] | undefined) =>
        places?.map((place) => ids[place]).join();
      const ids = await addProspects(
        db,
        accountId,
        rows.map((_, n) => ({ company_name: `会社${n}` })),
      );
      const withPrimary = ids.filter((_, place) => rows[place]?.hasPrimary);
      await sql`UPDATE prospect_search SET person_email_search = 'p@x.jp' WHERE id = ANY (${withPrimary}::bigint[])`.execute(
        db,
      );
      for (const [place, row] of rows.entries()) {
        if (!row.hasRow) continue;
        const { memo, size, met, member, page } = row;
        const vals = Object.entries({ memo, size, met, member, page, other: '東京IT' }).flatMap(([key, value]) =>
          value === undefined ? [] : [[String(fieldOf(key)), value]],
        );
        const rank = row.rank === undefined ? [] : [options[row.rank] ?? 0];
        await setOwn(db, accountId, ids[place] ?? 0, {
          labels: [...row.tags.map((tag) => labels[tag] ?? 0), ...rank],
          vals: Object.fromEntries(vals),
          texts: [fieldOf('memo'), fieldOf('other')],
        });
      }
      for (const one of asked) {
        const written = ({ from, to }: { from?: string | number | undefined; to?: string | number | undefined }) => ({
          ...(from !== undefined && { from: String(from) }),
          ...(to !== undefined && { to: String(to) }),
        });
        const custom = {
          ...(one.rank && { rank: idsOf(options, one.rank) ?? '' }),
          ...(one.memo !== undefined && { memo: one.memo }),
          ...(one.size && { size: written(one.size) }),
          ...(one.met && { met: written(one.met) }),
          ...(one.member && { member: one.member }),
          ...(one.page && { page: one.page }),
        };
        const filter: ProspectFilter = {
          tags: idsOf(labels, one.tags),
          tags_all: idsOf(labels, one.tags_all),
          tags_none: idsOf(labels, one.tags_none),
          custom,
        };
        if (one.primary) filter.has_primary_email = one.primary;
        const checked = await checkFilter(db, accountId, filter);
        if (checked instanceof Problem) return expect.unreachable(checked.message);
        const byRule = rows.flatMap((row, place) => (passes(row, one) ? [ids[place]] : []));
        for (const access of ['scan', 'lookup'] as const) {
          const found = searchTable()
            .where(filterCondition(accountId, checked, access))
            .select('prospect.id')
            .orderBy('prospect.id');
          const { rows: inSql } = await sql<{ id: number }>`${found}`.execute(db);
          expect([access, filter, inSql.map(({ id }) => id)]).toStrictEqual([access, filter, byRule]);
        }
        counted.passed += byRule.length;
        counted.failed += rows.length - byRule.length;
      }
    }),
    // Shrinking would take minutes.
    { numRuns: 40, endOnFailure: true },
  );
  expect(Math.min(counted.passed, counted.failed)).toBeGreaterThan(100);
});
