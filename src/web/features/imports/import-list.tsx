import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { DataTable } from '#web/components/data-table/data-table.tsx';
import { Pager } from '#web/components/pager.tsx';
import { EmptyState } from '#web/components/state/empty-state.tsx';
import { LoadFailed } from '#web/components/state/load-failed.tsx';
import { useLastPageInstead } from '#web/components/use-last-page-instead.ts';
import { IMPORTS } from '#web/lib/address/params.ts';
import { useAddress, usePageOf } from '#web/lib/address/use-address.ts';
import { setPageSize, usePaging } from '#web/lib/screen/paging-state.ts';
import { DeleteFileDialog, DiscardDialog, UndoDialog } from './act-dialogs.tsx';
import { type AskedAct, importColumns } from './import-columns.tsx';
import { type ImportRow, importList } from './import-query.ts';
import { IMPORT_MESSAGES, RUN_MESSAGES } from './words.ts';

interface Props {
  /** The button that starts the first import. */
  readonly cure: ReactNode;
}

/** Lists the imports and the uploads that still exist, the newest first. */
export function ImportList({ cure }: Props) {
  const [{ page: held }, change] = useAddress(IMPORTS);
  const size = usePaging((state) => state.pagenate_count);
  const goToPage = (next: number) => change({ page: next });
  const page = usePageOf(String(size), held, goToPage);
  const [asked, setAsked] = useState<{ readonly act: AskedAct; readonly row: ImportRow } | null>(null);
  const { data, isError, isPlaceholderData, refetch } = useQuery(importList({ page, size }));
  const columns = useMemo(() => importColumns((act, row) => setAsked({ act, row })), []);
  const close = () => setAsked(null);
  useLastPageInstead(isPlaceholderData ? undefined : data?.total, page, size, goToPage);
  if (isError && data === undefined) return <LoadFailed onRetry={() => void refetch()} />;
  return (
    <div className="fill">
      <DataTable
        label={IMPORT_MESSAGES.history}
        columns={columns}
        rows={data?.rows}
        rowId={({ id }) => id}
        busy={isPlaceholderData}
        view={`${page} ${size}`}
        empty={
          <EmptyState kind="none" title={RUN_MESSAGES.empty} help={RUN_MESSAGES.emptyHelp}>
            {cure}
          </EmptyState>
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
      {asked?.act === 'undo' && asked.row.counts ? (
        <UndoDialog id={asked.row.id} counts={asked.row.counts} onClose={close} />
      ) : null}
      {asked?.act === 'discard' ? <DiscardDialog id={asked.row.id} name={asked.row.name} onClose={close} /> : null}
      {asked?.act === 'delete_file' ? (
        <DeleteFileDialog id={asked.row.id} name={asked.row.name} onClose={close} />
      ) : null}
    </div>
  );
}
