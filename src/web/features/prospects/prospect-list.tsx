import IconDownload from '@tabler/icons-react/dist/esm/icons/IconDownload.mjs';
import { lazy, type ReactNode, useMemo, useRef } from 'react';
import type { ProspectColumn, ProspectSort } from '#contract/companies/prospects-filter.ts';
import { Button } from '#web/components/button.tsx';
import field from '#web/components/field/field.module.css';
import { SelectField } from '#web/components/field/select-field.tsx';
import { Matches, useTotalOfList } from '#web/components/inline/matches.tsx';
import { EmptyState } from '#web/components/state/empty-state.tsx';
import { LoadFailed } from '#web/components/state/load-failed.tsx';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import { isFiltered, type ListStatus } from '#web/lib/address/params.ts';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';
import { May, useMay } from '#web/lib/session/use-may.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { columnLayout, shownColumns, shownOwn, useProspectList } from './column-layout.ts';
import type { CompanyLinks } from './company-name.tsx';
import { prospectColumns } from './prospect-columns.tsx';
import styles from './prospect-list.module.css';
import { ProspectTable } from './prospect-table.tsx';
import { withSelection } from './select-column.tsx';
import { useSelection, useSelectionOf } from './selection-state.ts';
import { SortSelect } from './sort-select.tsx';
import { useBulk } from './use-bulk.ts';
import { conditionOf, type ProspectQuery } from './view-prospects.ts';
import { PROSPECT_MESSAGES } from './words.ts';

const BulkBar = lazy(() => loadPart(() => import('./bulk-bar.tsx')));

const BulkDialog = lazy(() => loadPart(() => import('./bulk-dialog.tsx')));

const TagBulkDialog = lazy(() => loadPart(() => import('./tags/tag-bulk-dialog.tsx')));

/** The facts that an export of the list needs. */
interface ListExport {
  readonly condition: ReturnType<typeof conditionOf>;
  readonly isNarrowed: boolean;
  readonly total: number;
  /** The ids of the chosen companies; undefined: none, or all that match. */
  readonly ids: readonly number[] | undefined;
  readonly shownColumns: readonly ProspectColumn[];
  /** The names of the shown own columns. */
  readonly ownColumns: readonly string[];
}

interface Props {
  readonly query: ProspectQuery;
  readonly status: ListStatus | undefined;
  readonly sort: ProspectSort;
  readonly onStatus: (status: ListStatus | undefined) => void;
  readonly onSort: (sort: ProspectSort) => void;
  readonly onPage: (page: number) => void;
  readonly links: CompanyLinks;
  /** Removes all filters and the status. */
  readonly onClear: () => void;
  readonly onExport: (list: ListExport) => void;
  /** Opens the attack list with these companies; undefined: all that match. */
  readonly onAttackList: (chosen: readonly { readonly id: number; readonly name: string }[] | undefined) => void;
  /** The buttons that fill an empty list. */
  readonly cure?: ReactNode;
  /** Shown before the export button. */
  readonly tools?: ReactNode;
}

export function ProspectList({ query, status, sort, onStatus, onSort, onPage, onExport, ...props }: Props) {
  const { links, onClear, onAttackList, cure, tools } = props;
  const list = useProspectList(query);
  const groupId = Number(query.sender_group_id);
  const { columns, mayChange } = useColumns(groupId, links);
  const failed = list.isError && list.data === undefined;
  const counted = list.data?.total;
  const total = counted ?? 0;
  const root = useRef<HTMLDivElement>(null);
  useSelectionOf(JSON.stringify(query), list.data?.rows);
  const hasSelection = useSelection(({ ids }) => ids.size > 0) && mayChange;
  useTotalOfList(counted, list.isPlaceholderData);
  const bulk = useBulk(query, total, root);
  const isNarrowed = status !== undefined || isFiltered(query);
  // If the account has no company, the empty list offers buttons that add some.
  const isEmpty = counted === 0 && !isNarrowed;
  const exportList = () =>
    onExport({
      condition: conditionOf(query),
      isNarrowed,
      total,
      ids: chosenIds(),
      shownColumns: shownColumns(columns),
      ownColumns: shownOwn(columnLayout()),
    });

  const toolbar = (
    <ProspectToolbar
      status={status}
      sort={sort}
      onStatus={onStatus}
      onSort={onSort}
      onExport={exportList}
      tools={isEmpty ? null : tools}
    >
      <Matches total={counted} failed={failed} />
    </ProspectToolbar>
  );
  return (
    <div ref={root} className={`fill ${styles.list}`}>
      {hasSelection ? (
        <PartBoundary waiting={toolbar}>
          <BulkBar
            total={total}
            isArchived={status === 'archived'}
            groupId={groupId}
            onAttackList={() => {
              const ids = chosenIds();
              const rows = list.data?.rows.filter(({ id }) => ids?.includes(id)) ?? [];
              onAttackList(ids && rows.map(({ id, company_name: name }) => ({ id, name })));
            }}
            onAct={bulk.ask}
            onExport={exportList}
            onClear={bulk.clear}
          />
        </PartBoundary>
      ) : (
        toolbar
      )}
      {failed ? (
        <LoadFailed what={PROSPECT_MESSAGES.list} error={list.error} onRetry={() => void list.refetch()} />
      ) : (
        <ProspectTable
          label={PROSPECT_MESSAGES.list}
          query={query}
          list={list}
          columns={columns}
          sort={sort}
          onSort={onSort}
          onPage={onPage}
          empty={<Empty onClear={isNarrowed ? onClear : undefined} cure={cure} />}
        />
      )}
      <AskedAct asked={bulk.asked} onClose={bulk.close} />
    </div>
  );
}

/** Shows the dialog of an act on the chosen companies. */
function AskedAct({
  asked,
  onClose,
}: Pick<ReturnType<typeof useBulk>, 'asked'> & { onClose: (isDone: boolean) => void }) {
  if (asked === null) return null;
  const Dialog = asked.order.act === 'label' ? TagBulkDialog : BulkDialog;
  return (
    <PartBoundary>
      <Dialog {...asked} onClose={onClose} />
    </PartBoundary>
  );
}

/** Returns the columns, with checkboxes for a member who may act on many companies. */
function useColumns(groupId: number, links: CompanyLinks) {
  const mayChange = useMay('changeProspects');
  const columns = useMemo(() => {
    const shown = prospectColumns(groupId, links);
    return mayChange ? withSelection(shown) : shown;
  }, [groupId, links, mayChange]);
  return { columns, mayChange };
}

function chosenIds(): readonly number[] | undefined {
  const { ids, isAll } = useSelection.getState();
  return isAll || ids.size === 0 ? undefined : [...ids];
}

interface EmptyProps extends Pick<Props, 'cure'> {
  /** undefined: no filter or status is set, so the account has no company. */
  readonly onClear: (() => void) | undefined;
}

function Empty({ onClear, cure }: EmptyProps) {
  const { none, noneHelp } = DATA_MESSAGES.prospects;
  const { empty, emptyHelp, clear } = PROSPECT_MESSAGES;
  if (onClear === undefined)
    return (
      <EmptyState kind="companies" title={none} help={noneHelp}>
        {cure}
      </EmptyState>
    );
  return (
    <EmptyState kind="no-match" title={empty} help={emptyHelp}>
      <Button onClick={onClear}>{clear}</Button>
    </EmptyState>
  );
}

const STATUSES = Object.entries(PROSPECT_MESSAGES.statuses).map(([value, label]) => ({ value, label }));

interface ProspectToolbarProps extends Pick<Props, 'tools'> {
  readonly status: ListStatus | undefined;
  readonly sort: ProspectSort;
  readonly onStatus: (status: ListStatus | undefined) => void;
  readonly onSort: (sort: ProspectSort) => void;
  readonly onExport: () => void;
  readonly children: ReactNode;
}

/** Shows the controls that narrow and sort the list. On phones their labels are for screen readers only. */
function ProspectToolbar({ status, sort, onStatus, onSort, onExport, tools, children }: ProspectToolbarProps) {
  return (
    <div className={`line ${styles.toolbar}`}>
      {children}
      <SelectField
        className={field.inline}
        label={PROSPECT_MESSAGES.status}
        choices={STATUSES}
        value={status ?? 'all'}
        onChange={(value) => onStatus(value === 'all' ? undefined : (value as ListStatus))}
      />
      <SortSelect sort={sort} onSort={onSort} />
      <div className="line push">
        {tools}
        <May call="startExport">
          <Button variant="quiet" aria-haspopup="dialog" aria-label={COMMON_MESSAGES.actions.export} onClick={onExport}>
            <IconDownload size={16} aria-hidden />
            <span className="only-wide">{COMMON_MESSAGES.actions.export}</span>
          </Button>
        </May>
      </div>
    </div>
  );
}
