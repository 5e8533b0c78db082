/**
 * The roles of a table that arrow keys move in (one-tab-stop.ts). Rows are named too: Safari drops the meaning of a part that
 * the style sheet displays as a grid or a block. Constants, because linters call such roles in place redundant.
 */
export const ROLES = {
  table: 'grid',
  rowGroup: 'rowgroup',
  row: 'row',
  columnHeader: 'columnheader',
  rowHeader: 'rowheader',
  cell: 'gridcell',
} as const;
