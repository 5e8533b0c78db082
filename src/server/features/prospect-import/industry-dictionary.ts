import type pg from 'pg';
import { splitTerms } from '#domain/text-filter.ts';
import { detached } from './cell-text.ts';
import type { ProspectRow } from './check-row.ts';

type Cell = ProspectRow['values']['major_industry_type'];

/** Cells remembered with their terms: lists repeat them. */
const MAX_CELLS = 20_000;

/**
 * The account's industry terms and their ids, resolved here: in SQL it costs four times the whole import. New terms are added in
 * the transaction of `client`, whose holder keeps other imports of the account out.
 */
export async function openIndustryDictionary(client: pg.PoolClient, accountId: number) {
  const { rows } = await client.query<{ id: number; name_search: string }>(
    'SELECT id, name_search FROM industry WHERE account_id = $1',
    [accountId],
  );
  const ids = new Map(rows.map(({ id, name_search }) => [name_search, id]));
  const cells = new Map<string, readonly string[]>();

  function termsOf(text: Cell): readonly string[] {
    if (typeof text !== 'string') return [];
    let terms = cells.get(text);
    if (terms === undefined) {
      terms = splitTerms(text).map(detached);
      if (cells.size >= MAX_CELLS) cells.clear();
      cells.set(detached(text), terms);
    }
    return terms;
  }

  return {
    /** Gives an id to every industry term of the rows that has none yet. */
    async add(rows: readonly ProspectRow[]): Promise<void> {
      const missing = new Set<string>();
      for (const { values } of rows) {
        for (const cell of [values.major_industry_type, values.included_industry_type]) {
          for (const term of termsOf(cell)) if (!ids.has(term)) missing.add(term);
        }
      }
      if (missing.size === 0) return;
      // DO UPDATE, not DO NOTHING: it gives the id too where somebody else has just added the term.
      const added = await client.query<{ id: number; name_search: string }>(
        `INSERT INTO industry (account_id, name_search) SELECT $1, unnest($2::text[])
         ON CONFLICT (account_id, name_search) DO UPDATE SET name_search = excluded.name_search
         RETURNING id, name_search`,
        [accountId, [...missing]],
      );
      for (const { id, name_search } of added.rows) ids.set(name_search, id);
    },
    /** The ids of a cell's terms as a PostgreSQL array; `{}` where it is blank. */
    idsOf: (text: Cell): string =>
      `{${termsOf(text)
        .map((term) => ids.get(term) ?? missingTerm(term))
        .join(',')}}`,
  };
}
export type IndustryDictionary = Awaited<ReturnType<typeof openIndustryDictionary>>;

function missingTerm(term: string): never {
  throw new Error(`industry term used before it was added: ${term}`);
}
