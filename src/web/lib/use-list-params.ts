import { useEffect, useRef } from 'react';
import { useSearchParams } from 'react-router';
import type { ProspectFilter, ProspectSort } from '#contract/prospect.ts';
import {
  changedSearch,
  filterChange,
  type ListParams,
  type ListStatus,
  pageChange,
  readListParams,
  type Tab,
} from './list-params.ts';
import { goToPage, usePaging } from './paging-state.ts';

/** Reads and changes the parameters of the lists in the address. */
export function useListParams() {
  const [search, setSearch] = useSearchParams();
  const params: ListParams = readListParams(search);
  // The second of two changes in a row builds on the first, before the address has changed.
  const latest = useRef(search);
  useEffect(() => {
    latest.current = search;
  }, [search]);

  function change(values: Record<string, string | number | undefined>, replace: boolean): void {
    latest.current = changedSearch(latest.current, values);
    setSearch(latest.current, { replace });
  }

  /** Another list starts at its first page, in every tab. */
  function changeList(values: Record<string, string | number | undefined>): void {
    goToPage(1);
    change({ ...values, page: undefined }, true);
  }

  return {
    ...params,
    setFilter: (filter: ProspectFilter) => changeList(filterChange(filter)),
    setSort: (sort: ProspectSort) => changeList({ sort: sort.sort, order: sort.order }),
    setStatus: (status: ListStatus | undefined) => changeList({ status }),
    setReservation: (reservation: number | undefined) => change({ reservation, page: undefined }, true),
    setPage: (page: number) => change(pageChange(page), true),
    /** The prospect list opens at the page where it was left. */
    setTab: (tab: Tab) => {
      const isProspects = tab === 'prospects';
      const page = isProspects ? usePaging.getState().pagenate_num : 1;
      change({ tab: isProspects ? undefined : tab, ...pageChange(page) }, false);
    },
  };
}
