import {
  type ColumnDef,
  type RowData,
  rowSortingFeature,
  type SortingState,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { type CSSProperties, type ReactNode, useEffect, useMemo, useRef } from 'react';
import { WORDS } from '#web/lib/words.ts';
import { BodyRow } from './body-row.tsx';
import cards from './cards.module.css';
import type { Column, Sort } from './column.ts';
import styles from './data-table.module.css';
import { HeaderCell } from './header-cell.tsx';
import { keepOneTabStop } from './one-tab-stop.ts';
import { ResizeHandle } from './resize-handle.tsx';
import { ROLES } from './roles.ts';
import rowStyles from './rows.module.css';
import { SkeletonRows } from './skeleton-rows.tsx';
import { SortAnnouncement } from './sort-announcement.tsx';
import { trackStyle } from './tracks.ts';
import { useDrawnRows } from './use-drawn-rows.ts';
import { useReadableRows } from './use-readable-rows.ts';

const features = tableFeatures({ rowSortingFeature });
const NO_ROWS: never[] = [];

/** Rows that stay in view where the page scrolls instead, as at a zoom of 200 %: 7 of a list, or all of a shorter one. */
const LEAST_ROWS = 7;
/** As high as the message of an empty list. */
const EMPTY_ROWS = 5;
const leastRows = (count = LEAST_ROWS): number => (count === 0 ? EMPTY_ROWS : Math.min(count, LEAST_ROWS));

interface Props<Row extends RowData> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  /** undefined: not there yet. */
  readonly rows: readonly Row[] | undefined;
  readonly rowId: (row: Row) => number;
  /** The rows are being replaced. */
  readonly busy?: boolean;
  /** Shown in place of rows where there are none. */
  readonly empty: ReactNode;
  /** Names what is shown (page, order, filter): another view is read from its top. */
  readonly view?: string;
  readonly sort?: Sort | undefined;
  /** Left out: the table does not sort. */
  readonly onSort?: (sort: Sort | undefined) => void;
  /** Widths in px that take the place of the columns' own, by id. Apart from the columns, so that no row is drawn again. */
  readonly widths?: Readonly<Record<string, number>>;
  /** Left out: the columns keep their widths. */
  readonly onWidth?: (id: string, width: number) => void;
}

/** A table whose header and pinned columns stay in view, with one Tab stop; on a phone each row is a card. The server sorts. */
export function DataTable<Row extends RowData>({
  label,
  columns,
  rows,
  rowId,
  busy = false,
  empty,
  view = '',
  sort,
  onSort,
  widths = {},
  onWidth,
}: Props<Row>) {
  const canSort = onSort !== undefined;
  const definitions = useMemo(
    (): ColumnDef<typeof features, Row>[] =>
      columns.map(({ id, header }) => ({ id, header, accessorFn: () => null, enableSorting: canSort })),
    [columns, canSort],
  );
  const sorting = useMemo((): SortingState => (sort ? [{ id: sort.id, desc: sort.order === 'desc' }] : []), [sort]);
  const table = useTable({
    features,
    columns: definitions,
    data: rows ?? NO_ROWS,
    manualSorting: true,
    enableMultiSort: false,
    sortDescFirst: false,
    state: { sorting },
    onSortingChange: (updater) => {
      const [next] = typeof updater === 'function' ? updater(sorting) : updater;
      onSort?.(next && { id: next.id, order: next.desc ? 'desc' : 'asc' });
    },
  });
  const count = rows?.length ?? 0;
  const isReplaced = busy || rows === undefined;
  const drawn = useDrawnRows(count, view, isReplaced);
  const body = useRef<HTMLTableSectionElement>(null);
  useReadableRows(body, isReplaced || drawn < count ? undefined : rows);
  const scroller = useScrollToTop(view);
  const grid = useOneTabStop();
  const pinnedWidth = columns.reduce((edge, column) => Math.max(edge, rightEdge(column, widths)), 0);

  return (
    <div
      className={styles.frame}
      aria-busy={isReplaced || drawn < count}
      data-loading={rows === undefined || undefined}
      style={{ '--least-rows': leastRows(rows?.length) } as CSSProperties}
    >
      <div className={styles.progress} data-on={busy || undefined} />
      <section
        ref={scroller}
        className={styles.scroller}
        aria-label={label}
        style={{ '--pinned-width': `${pinnedWidth}px` } as CSSProperties}
      >
        <table
          ref={grid}
          role={ROLES.table}
          className={`${rowStyles.table} ${cards.cards}`}
          data-resizable={onWidth !== undefined || undefined}
          aria-label={label}
          style={trackStyle(columns.map(({ id, width }) => widths[id] ?? width))}
        >
          <thead role={ROLES.rowGroup}>
            <tr role={ROLES.row}>
              {columns.map((column, index) => {
                const state = table.getColumn(column.id);
                return (
                  <HeaderCell
                    key={column.id}
                    column={column}
                    sorted={state?.getIsSorted() ?? false}
                    onToggle={state?.getCanSort() ? state.getToggleSortingHandler() : undefined}
                  >
                    {onWidth === undefined || column.isFixed ? null : (
                      <ResizeHandle index={index} onWidth={(width) => onWidth(column.id, width)} />
                    )}
                  </HeaderCell>
                );
              })}
            </tr>
          </thead>
          <tbody ref={body} role={ROLES.rowGroup} style={{ '--rows': count } as CSSProperties}>
            {rows === undefined ? <SkeletonRows columns={columns} /> : null}
            {rows?.slice(0, drawn).map((row) => (
              <BodyRow key={rowId(row)} row={row} columns={columns} />
            ))}
          </tbody>
        </table>
        {rows?.length === 0 ? <div className={styles.empty}>{empty}</div> : null}
        {rows === undefined ? <p className="visually-hidden">{WORDS.table.loading}</p> : null}
      </section>
      {canSort ? <SortAnnouncement columns={columns} sort={sort} /> : null}
    </div>
  );
}

/** Where a pinned column ends when the table is scrolled sideways; 0 for the others. */
const rightEdge = ({ id, pinnedAt, width }: Column<never>, widths: Readonly<Record<string, number>>): number =>
  pinnedAt === undefined ? 0 : pinnedAt + (widths[id] ?? width);

function useOneTabStop() {
  const table = useRef<HTMLTableElement>(null);
  useEffect(() => (table.current === null ? undefined : keepOneTabStop(table.current)), []);
  return table;
}

/** Other rows are read from their beginning. */
function useScrollToTop(view: string) {
  const scroller = useRef<HTMLElement>(null);
  const shown = useRef(view);
  useEffect(() => {
    if (shown.current === view) return;
    shown.current = view;
    if (scroller.current !== null) scroller.current.scrollTop = 0;
  }, [view]);
  return scroller;
}
