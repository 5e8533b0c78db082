import { Readable } from 'node:stream';
import { csvCell, harmlessCell } from '#domain/text/harmless-cell.ts';
import type { AccountDb } from '../../../platform/database/account-db.ts';
import { listFaulty } from '../import-line.queries.ts';
import type { ChosenColumn } from '../read/table/chosen-header.ts';
import { COLUMNS } from '../read/table/columns.ts';

interface FaultyFile {
  readonly fileId: number;
  readonly heading: readonly string[];
  /** The fields of the columns that have one. */
  readonly columns: readonly ChosenColumn[];
}

/**
 * Streams the rows that cannot be imported as CSV, with their cells as in the file.
 * Formulas are marked as in exports; numbers of numeric columns stay numbers. The import removes the marks.
 */
export const faultsFile = (account: AccountDb, file: FaultyFile): Readable =>
  Readable.from(pieces(account, file), { objectMode: false });

const PAGE_ROWS = 1000;
const BOM = '\uFEFF';
const ADDED_HEADINGS = ['行番号', '誤りの項目', '誤りの理由'];

const NUMERIC_FIELDS: ReadonlySet<string> = new Set(
  COLUMNS.filter(({ kind }) => ['money', 'count', 'year'].includes(kind)).map(({ field }) => field),
);

const NUMBER = /^[+-]?\d[\d,]*(?:\.\d+)?$/;

async function* pieces(account: AccountDb, { fileId, heading, columns }: FaultyFile): AsyncGenerator<string> {
  const numeric = new Set(columns.filter(({ field }) => NUMERIC_FIELDS.has(field)).map(({ index }) => index));
  const shown = (cell: string, at: number) => (numeric.has(at) && NUMBER.test(cell) ? cell : harmlessCell(cell));
  const line = (cells: readonly string[]) => `${cells.map((cell, at) => csvCell(shown(cell, at))).join(',')}\r\n`;
  yield BOM + line([...heading, ...ADDED_HEADINGS]);
  let after = 0;
  for (;;) {
    const from = after;
    const rows = await account.snapshot((tx) => listFaulty(tx, account.id, fileId, from, PAGE_ROWS));
    if (rows.length > 0) {
      yield rows
        .map(({ file_row, column_label, reason, cells }) => {
          const padded = Array.from(
            { length: Math.max(heading.length, cells?.length ?? 0) },
            (_, at) => cells?.[at] ?? '',
          );
          return line([...padded, String(file_row), column_label, reason]);
        })
        .join('');
    }
    if (rows.length < PAGE_ROWS) return;
    after = rows.at(-1)?.id ?? after;
  }
}
