import { finished } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { ProspectRow } from './check-row.ts';
import { COLUMNS } from './columns.ts';
import type { IndustryDictionary } from './industry-dictionary.ts';

const FIELDS = COLUMNS.map(({ field }) => field);

/** What an import brings for a prospect: the fields of the list and what is derived from them. */
export const STAGED = [
  'identity_key',
  ...FIELDS,
  'address_search',
  'email_search',
  'major_industry_id',
  'included_industry_id',
] as const;

/** Rows wait here until the whole file has been read. AS SELECT keeps the types and collations of the prospect table. */
export async function createStaging(client: pg.PoolClient): Promise<void> {
  await client.query(
    `CREATE TEMPORARY TABLE import_row ON COMMIT DROP AS
     SELECT 0::integer AS line, ${STAGED.join(', ')} FROM prospect WITH NO DATA`,
  );
}

export async function stageRows(
  client: pg.PoolClient,
  rows: readonly ProspectRow[],
  industries: IndustryDictionary,
): Promise<void> {
  await industries.add(rows);
  const copy = client.query(copyFrom(`COPY import_row (line, ${STAGED.join(', ')}) FROM STDIN`));
  let text = '';
  for (const row of rows) text += copyLine(row, industries);
  copy.end(text);
  await finished(copy);
}

/** A row in COPY's text format. */
function copyLine(row: ProspectRow, { idOf }: IndustryDictionary): string {
  const { values } = row;
  let text = `${row.line}\t${escaped(row.identityKey)}\t`;
  for (const field of FIELDS) text += `${escaped(values[field])}\t`;
  const derived = [
    row.addressSearch,
    row.emailSearch,
    idOf(values.major_industry_type),
    idOf(values.included_industry_type),
  ];
  return `${text}${derived.map(escaped).join('\t')}\n`;
}

/** Cells have no control characters any more, and an identity key has line breaks. */
function escaped(value: string | number | null): string | number {
  if (value === null) return '\\N';
  if (typeof value === 'number') return value;
  const text = value.includes('\\') ? value.replaceAll('\\', '\\\\') : value;
  return text.includes('\n') ? text.replaceAll('\n', '\\n') : text;
}
