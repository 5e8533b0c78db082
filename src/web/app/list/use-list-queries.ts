import { useEffect, useMemo } from 'react';
import type { ProspectFilter, ProspectSort } from '#contract/companies/prospects-filter.ts';
import { openList } from '#web/features/first-steps/first-steps-query.ts';
import { ownColumns, useColumnLayout } from '#web/features/prospects/column-layout.ts';
import type { ProspectQuery } from '#web/features/prospects/view-prospects.ts';
import { senderGroupPath } from '#web/features/senders/list-sender-groups.ts';
import { filterChange, LIST, type ListParams, type ListStatus, listOf, type Tab } from '#web/lib/address/params.ts';
import { useAddress, usePageOf } from '#web/lib/address/use-address.ts';
import { pathOf } from '#web/lib/api/call.ts';
import { rememberListCalls } from '#web/lib/api/calls-ahead.ts';
import { useLocation } from '#web/lib/router/use-router.ts';
import { goToPage, usePaging } from '#web/lib/screen/paging-state.ts';
import { useSession } from '#web/lib/session/session-store.ts';

/** Reads and changes the lists' parameters in the address. */
export function useListParams() {
  const [values, changeAddress] = useAddress(LIST);

  function change(...changes: Parameters<typeof changeAddress>): void {
    // Whoever works in an empty list keeps it, even where the address has lost its last parameter.
    openList();
    changeAddress(...changes);
  }

  /** Changes the list; every tab then starts at its first page. */
  function changeList(values: Parameters<typeof change>[0]): void {
    goToPage(1);
    change({ ...values, page: undefined });
  }

  return {
    ...useMemo(() => listOf(values), [values]),
    setFilter: (filter: ProspectFilter) => changeList(filterChange(filter)),
    setSort: ({ sort, order }: ProspectSort) => changeList({ sort, order }),
    setStatus: (status: ListStatus | undefined) => changeList({ status }),
    setReservation: (reservation: number | undefined) => change({ reservation, page: undefined }),
    setPage: (page: number) => change({ page }),
    /** Changes the tab. The prospect list opens at the page that was shown last. */
    setTab: (tab: Tab) =>
      change({ tab, page: tab === 'prospects' ? usePaging.getState().pagenate_num : undefined }, { push: true }),
  };
}

type BaseQuery = Omit<ProspectQuery, 'status'>;

const baseQuery = ({ filter, sort }: ListParams, groupId: number): BaseQuery => ({
  sender_group_id: groupId,
  ...filter,
  ...sort,
});

/** Returns the query of the list of prospects, without its page. */
export const prospectsQuery = (list: ListParams, groupId: number, pagenate_count: number): ProspectQuery => ({
  ...baseQuery(list, groupId),
  status: list.status,
  pagenate_count,
});

interface ListQueries {
  /** Group, filters and order, which the three tabs share. */
  readonly base: BaseQuery;
  readonly prospects: ProspectQuery;
}

/** Builds the queries of the lists from the address, the session and the chosen group. */
export function useListQueries(list: ReturnType<typeof useListParams>, groupId: number | undefined): ListQueries {
  const pagenate_count = usePaging((state) => state.pagenate_count);
  const base = baseQuery(list, groupId ?? 0);
  const prospects = prospectsQuery(list, groupId ?? 0, pagenate_count);
  const isShown = list.tab === 'prospects';
  const key = isShown && groupId !== undefined ? JSON.stringify(prospects) : undefined;
  const pagenate_num = usePageOf(key, list.page, list.setPage);
  // Remember the page: this tab returns to it.
  useEffect(() => {
    if (isShown) goToPage(pagenate_num);
  }, [isShown, pagenate_num]);
  const { search } = useLocation();
  const [layout] = useColumnLayout();
  useEffect(() => {
    const query = key === undefined ? undefined : (JSON.parse(key) as ProspectQuery);
    if (query !== undefined) rememberCalls(search, { ...query, pagenate_num, ...ownColumns(layout) });
  }, [key, pagenate_num, search, layout]);
  return { base, prospects: { ...prospects, pagenate_num } };
}

/** Stores the calls of the shown list, which load-ahead.js sends at the next load of the address. */
function rememberCalls(search: string, query: ProspectQuery): void {
  const { current_user } = useSession.getState();
  if (current_user === null) return;
  rememberListCalls(search, [
    pathOf('getFirstSteps', {}),
    senderGroupPath(current_user.id),
    pathOf('viewProspects', { query }),
  ]);
}
