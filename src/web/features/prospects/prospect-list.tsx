import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import type { ProspectColumn, ProspectSort } from '#contract/prospect.ts';
import { DataTable } from '#web/components/data-table/data-table.tsx';
import { LoadFailed } from '#web/components/load-failed.tsx';
import { Pager } from '#web/components/pager.tsx';
import type { SendingStatus } from '#web/lib/list-params.ts';
import { goToPage, setPageSize } from '#web/lib/session-store.ts';
import { WORDS } from '#web/lib/words.ts';
import { prospectColumns } from './prospect-columns.tsx';
import styles from './prospect-list.module.css';
import { ProspectToolbar } from './prospect-toolbar.tsx';
import { type ProspectQuery, prospectList } from './view-prospects.ts';

interface Props {
  readonly query: ProspectQuery;
  readonly status: SendingStatus | undefined;
  readonly sort: ProspectSort;
  readonly onStatus: (status: SendingStatus | undefined) => void;
  readonly onSort: (sort: ProspectSort) => void;
}

export function ProspectList({ query, status, sort, onStatus, onSort }: Props) {
  const { data, isPlaceholderData, isError, refetch } = useQuery(prospectList(query));
  const groupId = Number(query.sender_group_id);
  const columns = useMemo(() => prospectColumns(groupId), [groupId]);
  const size = Number(query.pagenate_count);
  const page = Number(query.pagenate_num);
  const sorting = useMemo(
    () => (sort.sort === undefined ? undefined : { id: sort.sort, order: sort.order ?? 'asc' }),
    [sort.sort, sort.order],
  );
  useLastPageInstead(isPlaceholderData ? undefined : data?.total, page, size);

  if (isError && data === undefined) return <LoadFailed onRetry={() => void refetch()} />;
  return (
    <div className={styles.list}>
      <ProspectToolbar total={data?.total} status={status} sort={sort} onStatus={onStatus} onSort={onSort} />
      <DataTable
        label={WORDS.tabs.prospects}
        columns={columns}
        rows={data?.rows}
        rowId={(row) => row.id}
        busy={isPlaceholderData}
        view={JSON.stringify(query)}
        sort={sorting}
        onSort={(next) => onSort(next ? { sort: next.id as ProspectColumn, order: next.order } : {})}
        empty={
          <>
            <strong>{WORDS.prospects.empty}</strong>
            <br />
            {WORDS.prospects.emptyHelp}
          </>
        }
      />
      <Pager total={data?.total ?? 0} page={page} size={size} onPage={goToPage} onSize={setPageSize} />
    </div>
  );
}

/** A page that is no longer there (fewer rows match now) gives way to the last one. */
function useLastPageInstead(total: number | undefined, page: number, size: number): void {
  useEffect(() => {
    if (total === undefined) return;
    const last = Math.max(1, Math.ceil(total / size));
    if (page > last) goToPage(last);
  }, [total, page, size]);
}
