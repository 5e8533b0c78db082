import { useQuery } from '@tanstack/react-query';
import { Button } from '#web/components/button.tsx';
import { DataTable } from '#web/components/data-table/data-table.tsx';
import { EmptyState } from '#web/components/empty-state.tsx';
import { LoadFailed } from '#web/components/load-failed.tsx';
import { Pager } from '#web/components/pager.tsx';
import { useLastPageInstead } from '#web/components/use-last-page-instead.ts';
import { usePageOf } from '#web/lib/address/use-address.ts';
import { setPageSize, usePaging } from '#web/lib/paging-state.ts';
import { useRunEvents } from '#web/lib/run-events.ts';
import { RUN_COLUMNS } from './run-columns.tsx';
import { RunFilterBar } from './run-filter.tsx';
import styles from './send-history.module.css';
import type { useRunPlace } from './use-run-place.ts';
import { sendLogList } from './view-send-logs.ts';
import { HISTORY_MESSAGES, RUN_FILTER_MESSAGES } from './words.ts';

interface Props {
  readonly place: ReturnType<typeof useRunPlace>;
  readonly groups: readonly { readonly id: number; readonly group_name: string }[];
}

const NONE = { period: '', from: '', to: '', state: '', group: '', template: '', search: '' } as const;

/** Lists runs, the newest first: real ones, unless the filter says otherwise. */
export function RunList({ place, groups }: Props) {
  useRunEvents();
  const messages = HISTORY_MESSAGES;
  const { choice, filter, goToPage, setChoice } = place;
  const size = usePaging((state) => state.pagenate_count);
  const page = usePageOf(String(size), place.page, goToPage);
  const query = { ...filter, pagenate_num: page, pagenate_count: size };
  const { data, isError, isPlaceholderData, refetch } = useQuery(sendLogList(query));
  useLastPageInstead(isPlaceholderData ? undefined : data?.total, page, size, goToPage);
  if (isError && data === undefined) return <LoadFailed onRetry={() => void refetch()} />;
  const isNarrowed = Object.keys(filter).some((name) => name !== 'test_send_mode');
  return (
    <div className={styles.list}>
      <RunFilterBar choice={choice} groups={groups} onChange={setChoice} />
      <DataTable
        label={messages.title}
        columns={RUN_COLUMNS}
        rows={data?.rows}
        rowId={({ id }) => id}
        busy={isPlaceholderData}
        view={JSON.stringify(query)}
        empty={
          isNarrowed || choice.mode === 'test' ? (
            <EmptyState kind="no-match" title={RUN_FILTER_MESSAGES.noMatch} help={RUN_FILTER_MESSAGES.noMatchHelp}>
              <Button onClick={() => setChoice({ ...NONE, mode: 'all' })}>{RUN_FILTER_MESSAGES.clear}</Button>
            </EmptyState>
          ) : (
            <EmptyState kind="none" title={messages.empty} help={messages.emptyHelp} />
          )
        }
      />
      <Pager
        total={data?.total}
        page={page}
        size={size}
        onPage={goToPage}
        onSize={setPageSize}
        isLoading={isPlaceholderData}
      />
    </div>
  );
}
