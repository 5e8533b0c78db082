import type pg from 'pg';
import { IDS_OF_CELL } from '#domain/limits.ts';
import { StartupError } from '../startup-error.ts';
import { onlyRow } from './only-row.ts';

/**
 * Makes this database the one of a cell: its accounts get the ids from `cell` × IDS_OF_CELL + 1 on.
 * Does nothing where it is so already. Accounts that moved here have ids of other cells; none was made here before.
 * @param pool of the owner
 * @throws StartupError where accounts were made under another cell: two cells would give the same ids
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

/** Gives the accounts that are made from now on the ids of a cell. */
async function setRange(client: pg.ClientBase, cell: number): Promise<void> {
  const first = cell * IDS_OF_CELL + 1;
  const range = `MINVALUE 1 SET MAXVALUE ${first + IDS_OF_CELL - 2}`;
  await client.query(`ALTER TABLE account ALTER COLUMN id SET ${range} RESTART WITH ${first}`);
}

/**
 * Makes a database the one of the cell that its loaded rows name. Backups of before there were cells name none.
 * @param wanted the setting CELL; null: not set
 * @throws StartupError where that is another cell
 */
export async function keepCell(client: pg.ClientBase, wanted: number | null): Promise<void> {
  const { rows } = await client.query<{ cell: number | null }>(
    `SELECT (to_jsonb(installation) ->> 'cell')::integer AS cell FROM installation`,
  );
  const { cell } = onlyRow(rows);
  if (cell === null) return;
  if (wanted !== null && wanted !== cell) throw otherCell(cell, wanted);
  // Ids of the first one begin at 1 and have no end.
  if (cell !== 0) await setRange(client, cell);
}

const otherCell = (present: number, wanted: number) =>
  new StartupError(
    `このデータベースのアカウントの番号は、CELL=${present} の範囲で始まっています。CELL=${wanted} にはできません。` +
      `CELL を ${present} に戻すか、空のデータベースを指定してください。`,
  );
