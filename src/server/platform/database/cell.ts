import type pg from 'pg';
import { IDS_OF_CELL } from '#domain/limits.ts';
import { StartupError } from '../startup-error.ts';
import { onlyRow } from './only-row.ts';

/**
 * Assigns this database to a cell: its accounts get ids from `cell` × IDS_OF_CELL + 1 on.
 * A repeated call changes nothing. Accounts that moved here have ids of other cells.
 * @param pool of the owner
 * @throws StartupError if accounts were made under another cell: two cells would assign the same ids
 */
export async function setCell(pool: pg.Pool, cell: number): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const { rows } = await client.query<{ cell: number; isUsed: boolean }>(
      'SELECT cell, (SELECT is_called FROM account_id_seq) AS "isUsed" FROM installation FOR UPDATE',
    );
    const present = onlyRow(rows);
    if (present.cell !== cell) {
      if (present.isUsed) throw otherCell(present.cell, cell);
      await setRange(client, cell);
      await client.query('UPDATE installation SET cell = $1', [cell]);
    }
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  } finally {
    client.release();
  }
}

/** Sets the id range of new accounts to that of a cell. */
async function setRange(client: pg.ClientBase, cell: number): Promise<void> {
  const first = cell * IDS_OF_CELL + 1;
  const range = `MINVALUE 1 SET MAXVALUE ${first + IDS_OF_CELL - 2}`;
  await client.query(`ALTER TABLE account ALTER COLUMN id SET ${range} RESTART WITH ${first}`);
}

/**
 * Assigns a database to the cell named by its loaded rows. Backups from before cells name none.
 * @param wanted the setting CELL; null: not set
 * @throws StartupError if that is another cell
 */
export async function keepCell(client: pg.ClientBase, wanted: number | null): Promise<void> {
  const { rows } = await client.query<{ cell: number | null }>(
    `SELECT (to_jsonb(installation) ->> 'cell')::integer AS cell FROM installation`,
  );
  const { cell } = onlyRow(rows);
  if (cell === null) return;
  if (wanted !== null && wanted !== cell) throw otherCell(cell, wanted);
  // Ids of cell 0 start at 1 without an upper bound.
  if (cell !== 0) await setRange(client, cell);
}

const otherCell = (present: number, wanted: number) =>
  new StartupError(
    `このデータベースのアカウントの番号は、CELL=${present} の範囲で始まっています。CELL=${wanted} にはできません。` +
      `CELL を ${present} に戻すか、空のデータベースを指定してください。`,
  );
