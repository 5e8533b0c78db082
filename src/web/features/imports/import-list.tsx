import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { PagedTable, useListPage } from '#web/components/data-table/paged-table.tsx';
import { EmptyState } from '#web/components/state/empty-state.tsx';
import { LoadFailed } from '#web/components/state/load-failed.tsx';
import { IMPORTS } from '#web/lib/address/params.ts';
import { useAddress } from '#web/lib/address/use-address.ts';
import { useMay } from '#web/lib/session/use-may.ts';
import { DeleteFileDialog, DiscardDialog, UndoDialog } from './act-dialogs.tsx';
import { type AskedAct, importColumns } from './import-columns.tsx';
import { type ImportRow, importList } from './import-query.ts';
import { IMPORT_MESSAGES, RUN_MESSAGES } from './words.ts';

interface Props {
  /** The button that starts the first import. */
  readonly cure: ReactNode;
}

/** Lists the imports and the stored uploads, newest first. */
export function ImportList({ cure }: Props) {
  const [{ page: held }, change] = useAddress(IMPORTS);
  const goToPage = (next: number) => change({ page: next });
  const paging = useListPage(held, goToPage);
  const { page, size } = paging;
  const [asked, setAsked] = useState<{ readonly act: AskedAct; readonly row: ImportRow } | null>(null);
  const list = useQuery(importList({ page, size }));
  const { data, isError, error, refetch } = list;
  const mayAct = useMay('undoImport');
  const columns = useMemo(() => importColumns(mayAct ? (act, row) => setAsked({ act, row }) : undefined), [mayAct]);
  const close = () => setAsked(null);
  if (isError && data === undefined) return <LoadFailed error={error} onRetry={() => void refetch()} />;
  return (
    <div className="fill">
      <PagedTable
        paging={paging}
        list={list}
        label={IMPORT_MESSAGES.history}
        columns={columns}
        rowId={({ id }) => id}
        view={`${page} ${size}`}
        empty={
          <EmptyState kind="companies" title={RUN_MESSAGES.empty} help={RUN_MESSAGES.emptyHelp}>
            {cure}
          </EmptyState>
        }
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
