import { sql } from 'kysely';
import type { CallAnswer } from '#contract/call.ts';
import type { countIndustries as countCall } from '#contract/companies/prospects.ts';
import { MAX_INDUSTRY_VALUES, MAX_OFFERED_INDUSTRIES } from '#domain/limits.ts';
import { spelledTerms } from '#domain/text/text-filter.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { mapInSlices } from '../../platform/turns.ts';

type Answer = CallAnswer<typeof countCall>;
type Column = 'major_industry_type' | 'included_industry_type';

/** A value of the dictionary `industry`: its terms joined with 、, and the companies that have it. */
interface Value {
  readonly name_search: string;
  /** As a company has written it; null: nobody has stored that. */
  readonly name: string | null;
  readonly companies: number;
}

/** The most parts of terms that are looked up: a second of work. Industries of usual lists have some thousands. */
const MAX_PARTS = 5_000_000;

const TOO_MANY: Answer = { too_many: 1, industries: [] };

/**
 * Counts the companies of each term of an industry column, without archived ones.
 * A term has the companies of all values that contain it, as in the filter (filterCondition): 製造 has those of 製造業
 * too. Values are counted by one scan; the rest needs no connection.
 */
export async function countIndustries(account: AccountDb, column: Column): Promise<Answer> {
  const values = await account.snapshot((tx) => countValues(tx, account.id, column));
  if (values.length > MAX_INDUSTRY_VALUES) return TOO_MANY;
  const spellings = spellingsOf(values);
  const lengths = [...new Set(Array.from(spellings.keys(), ({ length }) => length))];
  if ([...spellings.keys()].join('').length * lengths.length > MAX_PARTS) return TOO_MANY;
  const within = new Map(
    await mapInSlices([...spellings.keys()], (term) => [
      term,
      partsOf(term, lengths).filter((part) => spellings.has(part)),
    ]),
  );
  const totals = new Map<string, number>();
  await mapInSlices(values, ({ name_search, companies }) => {
    const contained = new Set(termsOf(name_search).flatMap((term) => within.get(term) ?? []));
    for (const term of contained) totals.set(term, (totals.get(term) ?? 0) + companies);
  });
  const industries = Array.from(totals, ([term, companies]) => ({ term: spellings.get(term) ?? term, companies }));
  industries.sort((one, other) => other.companies - one.companies || (one.term < other.term ? -1 : 1));
  return { too_many: 0, industries: industries.slice(0, MAX_OFFERED_INDUSTRIES) };
}

const termsOf = (value: string): string[] => value.split('、');

/** Returns each term of the values, with its spelling in the most frequent of them. */
function spellingsOf(values: readonly Value[]): ReadonlyMap<string, string> {
  const spellings = new Map<string, string>();
  for (const { name_search, name } of values) {
    const spelled = spelledTerms(name ?? '');
    for (const term of termsOf(name_search)) {
      if (!spellings.has(term)) spellings.set(term, spelled.get(term) ?? term);
    }
  }
  return spellings;
}

/** Returns the parts of a text that have one of the lengths. */
const partsOf = (text: string, lengths: readonly number[]): string[] =>
  lengths.flatMap((length) =>
    Array.from({ length: Math.max(0, text.length - length + 1) }, (_, at) => text.slice(at, at + length)),
  );

/** Counts the companies of each value, the most frequent first; of too many values, any. */
async function countValues(tx: Tx, accountId: number, column: Column): Promise<Value[]> {
  const id = sql.ref(column === 'major_industry_type' ? 'major_industry_id' : 'included_industry_id');
  const { rows } = await sql<Value>`
    SELECT industry.name_search, industry.name, counted.companies
    FROM (
      SELECT ${id} AS id, count(*)::integer AS companies FROM prospect_search
      WHERE account_id = ${accountId} AND ${id} IS NOT NULL
      GROUP BY 1 LIMIT ${MAX_INDUSTRY_VALUES + 1}
    ) AS counted
    JOIN industry ON industry.account_id = ${accountId} AND industry.id = counted.id
    ORDER BY counted.companies DESC, industry.id`.execute(tx);
  return rows;
}
