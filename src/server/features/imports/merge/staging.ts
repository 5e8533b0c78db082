import { finished } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { ProspectRow } from '../read/cells/check-row.ts';
import { COLUMNS } from '../read/table/columns.ts';
import type { IndustryDictionary } from './industry-dictionary.ts';

const FIELDS = COLUMNS.map(({ field }) => field);

/** The columns of a prospect that an import writes: the fields of the file, and what is derived from them. */
export const STAGED = [
  'identity_key',
  ...FIELDS,
  'address_search',
  'email_search',
  'major_industry_id',
  'included_industry_id',
] as const;

/**
 * Creates the tables of an import: `import_batch` for checked rows, with the column types of `prospect`, and
 * `import_company`, which holds the companies of the file so far and the row of each.
 */
export async function createStaging(client: pg.PoolClient): Promise<void> {
  await client.query(
    `CREATE TEMPORARY TABLE import_batch ON COMMIT DROP AS
     SELECT 0::integer AS file_row, 0::bigint AS prospect_id, ''::text COLLATE "C" AS remarks, ${STAGED.join(', ')}
     FROM prospect WITH NO DATA`,
  );
  await client.query(
    'CREATE TEMPORARY TABLE import_company (prospect_id bigint PRIMARY KEY, file_row integer NOT NULL) ON COMMIT DROP',
  );
}

/** Rows that are formatted without a pause, so that the event loop is not blocked. */
const SLICE_ROWS = 500;

/** Copies checked rows into the empty table `import_batch`. */
export async function stageRows(
  client: pg.PoolClient,
  rows: readonly ProspectRow[],
  industries: IndustryDictionary,
): Promise<void> {
  await industries.add(rows);
  let text = '';
  for (const [at, row] of rows.entries()) {
    text += copyLine(row, industries);
    if (at % SLICE_ROWS === SLICE_ROWS - 1) await nextTurn();
  }
  const copy = client.query(copyFrom(`COPY import_batch (file_row, ${STAGED.join(', ')}, remarks) FROM STDIN`));
  copy.end(text);
  await finished(copy);
}

/** Formats a row in the text format of COPY. */
function copyLine(row: ProspectRow, { idOf }: IndustryDictionary): string {
  const { values } = row;
  let text = `${row.row}\t${escaped(row.identityKey)}\t`;
  for (const field of FIELDS) text += `${escaped(values[field])}\t`;
  const derived = [
    row.addressSearch,
    row.emailSearch,
    idOf(values.major_industry_type),
    idOf(values.included_industry_type),
  ];
  // Only remarks have tabs.
  const remarks = String(escaped(row.remarks)).replaceAll('\t', '\\t');
  return `${text}${derived.map(escaped).join('\t')}\t${remarks}\n`;
}

/**
 * Escapes backslashes and line breaks. Cleaned cells have no other control characters but tabs of remarks; an identity
 * key has line breaks.
 */
function escaped(value: string | number | null): string | number {
  if (value === null) return '\\N';
  if (typeof value === 'number') return value;
  const text = value.includes('\\') ? value.replaceAll('\\', '\\\\') : value;
  return text.includes('\n') ? text.replaceAll('\n', '\\n') : text;
}
