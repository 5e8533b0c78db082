import { sql } from 'kysely';
import type { Tx } from '../../../platform/database/db.ts';
import { type ChosenColumn, headingHash } from '../read/table/chosen-header.ts';

const HEAD_BYTES = 256 * 1024;

/** Reads the first bytes of an upload. */
export async function readHead(tx: Tx, accountId: number, fileId: number): Promise<Buffer> {
  const { rows } = await sql<{ content: Buffer }>`
    SELECT substring(content FROM 1 FOR ${sql.lit(HEAD_BYTES)}) AS content FROM stored_file_piece
    WHERE account_id = ${accountId} AND file_id = ${fileId} AND start < ${HEAD_BYTES}
    ORDER BY start`.execute(tx);
  return Buffer.concat(rows.map(({ content }) => content)).subarray(0, HEAD_BYTES);
}

/** Reads the fields that a person chose earlier for this heading row. */
export async function savedColumns(
  tx: Tx,
  accountId: number,
  heading: readonly string[],
): Promise<readonly ChosenColumn[] | null> {
  const saved = await tx
    .selectFrom('import_mapping')
    .select('columns')
    .where('account_id', '=', accountId)
    .where('heading_hash', '=', headingHash(heading))
    .executeTakeFirst();
  return (saved?.columns as ChosenColumn[] | undefined) ?? null;
}

/** The most remembered heading rows of an account. Those used least recently are dropped. */
const MAX_MAPPINGS = 200;

/** Remembers the fields of a heading row. */
export async function saveColumns(
  tx: Tx,
  accountId: number,
  heading: readonly string[],
  columns: readonly ChosenColumn[],
): Promise<void> {
  const value = { columns: JSON.stringify(columns), updated_at: sql<Date>`now()` };
  await tx
    .insertInto('import_mapping')
    .values({ account_id: accountId, heading_hash: headingHash(heading), ...value })
    .onConflict((conflict) => conflict.columns(['account_id', 'heading_hash']).doUpdateSet(value))
    .execute();
  await sql`
    DELETE FROM import_mapping WHERE account_id = ${accountId} AND heading_hash IN (
      SELECT heading_hash FROM import_mapping WHERE account_id = ${accountId}
      ORDER BY updated_at DESC, heading_hash OFFSET ${MAX_MAPPINGS})`.execute(tx);
}
