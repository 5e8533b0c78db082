import IconArrowDown from '@tabler/icons-react/dist/esm/icons/IconArrowDown.mjs';
import IconArrowsSort from '@tabler/icons-react/dist/esm/icons/IconArrowsSort.mjs';
import IconArrowUp from '@tabler/icons-react/dist/esm/icons/IconArrowUp.mjs';
import { type ReactNode, useEffect, useState } from 'react';
import { inBrackets } from '#web/lib/phrases.ts';
import { type Column, nextSort, type Sort } from './column.ts';
import headerCell from './header-cell.module.css';
import type { ResizeHandle } from './resize-handle.tsx';
import { ROLES } from './roles.ts';
import { headerText, headerWidth } from './tracks.ts';

interface Props<Row> {
  readonly columns: readonly Column<Row>[];
  /** Replaces the widths of the columns, by id. */
  readonly widths: Readonly<Record<string, number>>;
  readonly sort: Sort | undefined;
  /** undefined: the headers do not sort. */
  readonly onSort: ((sort: Sort | undefined) => void) | undefined;
  /** undefined: the columns keep their widths. */
  readonly onWidth: ((id: string, width: number) => void) | undefined;
}

export function TableHead<Row>({ columns, widths, sort, onSort, onWidth }: Props<Row>) {
  const Handle = useResizeHandle(onWidth !== undefined);
  return (
    <thead role={ROLES.rowGroup}>
      <tr role={ROLES.row}>
        {columns.map((column, index) => {
          const { id, blank, width, isFixed = false, isUnsortable = false } = column;
          return (
            <HeaderCell
              key={id}
              column={column}
              isBlank={blank !== undefined && widths[id] === blank.width && blank.width < headerWidth(column)}
              sorted={sort?.id === id && sort.order}
              onToggle={isUnsortable ? undefined : onSort && (() => onSort(nextSort(sort, id)))}
            >
              {Handle === undefined || onWidth === undefined || isFixed ? null : (
                <Handle
                  name={headerText(column)}
                  index={index}
                  width={widths[id] ?? width}
                  onWidth={(next) => onWidth(id, next)}
                />
              )}
            </HeaderCell>
          );
        })}
      </tr>
    </thead>
  );
}

/** Loads what resizes a column, which comes after the rows. Without it the columns keep their widths. */
function useResizeHandle(isResizable: boolean): typeof ResizeHandle | undefined {
  const [handle, setHandle] = useState<{ readonly Handle: typeof ResizeHandle }>();
  useEffect(() => {
    if (!isResizable) return;
    import('./resize-handle.tsx').then(
      (loaded) => setHandle({ Handle: loaded.ResizeHandle }),
      () => undefined,
    );
  }, [isResizable]);
  return handle?.Handle;
}

interface HeaderCellProps<Row> {
  readonly column: Column<Row>;
  /** The column has the width of one without values, which its header does not fit. */
  readonly isBlank: boolean;
  readonly sorted: false | 'asc' | 'desc';
  /** undefined: the header does not sort. */
  readonly onToggle: (() => void) | undefined;
  /** The resize handle at the header's edge, in tables whose columns can be resized. */
  readonly children?: ReactNode;
}

const ICONS = { asc: IconArrowUp, desc: IconArrowDown };

function HeaderCell<Row>({ column, isBlank, sorted, onToggle, children }: HeaderCellProps<Row>) {
  const { kind = 'text', pinnedAt, cut } = column;
  return (
    <th
      role={ROLES.columnHeader}
      scope="col"
      data-kind={isBlank ? undefined : kind}
      data-short={isBlank || undefined}
      title={isBlank ? headerText(column) : undefined}
      // Marks columns whose texts may be cut, for checks.
      data-cut={cut}
      data-pinned={pinnedAt !== undefined || undefined}
      style={pinnedAt === undefined ? undefined : { left: pinnedAt }}
      aria-sort={sorted === false ? undefined : sorted === 'asc' ? 'ascending' : 'descending'}
    >
      <HeaderContent column={column} sorted={sorted} onToggle={onToggle} />
      {children}
    </th>
  );
}

type HeaderContentProps<Row> = Pick<HeaderCellProps<Row>, 'column' | 'sorted' | 'onToggle'>;

function HeaderContent<Row>({ column, sorted, onToggle }: HeaderContentProps<Row>) {
  const { header, unit, headerControl } = column;
  const Icon = sorted === false ? IconArrowsSort : ICONS[sorted];
  const label = (
    <>
      <span className={headerCell.headerText}>{header}</span>
      {unit === undefined ? null : <span className={headerCell.unit}>{inBrackets(unit)}</span>}
    </>
  );
  return headerControl !== undefined ? (
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
  );
}
