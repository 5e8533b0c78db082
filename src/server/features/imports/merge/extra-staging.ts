import { finished } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { MAX_IMPORT_COMPANY_ROWS } from '#domain/limits.ts';
import type { Refusal } from '../../../platform/problem.ts';
import type { OwnCell, PersonCells, RowExtra } from '../read/cells/extra-row.ts';

/*
 * Stages what rows say beside their companies' own columns, in the temporary table import_extra. It is merged once all
 * rows are read (merge-extras.ts), because only then each company's 主担当 is known.
 */

/** A row of the file with its company. */
export interface StagedExtra {
  readonly prospectId: number;
  readonly row: number;
  readonly extra: Omit<RowExtra, 'externalId'>;
}

/** As JSON: person, own values, tags, owner. */
type Entry = [PersonCells | null, readonly (OwnCell | null)[], readonly string[], number | null];

export const saysNothing = ({ person, own, tags, ownerId }: RowExtra): boolean =>
  person === null && ownerId === null && tags.length === 0 && own.every((value) => value === null);

export const openExtraStaging = (client: pg.PoolClient): Promise<unknown> =>
  client.query('CREATE TEMPORARY TABLE import_extra (prospect_id bigint, file_row integer, entry text) ON COMMIT DROP');

/** Rows that are formatted in one go, so that the event loop is not blocked. */
const SLICE_ROWS = 500;

export async function stageExtras(client: pg.PoolClient, rows: readonly StagedExtra[]): Promise<void> {
  let text = '';
  for (const [at, { prospectId, row, extra }] of rows.entries()) {
    const { person, own, tags, ownerId } = extra;
    const entry: Entry = [person, own, tags, ownerId];
    // JSON has no line breaks and tabs of its own.
    text += `${prospectId}\t${row}\t${JSON.stringify(entry).replaceAll('\\', '\\\\')}\n`;
    if (at % SLICE_ROWS === SLICE_ROWS - 1) await nextTurn();
  }
  const copy = client.query(copyFrom('COPY import_extra FROM STDIN'));
  copy.end(text);
  await finished(copy);
}

const PAGE_ROWS = 2000;

/** The most characters of one company's rows: they are in memory together. Further rows are refused. */
const MAX_COMPANY_CHARACTERS = 20_000_000;

interface Taker {
  /** Takes rows of some companies, by company and row. No company is divided. */
  take(rows: readonly StagedExtra[]): Promise<void>;
  /** Takes a further row of the company that was taken last, once it has too many. */
  refuse(row: StagedExtra): void;
  /** Called after each page. @returns why the file is refused */
  readonly afterPage: () => Promise<Refusal | null>;
}

/** Hands over all rows, company by company. @returns why the file is refused */
export async function eachCompanies(
  client: pg.PoolClient,
  { take, refuse, afterPage }: Taker,
): Promise<Refusal | null> {
  await client.query(
    `DECLARE extras NO SCROLL CURSOR FOR
     SELECT prospect_id AS "prospectId", file_row AS "row", entry FROM import_extra ORDER BY prospect_id, file_row`,
  );
  let held: StagedExtra[] = [];
  let company = 0;
  let ofCompany = 0;
  let characters = 0;
  const takeHeld = async (end: number) => {
    if (end > 0) await take(held.slice(0, end));
    held = held.slice(end);
  };
  for (;;) {
    const { rows } = await client.query<StoredExtra>(`FETCH ${PAGE_ROWS} FROM extras`);
    for (const stored of rows) {
      const isNext = stored.prospectId !== company;
      ofCompany = isNext ? 1 : ofCompany + 1;
      characters = (isNext ? 0 : characters) + stored.entry.length;
      company = stored.prospectId;
      if (ofCompany <= MAX_IMPORT_COMPANY_ROWS && characters <= MAX_COMPANY_CHARACTERS) held.push(extraOf(stored));
      else {
        await takeHeld(held.length);
        refuse(extraOf(stored));
      }
    }
    const isLast = rows.length < PAGE_ROWS;
    const last = held.findIndex(({ prospectId }) => prospectId === company);
    await takeHeld(isLast || last < 0 ? held.length : last);
    const refused = await afterPage();
    if (refused !== null) return refused;
    if (isLast) break;
  }
  await client.query('CLOSE extras');
  return null;
}

interface StoredExtra {
  readonly prospectId: number;
  readonly row: number;
  readonly entry: string;
}

function extraOf({ prospectId, row, entry }: StoredExtra): StagedExtra {
  const [person, own, tags, ownerId] = JSON.parse(entry) as Entry;
  return { prospectId, row, extra: { person, own, tags, ownerId } };
}
