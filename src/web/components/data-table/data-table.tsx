import {
  type CSSProperties,
  type ReactNode,
  useCallback,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { isNarrowScreen, useNarrowScreen } from '#web/lib/screen/narrow-screen.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { BodyRow } from './body-row.tsx';
import cards from './cards.module.css';
import type { Column, Sort } from './column.ts';
import styles from './data-table.module.css';
import { keepOneTabStop } from './one-tab-stop.ts';
import { ROLES } from './roles.ts';
import rowStyles from './rows.module.css';
import skeletonRows from './skeleton-rows.module.css';
import { SortAnnouncement } from './sort-announcement.tsx';
import { TableHead } from './table-head.tsx';
import { trackStyle, tracksOf } from './tracks.ts';
import { useNearCards } from './use-near-cards.ts';
import { useReadableRows } from './use-readable-rows.ts';

/** An empty list shows a message, which is as high as 5 rows. */
const EMPTY_ROWS = 5;

/** Where fewer rows than this fit, as at a zoom of 200 %, the page scrolls instead of the table. */
const MAX_LEAST_ROWS = 7;

const leastRows = (count = MAX_LEAST_ROWS): number => (count === 0 ? EMPTY_ROWS : Math.min(count, MAX_LEAST_ROWS));

interface Props<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  /** undefined: still loading. */
  readonly rows: readonly Row[] | undefined;
  readonly rowId: (row: Row) => number;
  /** Other rows are loading. */
  readonly busy?: boolean;
  /** Shown in place of the rows of an empty list. */
  readonly empty: ReactNode;
  /** Identifies the rows (page, order, filter). A new value scrolls to the top. */
  readonly view?: string;
  readonly sort?: Sort | undefined;
  /** Left out: the headers do not sort. */
  readonly onSort?: (sort: Sort | undefined) => void;
  /** Widths in px that replace those of the columns, by id. Not part of the columns, so that no row is drawn again. */
  readonly widths?: Readonly<Record<string, number>>;
  /** Left out: the columns keep their widths. */
  readonly onWidth?: (id: string, width: number) => void;
}

const NONE_OPEN: ReadonlySet<number> = new Set();
const NO_WIDTHS: Readonly<Record<string, number>> = {};

/**
 * Shows rows in a table with one Tab stop, whose header and pinned columns stay in view.
 * On a phone each row is a card, which may fold (Column.onCard). The server sorts.
 */
export function DataTable<Row>(props: Props<Row>) {
  const { label, columns, rows, rowId, busy, empty, view = '', sort, onSort, widths = NO_WIDTHS, onWidth } = props;
  const { own, foldName, opened, onOpen } = useCardsOf(columns);
  const { body, count, near, isBusy, inView } = useRowsInView(rows, view, busy || rows === undefined);
  const isWhole = near.to - near.from === count;
  const scroller = useScrollToTop(view);
  const grid = useRef<HTMLTableElement>(null);
  useEffect(() => (grid.current === null ? undefined : keepOneTabStop(grid.current)), []);
  const tracks = useTracks(own, rows, onSort !== undefined, widths);
  const pinnedWidth = own.reduce((edge, column) => Math.max(edge, rightEdge(column, widths)), 0);

  return (
    <div
      className={styles.frame}
      aria-busy={isBusy}
      data-loading={rows === undefined || undefined}
      style={{ '--least-rows': leastRows(rows?.length) } as CSSProperties}
    >
      <div className={styles.progress} data-on={busy || undefined} />
      <section
        ref={scroller}
        className={`scrolls ${styles.scroller}`}
        aria-label={label}
        style={{ '--pinned-width': `${pinnedWidth}px` } as CSSProperties}
      >
        <table
          ref={grid}
          // Without rows its heads would stand over nothing.
          hidden={rows?.length === 0}
          role={ROLES.table}
          className={`${rowStyles.table} ${cards.cards}`}
          data-resizable={onWidth !== undefined || undefined}
          aria-label={label}
          aria-rowcount={isWhole ? undefined : count}
          style={trackStyle(tracks)}
        >
          <TableHead columns={own} widths={widths} sort={sort} onSort={onSort} onWidth={onWidth} />
          <tbody
            ref={body}
            role={ROLES.rowGroup}
            style={{ '--rows': count, '--above': `${near.above}px`, '--below': `${near.below}px` } as CSSProperties}
          >
            {rows === undefined ? <SkeletonRows columns={own} /> : null}
            {inView.map((row, place) => (
              <BodyRow
                key={rowId(row)}
                row={row}
                columns={own}
                place={isWhole ? undefined : near.from + place + 1}
                id={rowId(row)}
                isOpen={opened.has(rowId(row))}
                onOpen={onOpen}
                foldName={foldName}
              />
            ))}
          </tbody>
        </table>
        {rows?.length === 0 ? <div className={styles.empty}>{empty}</div> : null}
        {rows === undefined ? <p className="visually-hidden">{COMMON_MESSAGES.loading}</p> : null}
      </section>
      {onSort === undefined ? null : <SortAnnouncement columns={columns} sort={sort} />}
    </div>
  );
}

/** Returns the tracks of the grid, by the user's widths or the contents of the page. */
function useTracks<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[] | undefined,
  isSorted: boolean,
  widths: Readonly<Record<string, number>>,
) {
  const tracks = useMemo(() => tracksOf(columns, rows, isSorted), [columns, rows, isSorted]);
  return tracks.map((track, place) => {
    const chosen = widths[columns[place]?.id ?? ''];
    return chosen === undefined ? track : { least: chosen, share: 0 };
  });
}

/** Returns the rows that render now, and their place in the body of the table. */
function useRowsInView<Row>(rows: readonly Row[] = [], view: string, isReplaced: boolean) {
  const count = rows.length;
  const drawn = useDrawnRows(count, view, isReplaced);
  const body = useRef<HTMLTableSectionElement>(null);
  const near = useNearCards(body, count, view);
  const isBusy = isReplaced || drawn < count;
  useReadableRows(body, isBusy ? undefined : rows);
  return { body, count, near, isBusy, inView: rows.slice(near.from, Math.min(near.to, drawn)) };
}

/** Returns the columns that the width of the screen has, and which cards of a phone are open, if they fold. */
function useCardsOf<Row>(columns: readonly Column<Row>[]) {
  const isNarrow = useNarrowScreen();
  const [opened, setOpened] = useState<ReadonlySet<number>>(NONE_OPEN);
  const own = useMemo(
    () => (isNarrow ? columns : columns.filter(({ onCard }) => onCard !== 'line')),
    [isNarrow, columns],
  );
  const onOpen = useCallback((id: number, isOpen: boolean) => {
    setOpened((before) => new Set(isOpen ? [...before, id] : [...before].filter((other) => other !== id)));
  }, []);
  return { own, opened, onOpen, foldName: isNarrow ? own.find(({ foldName }) => foldName)?.foldName : undefined };
}

/** The right edge of a pinned column in the scrolled table, in px; 0 for the others. */
const rightEdge = ({ id, pinnedAt, width }: Column<never>, widths: Readonly<Record<string, number>>): number =>
  pinnedAt === undefined ? 0 : pinnedAt + (widths[id] ?? width);

/** Scrolls to the top when `view` changes. */
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

const ROWS = Array.from({ length: 12 }, (_, row) => row);

/** Shows placeholders while rows load. */
function SkeletonRows({ columns }: { readonly columns: readonly { readonly id: string }[] }) {
  return ROWS.map((row) => (
    <tr key={row} aria-hidden className={skeletonRows.skeleton}>
      {columns.map(({ id }) => (
        <td key={id}>
          <span />
        </td>
      ))}
    </tr>
  ));
}

/** The minimum row height on a wide screen in px, as in app.css. Higher rows only cause more to be rendered at once. */
const ROW_HEIGHT = 38;

/**
 * Returns how many rows to render now.
 * When a view has arrived, first those that fit on the screen. Once they are painted, the rest follows as a deferred
 * render, which keys and clicks can interrupt. `--rows` reserves the height of the rest. Of cards only those near the
 * window render (useNearCards).
 *
 * @param view identifies the rows; while `busy`, those of the previous view are shown
 */
function useDrawnRows(count: number, view: string, busy: boolean): number {
  const [arrived, setArrived] = useState<string | null>(null);
  if (!busy && arrived !== view) setArrived(view);
  const drawn = useDeferredValue(arrived, null);
  if (drawn === arrived || isNarrowScreen()) return count;
  const seen = Math.ceil(innerHeight / ROW_HEIGHT);
  // A second render does not pay off for a few rows.
  return count > 2 * seen ? seen : count;
}
