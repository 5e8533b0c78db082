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
  /** Names its row. */
  readonly isRowHeader?: boolean;
  /** What the cell shows. A text is cut to the cell and shown in full on hover. */
  readonly render: (row: Row) => ReactNode;
}

export interface Sort {
  readonly id: string;
  readonly order: 'asc' | 'desc';
}
