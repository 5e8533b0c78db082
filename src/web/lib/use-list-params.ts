import type { ProspectFilter, ProspectSort } from '#contract/prospects-filter.ts';
import { filterChange, type ListParams, type ListStatus, readListParams, type Tab } from './list-params.ts';
import { goToPage, usePaging } from './paging-state.ts';
import { pageChange } from './search-params.ts';
import { useSearchChanges } from './use-search-changes.ts';

/** Reads and changes the parameters of the lists in the address. */
export function useListParams() {
  const { params: search, change } = useSearchChanges();
  const params: ListParams = readListParams(search);

  /** Another list starts at its first page, in every tab. */
  function changeList(values: Record<string, string | number | undefined>): void {
    goToPage(1);
    change({ ...values, page: undefined });
  }

  return {
    ...params,
    setFilter: (filter: ProspectFilter) => changeList(filterChange(filter)),
    setSort: (sort: ProspectSort) => changeList({ sort: sort.sort, order: sort.order }),
    setStatus: (status: ListStatus | undefined) => changeList({ status }),
    setReservation: (reservation: number | undefined) => change({ reservation, page: undefined }),
    setPage: (page: number) => change(pageChange(page)),
    /** The prospect list opens at the page where it was left. */
    setTab: (tab: Tab) => {
      const isProspects = tab === 'prospects';
      const page = isProspects ? usePaging.getState().pagenate_num : 1;
      change({ tab: isProspects ? undefined : tab, ...pageChange(page) }, false);
    },
  };
}
