import { sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { lookAtImport } from '#contract/import-look.ts';
import type { AccountDb } from '../../platform/account-db.ts';
import type { Tx } from '../../platform/db.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';
import { type ChosenColumn, headingHash } from '../prospect-import/chosen-table.ts';
import { lookAtHead } from '../prospect-import/look-at-head.ts';
import { notATable, refuseFileType } from './file-type.ts';
import { findImport } from './import.queries.ts';
import { nameOfSeparator, SEPARATORS } from './import-settings.ts';

type Look = CallAnswer<typeof lookAtImport>;

const HEAD_BYTES = 256 * 1024;
const SHOWN_ROWS = 5;
const SAMPLES = 3;
const MAX_SHOWN_LENGTH = 200;

/** Reads the first rows of an upload, and proposes fields for its columns. */
export async function lookAtUpload(
  account: AccountDb,
  id: number,
  query: z.output<(typeof lookAtImport)['query']>,
): Promise<Look | Refusal> {
  const upload = await account.snapshot(async (tx) => {
    const run = await findImport(tx, account.id, id);
    if (!run) return notFound();
    if (run.fileId === null || !run.uploaded) return notUploaded();
    const bytes = await readHead(tx, account.id, run.fileId);
    return { bytes, isWhole: bytes.length === run.bytes };
  });
  if (upload instanceof Refusal) return upload;
  const refused = refuseFileType(upload.bytes);
  if (refused !== null) return refused;
  const chosen = {
    encoding: query.encoding,
    separator: query.separator && SEPARATORS[query.separator],
    headerRow: query.header_row,
  };
  const head = lookAtHead(upload.bytes, upload.isWhole, chosen);
  if (head instanceof Refusal) return head.code === 'not_csv' ? notATable() : head;
  const { heading, records, width } = head;
  const saved = heading.length === 0 ? null : await account.snapshot((tx) => savedColumns(tx, account.id, heading));
  const columns = saved ?? head.proposed;
  return {
    encoding: head.encoding,
    separator: nameOfSeparator(head.separator),
    header_row: head.headerRow,
    heading: heading.map(shown),
    rows: records.slice(0, SHOWN_ROWS).map(({ row, cells }) => ({ row, cells: cells.map(shown) })),
    columns: Array.from({ length: width }, (_, index) => {
      const column = columns.find((one) => one.index === index);
      const filled = records.map(({ cells }) => cells[index] ?? '').filter((cell) => cell.trim() !== '');
      return {
        index,
        heading: shown(heading[index] ?? ''),
        samples: filled.slice(0, SAMPLES).map(shown),
        field: column?.field ?? null,
        unit: (column?.unit ?? '') as Look['columns'][number]['unit'],
      };
    }),
    mapping: saved === null ? 'auto' : 'saved',
    missing: columns.some(({ field }) => field === 'company_name') ? [] : ['company_name'],
  };
}

const shown = (cell: string): string => cell.slice(0, MAX_SHOWN_LENGTH).toWellFormed();

async function readHead(tx: Tx, accountId: number, fileId: number): Promise<Buffer> {
  const { rows } = await sql<{ content: Buffer }>`
    SELECT substring(content FROM 1 FOR ${sql.lit(HEAD_BYTES)}) AS content FROM stored_file_piece
    WHERE account_id = ${accountId} AND file_id = ${fileId} AND start < ${HEAD_BYTES}
    ORDER BY start`.execute(tx);
  return Buffer.concat(rows.map(({ content }) => content)).subarray(0, HEAD_BYTES);
}

/** Reads the fields that a person chose for this heading row before. */
async function savedColumns(
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
}

export const notUploaded = () =>
  new Refusal(409, 'not_uploaded', 'ファイルが届いていないか、期限が過ぎています。もう一度アップロードしてください。');
