import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo } from 'react';
import type { ProspectColumn, ProspectSort, ProspectView } from '#contract/prospect.ts';
import type { Column } from '#web/components/data-table/column.ts';
import { DataTable } from '#web/components/data-table/data-table.tsx';
import { Pager } from '#web/components/pager.tsx';
import { setPageSize } from '#web/lib/session-store.ts';
import type { ProspectPage, ProspectQuery } from './view-prospects.ts';

interface Props {
  readonly label: string;
  readonly query: ProspectQuery;
  /** The answer to the query (prospectList). */
  readonly list: UseQueryResult<ProspectPage>;
  readonly columns: readonly Column<ProspectView>[];
  readonly empty: ReactNode;
  readonly sort: ProspectSort;
  readonly onSort: (sort: ProspectSort) => void;
  readonly onPage: (page: number) => void;
}

/** A page of prospects, sorted by its headers, with the pager below. */
export function ProspectTable({ label, query, list, columns, empty, sort, onSort, onPage }: Props) {
  const { data, isPlaceholderData } = list;
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
        columns={columns}
        rows={data?.rows}
        rowId={(row) => row.id}
        busy={isPlaceholderData}
        view={JSON.stringify(query)}
        sort={sorting}
        onSort={(next) => onSort(next ? { sort: next.id as ProspectColumn, order: next.order } : {})}
        empty={empty}
      />
      <Pager total={data?.total ?? 0} page={page} size={size} onPage={onPage} onSize={setPageSize} />
    </>
  );
}

/** A page that is no longer there (fewer rows match now) gives way to the last one. */
function useLastPageInstead(
  total: number | undefined,
  page: number,
  size: number,
  onPage: (page: number) => void,
): void {
  useEffect(() => {
    if (total === undefined) return;
    const last = Math.max(1, Math.ceil(total / size));
    if (page > last) onPage(last);
  }, [total, page, size, onPage]);
}
