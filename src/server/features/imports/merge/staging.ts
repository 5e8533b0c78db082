import { finished } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { numberedKey } from '#domain/company/prospect-identity.ts';
import { industryText } from '#domain/text/text-filter.ts';
import { copyText } from '../../cells/cell-text.ts';
import type { ProspectRow } from '../read/cells/check-row.ts';
import { lateFaults, type RowFault } from '../read/faults.ts';
import { COLUMNS } from '../read/table/columns.ts';

/* Copies batches of checked rows into the temporary table, without repeats and with industry numbers. */

export interface Repeat {
  row: number;
  /** The row with the same company. */
  firstRow: number;
  companyName: string;
}

/** The rows of a batch, without repeats. */
export interface Separated {
  readonly rows: ProspectRow[];
  readonly repeats: Repeat[];
  /** Rows whose ids name other companies than the file's rows before. */
  readonly refused: ReadonlyMap<number, RowFault>;
}

/**
 * Separates the rows of a batch whose company is in an earlier row. The first row counts; a later one only adds its
 * corporate number and 外部ID if the first has none.
 * Rows with the same name and address but different numbers are different companies: the later ones get their own key.
 * merge.queries.ts applies the same rules to companies in the database and in earlier batches.
 */
export function separateRepeats(rows: readonly ProspectRow[]): Separated {
  const known: KnownRows = { byExternal: new Map(), byNumber: new Map(), byKey: new Map() };
  const repeats: Repeat[] = [];
  const refused = new Map<number, RowFault>();
  const kept = rows.filter((row) => {
    const found = findKnown(row, known);
    const { first, twin } = found;
    const fault = first === undefined ? null : faultOfIds(row, first, found.ofNumber);
    if (fault !== null) {
      refused.set(row.row, fault);
      return false;
    }
    const number = numberOf(row);
    if (first !== undefined) repeats.push(joinRepeat(row, first, found.isByExternal));
    else if (twin !== undefined && number !== null) row.identityKey = numberedKey(row.identityKey, number);
    remember(row, found, known);
    return first === undefined;
  });
  return { rows: kept, repeats, refused };
}

/** The first rows of the companies of a batch. */
interface KnownRows {
  readonly byExternal: Map<string, ProspectRow>;
  readonly byNumber: Map<string, ProspectRow>;
  readonly byKey: Map<string, ProspectRow>;
}

interface Found {
  /** The row with the same company. */
  readonly first: ProspectRow | undefined;
  readonly isByExternal: boolean;
  readonly ofNumber: ProspectRow | undefined;
  /** The row with the same name and address. */
  readonly twin: ProspectRow | undefined;
}

function findKnown(row: ProspectRow, { byExternal, byNumber, byKey }: KnownRows): Found {
  const number = numberOf(row);
  const external = row.extra?.externalId ?? null;
  const twin = byKey.get(row.identityKey);
  const isTwin = twin !== undefined && (number === null || [null, number].includes(numberOf(twin)));
  const ofExternal = external === null ? undefined : byExternal.get(external);
  const ofNumber = number === null ? undefined : byNumber.get(number);
  const first = ofExternal ?? ofNumber ?? (isTwin ? twin : undefined);
  return { first, isByExternal: ofExternal !== undefined, ofNumber, twin };
}

/** Gives a company's first row what a later one knows more of its ids. */
function joinRepeat(row: ProspectRow, first: ProspectRow, isByExternal: boolean): Repeat {
  // Whose number it is, the database knows: one of a row found by its 外部ID may be another company's.
  if (!isByExternal) first.values.corporate_number ??= numberOf(row);
  const external = row.extra?.externalId ?? null;
  if (external !== null && first.extra !== undefined) first.extra = { ...first.extra, externalId: external };
  return { row: row.row, firstRow: first.row, companyName: nameOf(row) };
}

function remember(row: ProspectRow, { first, isByExternal }: Found, { byExternal, byNumber, byKey }: KnownRows): void {
  const number = numberOf(row);
  const external = row.extra?.externalId ?? null;
  if (external !== null && !byExternal.has(external)) byExternal.set(external, first ?? row);
  if (number !== null && !isByExternal && !byNumber.has(number)) byNumber.set(number, first ?? row);
  if (first === undefined) byKey.set(row.identityKey, row);
}

/** Compares the ids of a row with those of the company's first row. @param ofNumber the row with its number */
function faultOfIds(row: ProspectRow, first: ProspectRow, ofNumber: ProspectRow | undefined): RowFault | null {
  const external = row.extra?.externalId ?? null;
  if (external === null) return null;
  const known = first.extra?.externalId ?? null;
  if (known !== null && known !== external) return lateFaults.externalIdSet(external);
  const [number, numberOfFirst] = [numberOf(row), numberOf(first)];
  const isOther = number !== null && numberOfFirst !== null && number !== numberOfFirst;
  if (!isOther && (ofNumber === undefined || ofNumber === first)) return null;
  return lateFaults.idsDisagree(nameOf(first), nameOf(ofNumber ?? row));
}

const nameOf = ({ values }: ProspectRow): string => String(values.company_name);

const numberOf = ({ values }: ProspectRow): string | null => values.corporate_number as string | null;

const FIELDS = COLUMNS.map(({ field }) => field);

/** The columns of a prospect that an import writes: fields of the file and derived ones. */
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
 * `import_company` for the companies of the file so far with their rows.
 * @param client in the import's transaction, which locks out other imports of the account
 * @param hasExternal the file has a column of 外部ID
 * @returns a function that copies checked rows into the empty table `import_batch`
 */
export async function openStaging(
  client: pg.PoolClient,
  accountId: number,
  hasExternal = false,
): Promise<(rows: readonly ProspectRow[]) => Promise<void>> {
  await client.query(
    `CREATE TEMPORARY TABLE import_batch ON COMMIT DROP AS
     SELECT 0::integer AS file_row, 0::bigint AS prospect_id, ''::text COLLATE "C" AS remarks,
       ${STAGED.join(', ')}${hasExternal ? ', external_id' : ''}
     FROM prospect WITH NO DATA`,
  );
  await client.query(
    'CREATE TEMPORARY TABLE import_company (prospect_id bigint PRIMARY KEY, file_row integer NOT NULL) ON COMMIT DROP',
  );
  const industries = openIndustryDictionary(client, accountId);
  return (rows) => stageRows(client, rows, industries, hasExternal);
}

/** Rows that are formatted in one go, so that the event loop is not blocked. */
const SLICE_ROWS = 500;

async function stageRows(
  client: pg.PoolClient,
  rows: readonly ProspectRow[],
  industries: IndustryDictionary,
  hasExternal: boolean,
): Promise<void> {
  await industries.add(rows);
  let text = '';
  for (const [at, row] of rows.entries()) {
    text += copyLine(row, industries);
    text += hasExternal ? `\t${escaped(row.extra?.externalId ?? null)}\n` : '\n';
    if (at % SLICE_ROWS === SLICE_ROWS - 1) await nextTurn();
  }
  const columns = ['file_row', ...STAGED, 'remarks', ...(hasExternal ? ['external_id'] : [])];
  const copy = client.query(copyFrom(`COPY import_batch (${columns.join(', ')}) FROM STDIN`));
  copy.end(text);
  await finished(copy);
}

/** Formats a row in the text format of COPY, without its end. */
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
  return `${text}${derived.map(escaped).join('\t')}\t${remarks}`;
}

/**
 * Escapes backslashes and line breaks. Cleaned cells have no other control characters except tabs in remarks. An
 * identity key has line breaks.
 */
function escaped(value: string | number | null): string | number {
  if (value === null) return '\\N';
  if (typeof value === 'number') return value;
  const text = value.includes('\\') ? value.replaceAll('\\', '\\\\') : value;
  return text.includes('\n') ? text.replaceAll('\n', '\\n') : text;
}

type Cell = ProspectRow['values']['major_industry_type'];

/** The most cached cells with their number. Lists usually repeat industries; this bounds the others. */
const MAX_CACHED_CELLS = 20_000;

/**
 * Opens the account's dictionary of industries, which numbers each industry value (decisions/company-list). Values are
 * looked up here: in the final INSERT that would take four times as long as the whole import.
 */
function openIndustryDictionary(client: pg.PoolClient, accountId: number) {
  /** The number of each cell as written. This cache always has the cells of the current batch. */
  const ids = new Map<string, number | null>();

  /**
   * Finds the numbers of industry values, and adds missing values.
   * @param spellings each value with a cell that has it
   */
  async function findOrAddNumbers(spellings: ReadonlyMap<string, string>): Promise<Map<string, number>> {
    type Value = { id: number; name_search: string };
    const names = [...spellings.keys()];
    const known = await client.query<Value>(
      'SELECT id, name_search FROM industry WHERE account_id = $1 AND name_search = ANY ($2::text[])',
      [accountId, names],
    );
    const found = new Map(known.rows.map(({ id, name_search }) => [name_search, id]));
    const missing = names.filter((name) => !found.has(name));
    const added = await client.query<Value>(
      `INSERT INTO industry (account_id, name_search, name) SELECT $1, unnest($2::text[]), unnest($3::text[])
       RETURNING id, name_search`,
      [accountId, missing, missing.map((name) => spellings.get(name))],
    );
    for (const { id, name_search } of added.rows) found.set(name_search, id);
    return found;
  }

  return {
    /** Finds or adds the numbers of all industry values of the rows. */
    async add(rows: readonly ProspectRow[]): Promise<void> {
      if (ids.size > MAX_CACHED_CELLS) ids.clear();
      const names = new Map<string, string>();
      for (const { values } of rows) {
        for (const cell of [values.major_industry_type, values.included_industry_type]) {
          if (typeof cell === 'string' && !ids.has(cell)) names.set(copyText(cell), copyText(industryText(cell)));
        }
      }
      if (names.size === 0) return;
      const spellings = new Map([...names].filter(([, name]) => name !== '').map(([cell, name]) => [name, cell]));
      const numbers = await findOrAddNumbers(spellings);
      for (const [cell, name] of names) ids.set(cell, numbers.get(name) ?? null);
    },
    /** @returns the number of a cell's value, null for a blank cell @throws if the cell was not added */
    idOf(cell: Cell): number | null {
      if (typeof cell !== 'string') return null;
      const id = ids.get(cell);
      if (id === undefined) throw new Error(`industry value used before it was added: ${cell}`);
      return id;
    },
  };
}
type IndustryDictionary = ReturnType<typeof openIndustryDictionary>;
