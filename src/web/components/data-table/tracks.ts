import type { CSSProperties } from 'react';
import { withNote } from '#web/lib/phrases.ts';
import type { Column } from './column.ts';

/** A column's least width in px, and its weight in the width that the others leave. 0: a fixed width. */
interface Track {
  readonly least: number;
  readonly share: number;
}

/** The font size of a cell in px, as `--k-size-cell` in app.css. */
const EM = 14;
/** The padding of a cell, and 4 px for wide letters. */
const CELL_ROOM = 24;
const SORT_ICON = 16;
/** The width of a sortable header beside its text. */
export const HEADER_ROOM = CELL_ROOM + SORT_ICON;
/** The number of rows whose texts are measured. */
const MEASURED_ROWS = 200;

const isFullWidth = (code: number): boolean => code >= 0x2010 && (code < 0xff61 || code > 0xffdc);

/**
 * Estimates the width of a cell's text in px: 1 em for a full-width character, else 0.6 em.
 * Each row is its own grid, so the browser could size a column only by laying out all rows twice.
 */
export function textWidth(text: string): number {
  let em = 0;
  for (const char of text) em += isFullWidth(char.codePointAt(0) ?? 0) ? 1 : 0.6;
  return Math.ceil(EM * em);
}

/** Returns the header of a column with its unit. */
export const headerText = ({ header, unit }: Column<never>): string =>
  unit === undefined ? header : withNote(header, unit);

/** Returns the width of a column that shows its header whole, without a sort icon. */
export const headerWidth = (column: Column<never>): number => textWidth(headerText(column)) + CELL_ROOM;

function trackOf<Row>(column: Column<Row>, rows: readonly Row[], isSorted: boolean): Track {
  const { fits, width, most = Number.POSITIVE_INFINITY, beside = 0, isUnsortable, cut } = column;
  if (fits === undefined) return { least: width, share: 0 };
  const heading = headerWidth(column) + (isSorted && isUnsortable !== true ? SORT_ICON : 0);
  const least = Math.max(width, heading);
  const widest = rows.reduce((max, row) => Math.max(max, textWidth(fits(row)) + beside + CELL_ROOM), least);
  const content = Math.max(least, Math.min(most, widest));
  return cut ? { least, share: content } : { least: content, share: 0 };
}

/** Returns the tracks for a page of rows. @param isSorted the headers show the sort icon */
export const tracksOf = <Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[] = [],
  isSorted = false,
): readonly Track[] => {
  const measured = rows.slice(0, MEASURED_ROWS);
  return columns.map((column) => trackOf(column, measured, isSorted));
};

/** Returns the width at which no text is cut that its column could show. */
const fullWidth = (tracks: readonly Track[]): number =>
  tracks.reduce((sum, { least, share }) => sum + Math.max(least, share), 0);

/** Returns the grid's tracks: the columns' widths, and their shares of a wider table. */
export const trackProperties = (tracks: readonly Track[]) => ({
  '--widths': tracks.map(({ least }) => `${least}px`).join(' '),
  '--shares': sharesOf(tracks).join(' '),
  '--table-width': `${sumOf(tracks)}px`,
});

const sumOf = (tracks: readonly Track[]): number => tracks.reduce((sum, { least }) => sum + least, 0);

/**
 * Returns each column's share of a wider table: all of it goes to the columns that may be cut, if there are any.
 * The browser grows these alike until each shows its content, so that a long text takes nothing from a short one. What
 * is left then is shared in proportion to the contents.
 * No column gets less than its width, or on paper less than its part.
 */
function sharesOf(tracks: readonly Track[]): string[] {
  const sum = sumOf(tracks);
  const full = fullWidth(tracks);
  const cut = tracks.reduce((total, { share }) => total + share, 0);
  return tracks.map(({ least, share }) => {
    const grown = `calc(${share}px + max(0px, 100% - ${full}px) * ${(share / cut).toFixed(4)})`;
    const most = cut === 0 ? `${least}fr` : share === 0 ? `${least}px` : grown;
    return `minmax(min(${least}px, ${((100 * least) / sum).toFixed(2)}%), ${most})`;
  });
}

/** Returns the tracks as CSS custom properties, which the cards of phones ignore. */
export const trackStyle = (tracks: readonly Track[]): CSSProperties => trackProperties(tracks) as CSSProperties;
