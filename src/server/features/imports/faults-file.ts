import { Readable } from 'node:stream';
import { csvCell } from '#domain/csv-cell.ts';
import type { AccountDb } from '../../platform/account-db.ts';
import { listRefused } from './import-line.queries.ts';

const PAGE_ROWS = 1000;
const BOM = '\uFEFF';
const ADDED_HEADINGS = ['行番号', '誤りの項目', '誤りの理由'];

const line = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`;

/**
 * Streams the rows that cannot be imported as CSV, with their cells as they are in the file.
 * Formulas in them stay as they are (harmless-cell.ts): the file is the user's own, and is imported again.
 */
export const faultsFile = (account: AccountDb, fileId: number, heading: readonly string[]): Readable =>
  Readable.from(pieces(account, fileId, heading), { objectMode: false });

async function* pieces(account: AccountDb, fileId: number, heading: readonly string[]): AsyncGenerator<string> {
  yield BOM + line([...heading, ...ADDED_HEADINGS]);
  let after = 0;
  for (;;) {
    const from = after;
    const rows = await account.snapshot((tx) => listRefused(tx, account.id, fileId, from, PAGE_ROWS));
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
