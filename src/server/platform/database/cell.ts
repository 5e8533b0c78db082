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
      const first = cell * IDS_OF_CELL + 1;
      const range = `MINVALUE 1 SET MAXVALUE ${first + IDS_OF_CELL - 2}`;
      await client.query(`ALTER TABLE account ALTER COLUMN id SET ${range} RESTART WITH ${first}`);
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

const otherCell = (present: number, wanted: number) =>
  new StartupError(
    `このデータベースのアカウントの番号は、CELL=${present} の範囲で始まっています。CELL=${wanted} にはできません。` +
      `CELL を ${present} に戻すか、空のデータベースを指定してください。`,
  );
