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
  'major_industry_ids',
  'included_industry_ids',
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
  await industries.add(
    rows.flatMap(({ values }) => [values.major_industry_type, values.included_industry_type].map(asText)),
  );
  const copy = client.query(copyFrom(`COPY import_row (line, ${STAGED.join(', ')}) FROM STDIN`));
  copy.end(rows.map((row) => copyLine(row, industries)).join(''));
  await finished(copy);
}

const asText = (value: string | number | null): string | null => (typeof value === 'string' ? value : null);

/** A row in COPY's text format. */
function copyLine(
  { line, identityKey, values, addressSearch, emailSearch }: ProspectRow,
  industries: IndustryDictionary,
) {
  let text = `${line}\t${escaped(identityKey)}`;
  for (const field of FIELDS) text += `\t${escaped(values[field])}`;
  const major = industries.idsOf(asText(values.major_industry_type));
  const included = industries.idsOf(asText(values.included_industry_type));
  return `${text}\t${escaped(addressSearch)}\t${escaped(emailSearch)}\t${major}\t${included}\n`;
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escaped(value: string | number | null): string | number {
  if (value === null) return '\\N';
  if (typeof value === 'number' || !/[\\\n\r\t]/.test(value)) return value;
  return value.replace(/[\\\n\r\t]/g, (char) => ESCAPES[char] ?? char);
}
