import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { DataTable } from '#web/components/data-table/data-table.tsx';
import { EmptyState } from '#web/components/empty-state.tsx';
import { LoadFailed } from '#web/components/load-failed.tsx';
import { Pager } from '#web/components/pager.tsx';
import { useLastPageInstead } from '#web/components/use-last-page-instead.ts';
import { setPageSize, usePaging } from '#web/lib/paging-state.ts';
import { useRunEvents } from '#web/lib/run-events.ts';
import { usePageOf } from '#web/lib/use-page-of.ts';
import { runColumns } from './run-columns.tsx';
import styles from './send-history.module.css';
import { usePlace } from './use-place.ts';
import { sendLogList } from './view-send-logs.ts';
import { HISTORY_MESSAGES } from './words.ts';

interface Props {
  /** Returns the path of a run's screen. */
  readonly pathOf: (id: number) => string;
}

/** Lists all runs, the newest first. */
export function RunList({ pathOf }: Props) {
  useRunEvents();
  const messages = HISTORY_MESSAGES;
  const place = usePlace();
  const goToPage = (next: number) => place.goTo({ page: next });
  const size = usePaging((state) => state.pagenate_count);
  const page = usePageOf(String(size), place.page, goToPage);
  const { data, isError, isPlaceholderData, refetch } = useQuery(sendLogList(page, size));
  useLastPageInstead(isPlaceholderData ? undefined : data?.total, page, size, goToPage);
  const columns = useMemo(() => runColumns(pathOf), [pathOf]);
  if (isError && data === undefined) return <LoadFailed onRetry={() => void refetch()} />;
  return (
    <div className={styles.list}>
      <DataTable
        label={messages.title}
        columns={columns}
        rows={data?.rows}
        rowId={({ id }) => id}
        busy={isPlaceholderData}
        view={`${page} ${size}`}
        empty={<EmptyState kind="none" title={messages.empty} help={messages.emptyHelp} />}
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
