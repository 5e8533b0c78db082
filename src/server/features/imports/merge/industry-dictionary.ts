import type pg from 'pg';
import { industryText } from '#domain/text/text-filter.ts';
import { copyText } from '../read/cells/cell-text.ts';
import type { ProspectRow } from '../read/cells/check-row.ts';

type Cell = ProspectRow['values']['major_industry_type'];

/** Cells that are cached with their number. Lists repeat industries; the bound is for lists that do not. */
const MAX_CACHED_CELLS = 20_000;

/**
 * Opens the account's dictionary of industries, which gives each industry value a number (decisions/list-storage).
 * Values are looked up here and not in the final INSERT, where that would take four times as long as the whole import.
 * @param client in the transaction of the import, which holds the lock against other imports of the account
 */
export function openIndustryDictionary(client: pg.PoolClient, accountId: number) {
  /** The number of each cell as written: a cache that always has the cells of the current batch. */
  const ids = new Map<string, number | null>();

  /**
   * Finds the numbers of industry values, and adds the values that are new.
   * @param spellings each value, with a cell that has it
   */
  async function findOrAddNumbers(spellings: ReadonlyMap<string, string>): Promise<Map<string, number>> {
    type Value = { id: number; name_search: string };
    const names = [...spellings.keys()];
    const known = await client.query<Value>(
      'SELECT id, name_search FROM industry WHERE account_id = $1 AND name_search = ANY ($2::text[])',
      [accountId, names],
    );
    const found = new Map(known.rows.map(({ id, name_search }) => [name_search, id]));
    const missing = names.filter((name) => !found.has(name));
    const added = await client.query<Value>(
      `INSERT INTO industry (account_id, name_search, name) SELECT $1, unnest($2::text[]), unnest($3::text[])
       RETURNING id, name_search`,
      [accountId, missing, missing.map((name) => spellings.get(name))],
    );
    for (const { id, name_search } of added.rows) found.set(name_search, id);
    return found;
  }

  return {
    /** Finds or adds the number of every industry value of the rows. */
    async add(rows: readonly ProspectRow[]): Promise<void> {
      if (ids.size > MAX_CACHED_CELLS) ids.clear();
      const names = new Map<string, string>();
      for (const { values } of rows) {
        for (const cell of [values.major_industry_type, values.included_industry_type]) {
          if (typeof cell === 'string' && !ids.has(cell)) names.set(copyText(cell), copyText(industryText(cell)));
        }
      }
      if (names.size === 0) return;
      const spellings = new Map([...names].filter(([, name]) => name !== '').map(([cell, name]) => [name, cell]));
      const numbers = await findOrAddNumbers(spellings);
      for (const [cell, name] of names) ids.set(cell, numbers.get(name) ?? null);
    },
    /** @returns the number of a cell's value, null for a blank cell @throws where the cell was not added */
    idOf(cell: Cell): number | null {
      if (typeof cell !== 'string') return null;
      const id = ids.get(cell);
      if (id === undefined) throw new Error(`industry value used before it was added: ${cell}`);
      return id;
    },
  };
}
export type IndustryDictionary = ReturnType<typeof openIndustryDictionary>;
