/**
 * What HTML means by each part of a table, said once more: Safari, and other browsers by and by, take the meaning away where the style
 * sheet displays a part as a grid or a block. Not written in place as texts, which linters would call redundant.
 */
export const ROLES = {
  table: 'table',
  rowGroup: 'rowgroup',
  row: 'row',
  columnHeader: 'columnheader',
  rowHeader: 'rowheader',
  cell: 'cell',
} as const;
