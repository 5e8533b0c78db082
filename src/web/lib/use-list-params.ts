import { useSearchParams } from 'react-router';
import type { ProspectFilter, ProspectSort } from '#contract/prospect.ts';
import {
  changedSearch,
  filterChange,
  type ListParams,
  readListParams,
  type SendingStatus,
  type Tab,
} from './list-params.ts';
import { goToPage } from './session-store.ts';

/** The address of the list and the ways to change it. Whatever changes the list starts at its first page. */
export function useListParams() {
  const [search, setSearch] = useSearchParams();
  const params: ListParams = readListParams(search);

  function change(values: Record<string, string | number | undefined>, replace: boolean): void {
    setSearch((before) => changedSearch(before, values), { replace });
  }
  function changeList(values: Record<string, string | number | undefined>): void {
    goToPage(1);
    change(values, true);
  }

  return {
    ...params,
    setFilter: (filter: ProspectFilter) => changeList(filterChange(filter)),
    setSort: (sort: ProspectSort) => changeList({ sort: sort.sort, order: sort.order }),
    setStatus: (status: SendingStatus | undefined) => changeList({ status }),
    setReservation: (reservation: number | undefined) => change({ reservation }, true),
    setTab: (tab: Tab) => change({ tab: tab === 'prospects' ? undefined : tab }, false),
  };
}
