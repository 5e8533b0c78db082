/**
 * The roles of a table with arrow keys (one-tab-stop.ts).
 * Rows have one too, because Safari drops the role of an element that is displayed as a grid or a block. They are
 * constants, because linters report such roles in JSX as redundant.
 */
export const ROLES = {
  table: 'grid',
  rowGroup: 'rowgroup',
  row: 'row',
  columnHeader: 'columnheader',
  rowHeader: 'rowheader',
  cell: 'gridcell',
} as const;
