import type { ReactNode } from 'react';

export interface Column<Row> {
  readonly id: string;
  readonly header: string;
  /** Stands small behind the header, in place of a unit in every cell. */
  readonly unit?: string | undefined;
  readonly width: number;
  readonly kind?: 'text' | 'number';
  /** Stays in view when the table is scrolled sideways, at this distance from its left edge. */
  readonly pinnedAt?: number;
  /** Keeps its width: a pinned column stands beside it. */
  readonly isFixed?: boolean;
  /** Names its row. */
  readonly isRowHeader?: boolean;
  /** What the cell shows. A text is cut to the cell and shown in full on hover. */
  readonly render: (row: Row) => ReactNode;
}

export interface Sort {
  readonly id: string;
  readonly order: 'asc' | 'desc';
}

/** How narrow and how wide a person may make a column, in px. */
export const MIN_WIDTH = 60;
export const MAX_WIDTH = 600;

/** A whole width within the limits. */
export const fittingWidth = (width: number): number => Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width)));
