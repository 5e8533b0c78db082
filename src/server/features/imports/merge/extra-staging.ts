import { finished } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Refusal } from '../../../platform/problem.ts';
import type { OwnCell, PersonCells, RowExtra } from '../read/cells/extra-row.ts';
import { tooManyCompanyRows } from '../read/faults.ts';

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

/** The most rows of one company, and characters of what they say: they are in memory together. */
export const MAX_COMPANY_ROWS = 20_000;
const MAX_COMPANY_CHARACTERS = 20_000_000;

/**
 * Calls `take` with the rows of some companies, by company and row, until all are read. No company is divided.
 * @param take returns why the file is refused
 * @returns that, or that a company has too many rows
 */
export async function eachCompanies(
  client: pg.PoolClient,
  take: (rows: readonly StagedExtra[]) => Promise<Refusal | null>,
): Promise<Refusal | null> {
  await client.query(
    `DECLARE extras NO SCROLL CURSOR FOR
     SELECT prospect_id AS "prospectId", file_row AS "row", entry FROM import_extra ORDER BY prospect_id, file_row`,
  );
  let held: StagedExtra[] = [];
  /** Of the entries of the company that is not read to its end. */
  let characters = 0;
  for (;;) {
    const { rows } = await client.query<{ prospectId: number; row: number; entry: string }>(
      `FETCH ${PAGE_ROWS} FROM extras`,
    );
    for (const { prospectId, row, entry } of rows) {
      const [person, own, tags, ownerId] = JSON.parse(entry) as Entry;
      characters = (held.at(-1)?.prospectId === prospectId ? characters : 0) + entry.length;
      held.push({ prospectId, row, extra: { person, own, tags, ownerId } });
    }
    const isLast = rows.length < PAGE_ROWS;
    const last = held.at(-1)?.prospectId;
    const end = isLast ? held.length : held.findIndex(({ prospectId }) => prospectId === last);
    const refused = end > 0 ? await take(held.slice(0, end)) : null;
    if (refused !== null) return refused;
    held = held.slice(end);
    if (held.length > MAX_COMPANY_ROWS || characters > MAX_COMPANY_CHARACTERS) {
      return tooManyCompanyRows(MAX_COMPANY_ROWS, held[0]?.row ?? 0);
    }
    if (isLast) break;
  }
  await client.query('CLOSE extras');
  return null;
}
