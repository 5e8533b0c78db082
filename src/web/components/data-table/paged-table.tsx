import type { ComponentProps } from 'react';
import { usePageOf } from '#web/lib/address/use-address.ts';
import type { ListPage } from '#web/lib/api/query-client.ts';
import { setPageSize, usePaging } from '#web/lib/screen/paging-state.ts';
import { Pager } from '../pager/pager.tsx';
import { useLastPageInstead } from '../use-last-page-instead.ts';
import { DataTable } from './data-table.tsx';

/** A list's page number and page size, which its address holds and its query sends. */
interface Paging {
  readonly page: number;
  readonly size: number;
  readonly onPage: (page: number) => void;
}

/** Manages a list's page. @param held the number in the address @param onPage writes it to the address */
export function useListPage(held: number, onPage: (page: number) => void): Paging {
  const size = usePaging((state) => state.pagenate_count);
  return { page: usePageOf(String(size), held, onPage), size, onPage };
}

interface Props<Row> extends Omit<ComponentProps<typeof DataTable<Row>>, 'rows' | 'busy'> {
  readonly paging: Paging;
  /** The answer to the list's query. */
  readonly list: { readonly data: ListPage<readonly Row[]> | undefined; readonly isPlaceholderData: boolean };
}

/** Shows a page of a list, and the pager below it. A page that no longer exists is replaced by the last one. */
export function PagedTable<Row>({ paging, list: { data, isPlaceholderData }, ...table }: Props<Row>) {
  const { page, size, onPage } = paging;
  useLastPageInstead(isPlaceholderData ? undefined : data?.total, page, size, onPage);
  return (
    <>
      <DataTable {...table} rows={data?.rows} busy={isPlaceholderData} />
      <Pager total={data?.total} {...paging} onSize={setPageSize} isLoading={isPlaceholderData} />
    </>
  );
}
