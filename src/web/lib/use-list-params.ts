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

  return {
    ...params,
    setFilter: (filter: ProspectFilter) => change(filterChange(filter), true),
    setSort: (sort: ProspectSort) => change({ sort: sort.sort, order: sort.order }, true),
    setStatus: (status: SendingStatus | undefined) => change({ status }, true),
    setReservation: (reservation: number | undefined) => change({ reservation }, true),
    setPage: (page: number) => change(pageChange(page), true),
    setTab: (tab: Tab) => change({ tab: tab === 'prospects' ? undefined : tab, page: undefined }, false),
  };
}
