import type { UseQueryResult } from '@tanstack/react-query';
import { lazy, type ReactNode, useMemo, useState } from 'react';
import type { ProspectSort, SortColumn } from '#contract/companies/prospects-filter.ts';
import { Button } from '#web/components/button.tsx';
import type { Column } from '#web/components/data-table/column.ts';
import { DataTable } from '#web/components/data-table/data-table.tsx';
import { Pager } from '#web/components/pager/pager.tsx';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import { useLastPageInstead } from '#web/components/use-last-page-instead.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';
import { setPageSize } from '#web/lib/screen/paging-state.ts';
import { useSession } from '#web/lib/session/session-store.ts';
import { type ColumnLayout, isShown, shownOwn, useColumnLayout } from './column-layout.ts';
import styles from './prospect-table.module.css';
import { REMARKS_DRAFTS } from './save-active-prospect.ts';
import type { ListedProspect, ProspectPage, ProspectQuery } from './view-prospects.ts';
import { PROSPECT_MESSAGES } from './words.ts';

type ListColumns = readonly Column<ListedProspect>[];

const ColumnDialog = lazy(() => loadPart(() => import('./column-dialog.tsx')));

const OwnColumns = lazy(() => loadPart(() => import('./own/own-columns.tsx')));

interface Props {
  readonly label: string;
  readonly query: ProspectQuery;
  /** The result of the query (prospectList). */
  readonly list: UseQueryResult<ProspectPage>;
  readonly columns: ListColumns;
  readonly empty: ReactNode;
  readonly sort: ProspectSort;
  readonly onSort: (sort: ProspectSort) => void;
  readonly onPage: (page: number) => void;
}

/** Shows a page of prospects in the user's columns, sortable by its headers, with the pager below. */
export function ProspectTable(props: Props) {
  const { label, query, list, empty, sort, onSort, onPage } = props;
  const { data, isPlaceholderData } = list;
  const [layout, changeLayout] = useColumnLayout();
  const [isChoosing, setChoosing] = useState(false);
  const [own, setOwn] = useState<ListColumns>([]);
  const columns = useMemo(() => withOwn(props.columns, own), [props.columns, own]);
  const { widths } = layout;
  const shownWidths = useShownWidths({ columns, query, list }, widths);
  const shown = useMemo(() => columns.filter((column) => isShown(layout, column)), [columns, layout]);
  const size = Number(query.pagenate_count);
  const page = Number(query.pagenate_num);
  const sorting = useMemo(
    () => (sort.sort === undefined ? undefined : { id: sort.sort, order: sort.order ?? 'asc' }),
    [sort.sort, sort.order],
  );
  useLastPageInstead(isPlaceholderData ? undefined : data?.total, page, size, onPage);

  return (
    <>
      <DataTable
        label={label}
        columns={shown}
        rows={data?.rows}
        rowId={(row) => row.id}
        busy={isPlaceholderData}
        view={JSON.stringify(query)}
        sort={sorting}
        onSort={(next) => onSort(next ? { sort: next.id as SortColumn, order: next.order } : {})}
        empty={empty}
        widths={shownWidths}
        onWidth={(id, width) => changeLayout({ widths: { ...widths, [id]: width } })}
      />
      <div className={`row ${styles.foot}`}>
        <Pager
          total={data?.total}
          page={page}
          size={size}
          onPage={onPage}
          onSize={setPageSize}
          isLoading={isPlaceholderData}
          // The specification shows the page size.
          fits={0}
        />
        <Button variant="quiet" aria-haspopup="dialog" onClick={() => setChoosing(true)}>
          {PROSPECT_MESSAGES.columnDialog.open}
        </Button>
      </div>
      {isChoosing ? (
        <PartBoundary>
          <ColumnDialog
            columns={props.columns.filter(
              ({ headerControl, onCard }) => headerControl === undefined && onCard !== 'line',
            )}
            own={own}
            layout={layout}
            onChange={changeLayout}
            onClose={() => setChoosing(false)}
          />
        </PartBoundary>
      ) : null}
      {isChoosing || shownOwn(layout).length > 0 ? (
        <PartBoundary>
          <OwnColumns layout={layout} onLayout={changeLayout} onColumns={setOwn} />
        </PartBoundary>
      ) : null}
    </>
  );
}

/** The account's own columns stand where our own does: behind the status. */
function withOwn(columns: ListColumns, own: ListColumns): ListColumns {
  const place = columns.findIndex(({ id }) => id === 'status') + 1;
  return own.length === 0 ? columns : columns.toSpliced(place, 0, ...own);
}

/** Columns that are usually empty at first: narrow before the first answer, when the others have their widths. */
const LATE_COLUMNS = ['sent_at', 'send_at', 'status', 'remarks'];

/**
 * Returns the widths. A column stays narrow until a company on a page has a value, or the user writes a remark.
 * It then stays wide on later pages. A width chosen by the user has priority.
 */
function useShownWidths(
  { columns, query, list: { data, isPlaceholderData } }: Pick<Props, 'columns' | 'query' | 'list'>,
  widths: ColumnLayout['widths'],
) {
  const isWriting = useSession(({ drafts }) => Object.keys(drafts).some((name) => name.startsWith(REMARKS_DRAFTS)));
  const view = JSON.stringify({ ...query, pagenate_num: undefined });
  const [kept, setKept] = useState<{ view: string | null; filled: string }>(() => ({
    view: null,
    filled: columns.flatMap(({ id }) => (LATE_COLUMNS.includes(id) ? [] : [id])).join(' '),
  }));
  // Keep the widths while rows load, and for a list without rows, whose answer then moves no header.
  const rows = isPlaceholderData || data?.rows.length === 0 ? undefined : data?.rows;
  const before = kept.view === view ? kept.filled.split(' ') : [];
  const filled =
    rows === undefined
      ? kept.filled
      : columns
          .filter(({ id, blank }) => before.includes(id) || (blank !== undefined && !rows.every(blank.of)))
          .map(({ id }) => id)
          .join(' ');
  if (rows !== undefined && (kept.view !== view || kept.filled !== filled)) setKept({ view, filled });
  return useMemo(() => {
    const wide = [...filled.split(' '), ...(isWriting ? ['remarks'] : [])];
    const narrow = columns.flatMap(({ id, blank }) => (blank && !wide.includes(id) ? [[id, blank.width]] : []));
    return { ...Object.fromEntries(narrow), ...widths };
  }, [columns, filled, isWriting, widths]);
}
