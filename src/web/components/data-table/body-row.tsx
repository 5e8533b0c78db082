import IconChevronDown from '@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs';
import { memo, type ReactNode } from 'react';
import { withNote } from '#web/lib/phrases.ts';
import type { Column } from './column.ts';
import { ROLES } from './roles.ts';
import styles from './rows.module.css';

interface Props<Row> {
  readonly row: Row;
  readonly columns: readonly Column<Row>[];
  /** The row's number among all rows, from 1, if the table holds only some of them. */
  readonly place?: number | undefined;
  readonly id: number;
  readonly isOpen: boolean;
  readonly onOpen: (id: number, isOpen: boolean) => void;
  /** Returns the name of the button that unfolds a card; undefined: the row does not fold. */
  readonly foldName: ((row: Row) => string) | undefined;
}

function BodyRowOf<Row>({ row, columns, place, id, isOpen, onOpen, foldName }: Props<Row>) {
  const shown = foldName === undefined || isOpen ? columns : columns.filter(({ onCard }) => onCard !== undefined);
  return (
    <tr role={ROLES.row} aria-rowindex={place}>
      {shown.map((column) => renderCell(column, row))}
      {foldName === undefined ? null : (
        <td role={ROLES.cell} data-card="fold">
          <button type="button" aria-label={foldName(row)} aria-expanded={isOpen} onClick={() => onOpen(id, !isOpen)}>
            <IconChevronDown size={18} aria-hidden />
          </button>
        </td>
      )}
    </tr>
  );
}

/** Renders again only when the row's own data change. */
export const BodyRow = memo(BodyRowOf) as typeof BodyRowOf;

/** A plain function, not a component: a page has 3,400 cells. */
function renderCell<Row>(column: Column<Row>, row: Row): ReactNode {
  const { id, kind, pinnedAt, isRowHeader, header, unit, onCard, titleOf } = column;
  const content = column.render(row);
  const place = {
    role: isRowHeader ? ROLES.rowHeader : ROLES.cell,
    'data-kind': kind,
    'data-card': onCard,
    'data-label': unit === undefined ? header : withNote(header, unit),
    'data-pinned': pinnedAt !== undefined || undefined,
    style: pinnedAt === undefined ? undefined : { left: pinnedAt },
    title: titleOf?.(row) ?? (typeof content === 'string' && content !== '' ? content : undefined),
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
