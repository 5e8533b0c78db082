import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { PagedTable, useListPage } from '#web/components/data-table/paged-table.tsx';
import { choiceOf, FilterBar, searchOf } from '#web/components/field/filter-bar.tsx';
import { SearchField } from '#web/components/field/search-field.tsx';
import { SelectField } from '#web/components/field/select-field.tsx';
import { EmptyState } from '#web/components/state/empty-state.tsx';
import { LoadFailed } from '#web/components/state/load-failed.tsx';
import { given, SUPPRESSIONS } from '#web/lib/address/params.ts';
import { useAddress } from '#web/lib/address/use-address.ts';
import { useMay } from '#web/lib/session/use-may.ts';
import { LiftDialog } from './lift/lift-dialog.tsx';
import { suppressionColumns } from './suppression-columns.tsx';
import { type Suppression, suppressionPage } from './suppression-query.ts';
import { SUPPRESSION_MESSAGES as messages } from './words.ts';

const choicesOf = (labels: Readonly<Record<string, string>>) => [
  { value: '', label: messages.all },
  ...Object.entries(labels).map(([value, label]) => ({ value, label })),
];
const CLASSES = choicesOf(messages.classes);
const SOURCES = choicesOf(messages.sources);

/** Lists all addresses and domains that get no mail, or those of a search. */
export function SuppressionList() {
  const [lifted, setLifted] = useState<Suppression | null>(null);
  const [{ page: held, ...values }, change] = useAddress(SUPPRESSIONS);
  const filter = given(values);
  const goToPage = (next: number) => change({ page: next });
  /** Changes the filter, which then starts at its first page. */
  const setFilter = (next: Partial<Record<keyof typeof values, string | undefined>>) =>
    change({ ...next, page: undefined });
  const paging = useListPage(held, goToPage);
  const { page, size } = paging;
  const query = { ...filter, pagenate_num: page, pagenate_count: size };
  const list = useQuery(suppressionPage(query));
  const { data, isError, error, refetch } = list;
  const mayLift = useMay('liftSuppression');
  const columns = useMemo(() => suppressionColumns({ onLift: mayLift ? setLifted : undefined }), [mayLift]);
  if (isError && data === undefined)
    return <LoadFailed what={messages.title} error={error} onRetry={() => void refetch()} />;
  const isNarrowed = Object.keys(filter).length > 0;
  return (
    <div className="fill">
      <FilterBar
        chosen={[
          ...searchOf(filter.search),
          ...choiceOf(messages.class, CLASSES, filter.class ?? ''),
          ...choiceOf(messages.source, SOURCES, filter.source ?? ''),
        ]}
        status={
          <span role="status">
            {data === undefined ? '' : messages.matches(data.total, data.addresses, data.domains)}
          </span>
        }
      >
        <SearchField
          label={messages.search}
          search={filter.search ?? ''}
          onSearch={(search) => setFilter({ search: search.trim() })}
        />
        <SelectField
          label={messages.class}
          choices={CLASSES}
          value={filter.class ?? ''}
          onChange={(type) => setFilter({ class: type })}
        />
        <SelectField
          label={messages.source}
          choices={SOURCES}
          value={filter.source ?? ''}
          onChange={(source) => setFilter({ source })}
        />
      </FilterBar>
      <PagedTable
        paging={paging}
        list={list}
        label={messages.title}
        columns={columns}
        rowId={({ id }) => id}
        view={JSON.stringify(query)}
        empty={
          isNarrowed ? (
            <EmptyState kind="no-match" title={messages.noMatch}>
              <Button onClick={() => setFilter({ search: undefined, class: undefined, source: undefined })}>
                {messages.clear}
              </Button>
            </EmptyState>
          ) : (
            <EmptyState kind="none" title={messages.empty} help={messages.emptyHelp} />
          )
        }
      />
      {lifted === null ? null : <LiftDialog row={lifted} onClose={() => setLifted(null)} />}
    </div>
  );
}
