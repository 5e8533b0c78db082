import IconArrowDown from '@tabler/icons-react/dist/esm/icons/IconArrowDown.mjs';
import IconArrowsSort from '@tabler/icons-react/dist/esm/icons/IconArrowsSort.mjs';
import IconArrowUp from '@tabler/icons-react/dist/esm/icons/IconArrowUp.mjs';
import type { PointerEvent, ReactNode } from 'react';
import { inBrackets } from '#web/lib/phrases.ts';
import { type Column, fittingWidth } from './column.ts';
import headerCell from './header-cell.module.css';
import styles from './resize-handle.module.css';
import { ROLES } from './roles.ts';
import { nextSort, type Sort } from './sort.ts';
import { setWidths, widthsOf } from './tracks.ts';

interface Props<Row> {
  readonly columns: readonly Column<Row>[];
  readonly sort: Sort | undefined;
  /** undefined: the headers do not sort. */
  readonly onSort: ((sort: Sort | undefined) => void) | undefined;
  /** undefined: the columns keep their widths. */
  readonly onWidth: ((id: string, width: number) => void) | undefined;
}

export function TableHead<Row>({ columns, sort, onSort, onWidth }: Props<Row>) {
  return (
    <thead role={ROLES.rowGroup}>
      <tr role={ROLES.row}>
        {columns.map((column, index) => {
          const { id, isFixed = false, isUnsortable = false } = column;
          return (
            <HeaderCell
              key={id}
              column={column}
              sorted={sort?.id === id && sort.order}
              onToggle={isUnsortable ? undefined : onSort && (() => onSort(nextSort(sort, id)))}
            >
              {onWidth === undefined || isFixed ? null : (
                <ResizeHandle index={index} onWidth={(width) => onWidth(id, width)} />
              )}
            </HeaderCell>
          );
        })}
      </tr>
    </thead>
  );
}

interface ResizeHandleProps {
  /** The index of the column in the table. */
  readonly index: number;
  readonly onWidth: (width: number) => void;
}

/**
 * Resizes a column by dragging the right edge of its header.
 * A drag sets the width without React, so that 200 rows do not render again at each pixel. By keyboard the dialog of
 * columns does the same.
 */
function ResizeHandle({ index, onWidth }: ResizeHandleProps) {
  function start(event: PointerEvent<HTMLSpanElement>): void {
    const handle = event.currentTarget;
    const table = handle.closest('table');
    if (event.button !== 0 || !table) return;
    event.preventDefault();
    const from = event.clientX;
    const widths = widthsOf(table);
    const before = widths[index] ?? Number.NaN;
    let width = before;

    const move = ({ clientX }: globalThis.PointerEvent): void => {
      width = fittingWidth(before + clientX - from);
      setWidths(table, widths.with(index, width));
    };
    const stopped = new AbortController();
    const end = (): void => {
      stopped.abort();
      if (width !== before) onWidth(width);
    };
    handle.setPointerCapture(event.pointerId);
    handle.addEventListener('pointermove', move, stopped);
    handle.addEventListener('pointerup', end, stopped);
    handle.addEventListener('pointercancel', end, stopped);
  }

  return <span aria-hidden className={styles.resize} onPointerDown={start} />;
}

interface HeaderCellProps<Row> {
  readonly column: Column<Row>;
  readonly sorted: false | 'asc' | 'desc';
  /** undefined: the header does not sort. */
  readonly onToggle: (() => void) | undefined;
  /** The resize handle at the header's edge, in tables whose columns can be resized. */
  readonly children?: ReactNode;
}

const ICONS = { asc: IconArrowUp, desc: IconArrowDown };

function HeaderCell<Row>({ column, sorted, onToggle, children }: HeaderCellProps<Row>) {
  const { header, unit, kind = 'text', pinnedAt, headerControl } = column;
  const Icon = sorted === false ? IconArrowsSort : ICONS[sorted];
  const label = (
    <>
      <span className={headerCell.headerText}>{header}</span>
      {unit === undefined ? null : <span className={headerCell.unit}>{inBrackets(unit)}</span>}
    </>
  );
  return (
    <th
      role={ROLES.columnHeader}
      scope="col"
      data-kind={kind}
      data-pinned={pinnedAt !== undefined || undefined}
      style={pinnedAt === undefined ? undefined : { left: pinnedAt }}
      aria-sort={sorted === false ? undefined : sorted === 'asc' ? 'ascending' : 'descending'}
    >
      {headerControl !== undefined ? (
        <span className={headerCell.headerPlain}>{headerControl}</span>
      ) : onToggle === undefined ? (
        <span className={headerCell.headerPlain}>{label}</span>
      ) : (
        <button
          type="button"
          className={headerCell.headerButton}
          data-sorted={sorted !== false || undefined}
          onClick={onToggle}
        >
          {label}
          <Icon size={13} aria-hidden className={headerCell.sortIcon} />
        </button>
      )}
      {children}
    </th>
  );
}
