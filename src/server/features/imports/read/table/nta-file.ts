import { parseCorporateNumber } from '#domain/company/corporate-number.ts';
import { COLUMNS, type Column, type Field } from './columns.ts';
import type { Header } from './header.ts';

/*
 * The CSV of the National Tax Agency's corporate numbers (国税庁法人番号公表サイト): all companies, or a day's changes.
 * Recognised by its shape, because its 30 columns have no heading row.
 */

const WIDTH = 30;
const AT = {
  sequence: 0,
  number: 1,
  process: 2,
  updated: 4,
  name: 6,
  prefecture: 9,
  city: 10,
  street: 11,
  abroad: 16,
  closed: 18,
  latest: 23,
};

/** Patterns of cells that are the same in every record. */
const SHAPES: readonly (readonly [index: number, shape: RegExp])[] = [
  [AT.sequence, /^\d+$/],
  [AT.process, /^\d{2}$/],
  [AT.updated, /^\d{4}-\d{2}-\d{2}$/],
  [AT.latest, /^[01]$/],
];

const columnOf = (field: Field): Column => COLUMNS.find((column) => column.field === field) as Column;

const NTA_HEADER: Header = {
  columns: [
    { column: columnOf('corporate_number'), index: AT.number, unit: '' },
    { column: columnOf('company_name'), index: AT.name, unit: '' },
    {
      column: columnOf('address'),
      index: AT.prefecture,
      unit: '',
      parts: [
        { part: 'prefecture', index: AT.prefecture },
        { part: 'city', index: AT.city },
        { part: 'rest', index: AT.street },
        { part: 'rest', index: AT.abroad },
      ],
    },
  ],
  extras: [],
  ignored: [],
  width: WIDTH,
  cells: [],
  closedAt: AT.closed,
  latestAt: AT.latest,
};

/** Returns the header of a file whose first record has the shape of the agency's file; otherwise null. */
export function ntaHeader(cells: readonly string[]): Header | null {
  const cell = (index: number) => cells[index] ?? '';
  const fits =
    cells.length === WIDTH &&
    SHAPES.every(([index, shape]) => shape.test(cell(index))) &&
    parseCorporateNumber(cell(AT.number)).ok;
  return fits ? NTA_HEADER : null;
}
