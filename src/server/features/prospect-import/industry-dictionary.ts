import type pg from 'pg';
import { industryText } from '#domain/text-filter.ts';
import { detached } from './cell-text.ts';
import type { ProspectRow } from './check-row.ts';

type Cell = ProspectRow['values']['major_industry_type'];

/** Cells remembered with their number: lists repeat them, and one that does not must not fill the memory. */
const MAX_CELLS = 20_000;

/**
 * The account's industry values and their numbers, resolved here: in SQL it costs four times the whole import. New ones are added in
 * the transaction of `client`, whose holder keeps other imports of the account out.
 */
export function openIndustryDictionary(client: pg.PoolClient, accountId: number) {
  /** By the text as written; of the present batch all. */
  const ids = new Map<string, number | null>();

  async function numbered(names: readonly string[]): Promise<Map<string, number>> {
    type Value = { id: number; name_search: string };
    const known = await client.query<Value>(
      'SELECT id, name_search FROM industry WHERE account_id = $1 AND name_search = ANY ($2::text[])',
      [accountId, names],
    );
    const found = new Map(known.rows.map(({ id, name_search }) => [name_search, id]));
    const added = await client.query<Value>(
      'INSERT INTO industry (account_id, name_search) SELECT $1, unnest($2::text[]) RETURNING id, name_search',
      [accountId, names.filter((name) => !found.has(name))],
    );
    for (const { id, name_search } of added.rows) found.set(name_search, id);
    return found;
  }

  return {
    /** Gives a number to every industry value of the rows. */
    async add(rows: readonly ProspectRow[]): Promise<void> {
      if (ids.size > MAX_CELLS) ids.clear();
      const names = new Map<string, string>();
      for (const { values } of rows) {
        for (const cell of [values.major_industry_type, values.included_industry_type]) {
          if (typeof cell === 'string' && !ids.has(cell)) names.set(detached(cell), detached(industryText(cell)));
        }
      }
      if (names.size === 0) return;
      const numbers = await numbered([...new Set(names.values())].filter((name) => name !== ''));
      for (const [cell, name] of names) ids.set(cell, numbers.get(name) ?? null);
    },
    /** The number of a cell's value; null where it has none. */
    idOf(cell: Cell): number | null {
      if (typeof cell !== 'string') return null;
      const id = ids.get(cell);
      if (id === undefined) throw new Error(`industry value used before it was added: ${cell}`);
      return id;
    },
  };
}
export type IndustryDictionary = ReturnType<typeof openIndustryDictionary>;
