import { useEffect, useRef } from 'react';
import { useSearchParams } from 'react-router';
import type { ProspectFilter, ProspectSort } from '#contract/prospect.ts';
import {
  changedSearch,
  filterChange,
  type ListParams,
  pageChange,
  readListParams,
  type SendingStatus,
  type Tab,
} from './list-params.ts';
import { goToPage, usePaging } from './paging-state.ts';

/** The address of the list and the ways to change it. */
export function useListParams() {
  const [search, setSearch] = useSearchParams();
  const params: ListParams = readListParams(search);
  // Two changes in a row: the second knows of the first before the address follows.
  const latest = useRef(search);
  useEffect(() => {
    latest.current = search;
  }, [search]);

  function change(values: Record<string, string | number | undefined>, replace: boolean): void {
    latest.current = changedSearch(latest.current, values);
    setSearch(latest.current, { replace });
  }

  /** Another list begins at its first page, whichever tab shows it. */
  function changeList(values: Record<string, string | number | undefined>): void {
    goToPage(1);
    change({ ...values, page: undefined }, true);
  }

  return {
    ...params,
    setFilter: (filter: ProspectFilter) => changeList(filterChange(filter)),
    setSort: (sort: ProspectSort) => changeList({ sort: sort.sort, order: sort.order }),
    setStatus: (status: SendingStatus | undefined) => changeList({ status }),
    setReservation: (reservation: number | undefined) => change({ reservation, page: undefined }, true),
    setPage: (page: number) => change(pageChange(page), true),
    /** The prospect list is found again at the page at which it was left. */
    setTab: (tab: Tab) => {
      const isProspects = tab === 'prospects';
      const page = isProspects ? usePaging.getState().pagenate_num : 1;
      change({ tab: isProspects ? undefined : tab, ...pageChange(page) }, false);
    },
  };
}
