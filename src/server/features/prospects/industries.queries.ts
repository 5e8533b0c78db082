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

/** A value of the column as companies have written it, and how many of them. */
interface Value {
  readonly written: string;
  readonly companies: number;
}

/** The most parts of terms that are looked up: a fifth of a second. Industries of usual lists have some thousands. */
const MAX_PARTS = 5_000_000;

const TOO_MANY: Answer = { too_many: 1, industries: [] };

/**
 * Counts the companies of each term of an industry column, without archived ones.
 * A term has the companies of all values that contain it, as in the filter (filterCondition): 製造 has those of 製造業
 * too. The database counts values; the rest needs no connection.
 */
export async function countIndustries(account: AccountDb, column: Column): Promise<Answer> {
  const values = await account.snapshot((tx) => countValues(tx, account.id, column));
  if (values.length > MAX_INDUSTRY_VALUES) return TOO_MANY;
  const read = await mapInSlices(values, ({ written, companies }) => ({ terms: spelledTerms(written), companies }));
  // Of several spellings that of the most frequent value, which is the first.
  const spellings = new Map(read.flatMap(({ terms }) => [...terms]).toReversed());
  const lengths = [...new Set(Array.from(spellings.keys(), ({ length }) => length))];
  if ([...spellings.keys()].join('').length * lengths.length > MAX_PARTS) return TOO_MANY;
  const within = new Map(
    await mapInSlices([...spellings.keys()], (term) => [
      term,
      partsOf(term, lengths).filter((part) => spellings.has(part)),
    ]),
  );
  const totals = new Map<string, number>();
  await mapInSlices(read, ({ terms, companies }) => {
    const contained = new Set([...terms.keys()].flatMap((term) => within.get(term) ?? []));
    for (const term of contained) totals.set(term, (totals.get(term) ?? 0) + companies);
  });
  const industries = Array.from(totals, ([term, companies]) => ({ term: spellings.get(term) ?? term, companies }));
  industries.sort((one, other) => other.companies - one.companies || (one.term < other.term ? -1 : 1));
  return { too_many: 0, industries: industries.slice(0, MAX_OFFERED_INDUSTRIES) };
}

/** Returns the parts of a text that have one of the lengths. */
const partsOf = (text: string, lengths: readonly number[]): string[] =>
  lengths.flatMap((length) =>
    Array.from({ length: Math.max(0, text.length - length + 1) }, (_, at) => text.slice(at, at + length)),
  );

/**
 * Counts the companies of each value, the most frequent first; of too many values, any.
 * All companies are counted along the index of the column, which takes half of a scan of prospect_search. That index
 * has the archived ones too: they are counted by their own index, and subtracted.
 */
async function countValues(tx: Tx, accountId: number, column: Column): Promise<Value[]> {
  const counted = (sign: string, isCounted: string) => sql`
    SELECT ${sql.ref(column)} AS written, ${sql.raw(sign)} count(*) AS companies FROM prospect
    WHERE account_id = ${accountId} AND ${sql.ref(column)} IS NOT NULL AND ${sql.raw(isCounted)} GROUP BY 1`;
  const { rows } = await sql<Value>`
    SELECT written, sum(companies)::integer AS companies
    FROM (${counted('+', 'true')} UNION ALL ${counted('-', 'archived_at IS NOT NULL')}) AS counted
    GROUP BY 1 HAVING sum(companies) > 0
    ORDER BY 2 DESC, 1 LIMIT ${MAX_INDUSTRY_VALUES + 1}`.execute(tx);
  return rows;
}
