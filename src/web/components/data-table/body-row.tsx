import { memo, type ReactNode } from 'react';
import { withNote } from '#web/lib/phrases.ts';
import type { Column } from './column.ts';
import { ROLES } from './roles.ts';
import styles from './rows.module.css';

interface Props<Row> {
  readonly row: Row;
  readonly columns: readonly Column<Row>[];
  /** Its number among all rows, from 1, where the table holds a part of them. */
  readonly place?: number | undefined;
}

function BodyRowOf<Row>({ row, columns, place }: Props<Row>) {
  return (
    <tr role={ROLES.row} aria-rowindex={place}>
      {columns.map((column) => renderCell(column, row))}
    </tr>
  );
}

/** Renders again only when the row's own data changes. */
export const BodyRow = memo(BodyRowOf) as typeof BodyRowOf;

/** Not a component, because a page has 3,400 cells. */
function renderCell<Row>(column: Column<Row>, row: Row): ReactNode {
  const { id, kind, pinnedAt, isRowHeader, header, unit } = column;
  const content = column.render(row);
  const place = {
    role: isRowHeader ? ROLES.rowHeader : ROLES.cell,
    'data-kind': kind,
    'data-label': unit === undefined ? header : withNote(header, unit),
    'data-pinned': pinnedAt !== undefined || undefined,
    style: pinnedAt === undefined ? undefined : { left: pinnedAt },
    title: typeof content === 'string' && content !== '' ? content : undefined,
  };
  return isRowHeader ? (
    <th key={id} scope="row" className={styles.rowHeader} {...place}>
      {content}
    </th>
  ) : (
    <td key={id} {...place}>
      {content}
    </td>
  );
}
