import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, useEffect, useMemo, useState } from 'react';
import type { Run } from '#contract/sending/runs.ts';
import { SHOWN_STATES } from '#domain/sending/delivery-state.ts';
import { Button } from '#web/components/button.tsx';
import { PagedTable, useListPage } from '#web/components/data-table/paged-table.tsx';
import { FilterBar } from '#web/components/field/filter-bar.tsx';
import { SearchField } from '#web/components/field/search-field.tsx';
import { SelectField } from '#web/components/field/select-field.tsx';
import { EmptyState } from '#web/components/state/empty-state.tsx';
import { LoadFailed } from '#web/components/state/load-failed.tsx';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import { RUN_MAILS } from '#web/lib/address/params.ts';
import { useAddress } from '#web/lib/address/use-address.ts';
import { DELIVERIES } from '#web/lib/api/query-keys.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';
import type { Action } from '../actions.ts';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { reloadRun } from '../run/reload-run.ts';
import { useMayAct } from '../run/use-may-act.ts';
import styles from '../send-history.module.css';
import { deliveryColumns, shownColumns } from './delivery-columns.tsx';
import type { DeliveryParts } from './delivery-parts.ts';
import { deliveryList } from './view-deliveries.ts';
import { DELIVERY_MESSAGES } from './words.ts';

const DeliveryDialog = lazy(async () => ({
  default: (await loadPart(() => import('./delivery-dialog.tsx'))).DeliveryDialog,
}));

interface Props {
  readonly run: Run;
  readonly parts: DeliveryParts;
}

/** Lists the mails of a run: all, or those in one state. */
export function DeliveryList({ run, parts }: Props) {
  const messages = DELIVERY_MESSAGES;
  const client = useQueryClient();
  const [{ state, search, page: held }, change] = useAddress(RUN_MAILS);
  const goToPage = (next: number) => change({ page: next });
  const paging = useListPage(held, goToPage);
  const { page, size } = paging;
  const [shown, setShown] = useState<{ readonly id: number; readonly startsMending: boolean } | null>(null);
  const [asked, setAsked] = useState<Action | null>(null);
  const list = useQuery(deliveryList(run.id, { state, search, pagenate_num: page, pagenate_count: size }));
  const { data, isError, error, refetch } = list;
  const { person, attempts, answer } = shownColumns(run, data?.rows);
  const mayAct = useMayAct(run);
  const columns = useMemo(() => {
    const onMend = (id: number) => setShown({ id, startsMending: true });
    const handlers = {
      onShow: (id: number) => setShown({ id, startsMending: false }),
      onMend: run.test_send_mode === 1 || !mayAct ? undefined : onMend,
      onAsk: mayAct ? setAsked : undefined,
    };
    return deliveryColumns(handlers, { person, attempts, answer });
  }, [run.test_send_mode, person, attempts, answer, mayAct]);
  useReloadOnProgress(run);

  if (isError && data === undefined)
    return <LoadFailed what={messages.label} error={error} onRetry={() => void refetch()} />;
  const choices = SHOWN_STATES.map((value) => ({ value, label: messages.option(messages.states[value], run[value]) }));
  return (
    <div className={`fill ${styles.list}`}>
      <FilterBar>
        <SelectField
          label={messages.filter}
          choices={[{ value: '', label: messages.option(messages.all, run.targets) }, ...choices]}
          value={state ?? ''}
          onChange={(value) => change({ state: value, page: undefined })}
        />
        <SearchField
          label={messages.search}
          search={search ?? ''}
          onSearch={(words) => change({ search: words.trim(), page: undefined })}
        />
      </FilterBar>
      <PagedTable
        paging={paging}
        list={list}
        label={messages.label}
        columns={columns}
        rowId={({ id }) => id}
        view={`${state} ${search} ${page} ${size}`}
        empty={
          <EmptyState kind="no-match" title={messages.empty}>
            <Button onClick={() => change({ state: undefined, search: undefined, page: undefined })}>
              {messages.showAll}
            </Button>
          </EmptyState>
        }
      />
      <PartBoundary>
        {shown === null ? null : <DeliveryDialog {...shown} parts={parts} onClose={() => setShown(null)} />}
      </PartBoundary>
      {asked === null ? null : (
        <ConfirmDialog action={asked} onClose={() => setAsked(null)} onChanged={() => reloadRun(client, run.id)} />
      )}
    </div>
  );
}

/** Reloads the mails when the run's counts have changed. */
function useReloadOnProgress({ id, queued, sending, sent, failed, unknown, cancelled }: Run): void {
  const client = useQueryClient();
  const counts = [queued, sending, sent, failed, unknown, cancelled].join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect runs when the counts change
  useEffect(() => {
    void client.invalidateQueries({ queryKey: [DELIVERIES, id] });
  }, [client, id, counts]);
}
