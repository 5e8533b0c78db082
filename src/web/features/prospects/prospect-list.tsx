import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ProspectSort } from '#contract/prospect.ts';
import { EmptyState } from '#web/components/empty-state.tsx';
import { LoadFailed } from '#web/components/load-failed.tsx';
import { Matches } from '#web/components/matches.tsx';
import { isFiltered, type SendingStatus } from '#web/lib/list-params.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { prospectColumns } from './prospect-columns.tsx';
import styles from './prospect-list.module.css';
import { ProspectTable } from './prospect-table.tsx';
import { ProspectToolbar } from './prospect-toolbar.tsx';
import { type ProspectQuery, prospectList } from './view-prospects.ts';
import { PROSPECT_MESSAGES } from './words.ts';

interface Props {
  readonly query: ProspectQuery;
  readonly status: SendingStatus | undefined;
  readonly sort: ProspectSort;
  readonly onStatus: (status: SendingStatus | undefined) => void;
  readonly onSort: (sort: ProspectSort) => void;
  readonly onPage: (page: number) => void;
}

export function ProspectList({ query, status, sort, onStatus, onSort, onPage }: Props) {
  const list = useQuery(prospectList(query));
  const groupId = Number(query.sender_group_id);
  const columns = useMemo(() => prospectColumns(groupId), [groupId]);
  const failed = list.isError && list.data === undefined;

  return (
    <div className={styles.list}>
      <ProspectToolbar status={status} sort={sort} onStatus={onStatus} onSort={onSort}>
        <Matches total={list.data?.total} failed={failed} />
      </ProspectToolbar>
      {failed ? (
        <LoadFailed onRetry={() => void list.refetch()} />
      ) : (
        <ProspectTable
          label={PROSPECT_MESSAGES.list}
          query={query}
          list={list}
          columns={columns}
          sort={sort}
          onSort={onSort}
          onPage={onPage}
          empty={<Empty isAll={status === undefined && !isFiltered(query)} />}
        />
      )}
    </div>
  );
}

/** @param isAll no filter and no status was set */
function Empty({ isAll }: { readonly isAll: boolean }) {
  const { none, noneHelp } = COMMON_MESSAGES.prospects;
  const { empty, emptyHelp } = PROSPECT_MESSAGES;
  return (
    <EmptyState kind={isAll ? 'none' : 'no-match'} title={isAll ? none : empty} help={isAll ? noneHelp : emptyHelp} />
  );
}
