import type { ReactNode } from 'react';

export interface Column<Row> {
  readonly id: string;
  readonly header: string;
  /** The unit of all cells, shown small behind the header. */
  readonly unit?: string | undefined;
  readonly width: number;
  /** A smaller width, for lists of which no row has a value. */
  readonly blank?: { readonly width: number; readonly of: (row: Row) => boolean } | undefined;
  readonly kind?: 'text' | 'number';
  /** The distance in px from the table's left edge at which the column stays in view. Left out: it scrolls. */
  readonly pinnedAt?: number;
  /** Keeps its width, because a pinned column stands beside it. */
  readonly isFixed?: boolean;
  /** How many times its width it weighs where the table is wider than its columns. */
  readonly growth?: number;
  /** Shown in the header in place of its text. */
  readonly headerControl?: ReactNode;
  /** The server does not sort by it. */
  readonly isUnsortable?: boolean;
  /** Hidden until a person chooses it. */
  readonly isOptional?: boolean;
  /**
   * Shown by a folded card of a phone; a tap adds the other cells. The `line` is on cards alone, and names the button
   * that unfolds them.
   */
  readonly onCard?: 'head' | 'line';
  readonly foldName?: (row: Row) => string;
  /** The whole value, where the cell shows a short form of it. */
  readonly titleOf?: (row: Row) => string;
  /** Its cells are the headers of their rows. */
  readonly isRowHeader?: boolean;
  /** The content of a cell. A text is cut to the cell's width and shown in full on hover. */
  readonly render: (row: Row) => ReactNode;
}

/** Limits of the width that a person may choose, in px. */
export const MIN_WIDTH = 60;
export const MAX_WIDTH = 600;

/** Rounds a width and keeps it within the limits. */
export const fittingWidth = (width: number): number => Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width)));
