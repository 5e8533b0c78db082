/**
 * The ARIA roles of a table with arrow keys (one-tab-stop.ts).
 * Rows have a role too, because Safari drops it from elements displayed as a grid or a block. Constants, because
 * linters report such roles in JSX as redundant.
 */
export const ROLES = {
  table: 'grid',
  rowGroup: 'rowgroup',
  row: 'row',
  columnHeader: 'columnheader',
  rowHeader: 'rowheader',
  cell: 'gridcell',
} as const;
