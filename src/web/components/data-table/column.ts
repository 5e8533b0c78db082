import type { ReactNode } from 'react';

export interface Column<Row> {
  readonly id: string;
  readonly header: string;
  /** The unit of all cells, shown small behind the header. */
  readonly unit?: string | undefined;
  /** The least width in px; without `fits` the width. */
  readonly width: number;
  /** Returns the text of a cell. The column is as wide as the longest text on the page, or as its header. */
  readonly fits?: (row: Row) => string;
  /** The width of what a cell shows beside that text, in px: an icon, the padding of a badge. */
  readonly beside?: number;
  /** The largest width that `fits` leads to, in px. */
  readonly most?: number;
  /** Its texts may be cut. Such columns share the width that the others leave; short texts are whole first. */
  readonly cut?: true;
  /** A smaller width, used while no row has a value. The header then shows what fits: two characters or all. */
  readonly blank?: { readonly width: number; readonly of: (row: Row) => boolean } | undefined;
  /** `acts`: quiet buttons, the first of which begins where the header does. */
  readonly kind?: 'text' | 'number' | 'acts';
  /** The distance in px from the table's left edge at which the column stays visible. Absent: the column scrolls. */
  readonly pinnedAt?: number;
  /** Not resizable, because a pinned column stands beside it. */
  readonly isFixed?: boolean;
  /** Replaces the text of the header. */
  readonly headerControl?: ReactNode;
  /** The server does not sort by it. */
  readonly isUnsortable?: boolean;
  /** Hidden until the user chooses it. */
  readonly isOptional?: boolean;
  /**
   * The part of a folded card that shows this cell; unfolding adds the other cells. `line` exists on cards only, and
   * names the button that unfolds them.
   */
  readonly onCard?: 'head' | 'line';
  readonly foldName?: (row: Row) => string;
  /** Returns the whole value if the cell shows a short form. */
  readonly titleOf?: (row: Row) => string;
  /** The column's cells are row headers. */
  readonly isRowHeader?: boolean;
  /** Renders a cell. A text is cut to the cell's width, and shown in full on hover. */
  readonly render: (row: Row) => ReactNode;
}

/** Limits of a user-chosen width, in px. */
export const MIN_WIDTH = 60;
export const MAX_WIDTH = 600;

/** Rounds a width and keeps it within the limits. */
export const fittingWidth = (width: number): number => Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width)));

/** The order of a list, by the id of a column. */
export interface Sort {
  readonly id: string;
  readonly order: 'asc' | 'desc';
}

/** Returns the order after a click on the header of column `id`: ascending, then descending, then none. */
export function nextSort(sort: Sort | undefined, id: string): Sort | undefined {
  if (sort?.id !== id) return { id, order: 'asc' };
  return sort.order === 'asc' ? { id, order: 'desc' } : undefined;
}
