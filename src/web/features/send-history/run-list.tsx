import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { DataTable } from '#web/components/data-table/data-table.tsx';
import { LoadFailed } from '#web/components/load-failed.tsx';
import { Pager } from '#web/components/pager.tsx';
import { useLastPageInstead } from '#web/components/use-last-page-instead.ts';
import { HISTORY_WORDS } from '#web/lib/history-words.ts';
import { useRunEvents } from '#web/lib/run-events.ts';
import { setPageSize, useSession } from '#web/lib/session-store.ts';
import { usePageOf } from '#web/lib/use-page-of.ts';
import { runColumns } from './run-columns.tsx';
import styles from './send-history.module.css';
import { usePlace } from './use-place.ts';
import { sendLogList } from './view-send-logs.ts';

interface Props {
  /** The screen of one run. */
  readonly pathOf: (id: number) => string;
}

/** Everything that was sent, the newest first. */
export function RunList({ pathOf }: Props) {
  useRunEvents();
  const words = HISTORY_WORDS.sends;
  const place = usePlace();
  const goToPage = (next: number) => place.goTo({ page: next });
  const size = useSession((state) => state.pagenate_count);
  const page = usePageOf(String(size), place.page, goToPage);
  const { data, isError, isPlaceholderData, refetch } = useQuery(sendLogList(page, size));
  useLastPageInstead(isPlaceholderData ? undefined : data?.total, page, size, goToPage);
  const columns = useMemo(() => runColumns(pathOf), [pathOf]);
  if (isError && data === undefined) return <LoadFailed onRetry={() => void refetch()} />;
  return (
    <div className={styles.list}>
      <DataTable
        label={words.title}
        columns={columns}
        rows={data?.rows}
        rowId={({ id }) => id}
        busy={isPlaceholderData}
        view={`${page} ${size}`}
        empty={
          <>
            <strong>{words.empty}</strong>
            <br />
            {words.emptyHelp}
          </>
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
