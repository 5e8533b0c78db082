import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Button } from '#web/components/button.tsx';
import { PagedTable, useListPage } from '#web/components/data-table/paged-table.tsx';
import { choiceOf, FilterBar, searchOf } from '#web/components/field/filter-bar.tsx';
import { SearchField } from '#web/components/field/search-field.tsx';
import { SelectField } from '#web/components/field/select-field.tsx';
import { ButtonLink } from '#web/components/inline/button-link.tsx';
import { Chip } from '#web/components/inline/chip.tsx';
import { EmptyState } from '#web/components/state/empty-state.tsx';
import { LoadFailed } from '#web/components/state/load-failed.tsx';
import { given, RESERVATIONS, RUN_MODES, type Values } from '#web/lib/address/params.ts';
import { ATTACK_LIST_PATH } from '#web/lib/address/paths.ts';
import { useAddress } from '#web/lib/address/use-address.ts';
import { sentenceDay, specifiedTime } from '#web/lib/screen-time.ts';
import { May } from '#web/lib/session/use-may.ts';
import styles from './all-reservations.module.css';
import { columnsOf, type RowActs } from './all-reservations-columns.tsx';
import type { Reservation } from './list-reservations.ts';
import { type PageQuery, type ReservationRow, reservationPage } from './reservation-queries.ts';
import { ALL_RESERVATIONS_MESSAGES as messages } from './words.ts';

interface Props extends RowActs {
  readonly groups: readonly { readonly id: number; readonly group_name: string }[];
}

type Choice = Values<typeof RESERVATIONS>;
const NONE = { group: '', mode: '', state: '', search: '', day: '', page: undefined } as const;

/** Lists the reservations of all groups, by default the real ones that are not sent. */
export function AllReservations({ groups, pathOf, onRemove }: Props) {
  const [{ page: held, ...choice }, change] = useAddress(RESERVATIONS);
  const goToPage = (page: number) => change({ page });
  const paging = useListPage(held, goToPage);
  const { page, size } = paging;
  const query: PageQuery = { ...queryOf(choice), pagenate_num: page, pagenate_count: size };
  const list = useQuery(reservationPage(query));
  const { data, isError, error, isPlaceholderData, refetch } = list;
  const hasSendTo = data?.rows.some(({ send_to }) => send_to !== 'company') ?? false;
  const columns = useMemo(() => columnsOf(pathOf, onRemove, hasSendTo), [pathOf, onRemove, hasSendTo]);
  if (isError && data === undefined)
    return <LoadFailed what={messages.title} error={error} onRetry={() => void refetch()} />;
  const { sort: id, order = 'asc' } = choice;
  // Without rows the conditions are hidden. A button shows the other reservations, and the fields.
  const isEmpty = data?.total === 0 && !isPlaceholderData && activeOf(choice) === 0;
  return (
    <div className={`fill ${styles.list}`}>
      {isEmpty ? null : (
        <Filters choice={choice} groups={groups} onChange={(values) => change({ ...values, page: undefined })} />
      )}
      {choice.day === undefined ? null : (
        <div className="line">
          <Chip removeName={messages.endDay} onRemove={() => change({ day: undefined, page: undefined })}>
            {messages.ofDay(sentenceDay(choice.day))}
          </Chip>
        </div>
      )}
      <PagedTable
        paging={paging}
        list={list}
        label={messages.title}
        columns={columns}
        rowId={(row) => row.id}
        view={JSON.stringify(query)}
        sort={id === undefined ? undefined : { id, order }}
        onSort={(sort) => change({ sort: sort?.id, order: sort?.order, page: undefined })}
        empty={
          activeOf(choice) > 0 ? (
            <NoMatch onClear={() => change(NONE)} />
          ) : (
            <Nothing onAll={() => change({ state: 'all', mode: 'all' })} />
          )
        }
      />
    </div>
  );
}

function queryOf({ group, mode, state, search, sort, order, day }: Omit<Choice, 'page'>): PageQuery {
  const test_send_mode = mode === 'all' ? undefined : mode === 'test' ? (1 as const) : (0 as const);
  return given({ state, search, sort, order, from: day, to: day, sender_group_id: group, test_send_mode });
}

/** Returns the number of active conditions. */
const activeOf = ({ group, mode, state, search, day }: Omit<Choice, 'page'>): number =>
  [group, state, search, day].filter((value) => value !== undefined).length + (mode === 'real' ? 0 : 1);

interface FiltersProps {
  readonly choice: Omit<Choice, 'page'>;
  readonly groups: Props['groups'];
  readonly onChange: (values: Partial<Record<'group' | 'mode' | 'state' | 'search', string>>) => void;
}

const STATE_CHOICES = [
  { value: '', label: messages.open },
  ...(['pending', 'held', 'missed', 'refused', 'waiting', 'sent', 'cancelled'] as const).map((value) => ({
    value,
    label: messages.states[value],
  })),
  { value: 'all', label: messages.all },
];
const MODE_CHOICES = RUN_MODES.map((value) => ({ value, label: messages.modes[value] }));

function Filters({ choice, groups, onChange }: FiltersProps) {
  const groupChoices = [
    { value: '', label: messages.all },
    ...groups.map(({ id, group_name }) => ({ value: String(id), label: group_name })),
  ];
  const chosen = [
    ...choiceOf(messages.group, groupChoices, choice.group ?? ''),
    ...choiceOf(messages.mode, MODE_CHOICES, choice.mode, 'real'),
    ...choiceOf(messages.state, STATE_CHOICES, choice.state ?? ''),
    ...searchOf(choice.search),
  ];
  return (
    <FilterBar
      chosen={chosen}
      status={choice.mode === 'real' ? undefined : <span className="note">{messages.countedHelp}</span>}
    >
      <SelectField
        className={styles.group}
        label={messages.group}
        choices={groupChoices}
        value={String(choice.group ?? '')}
        onChange={(group) => onChange({ group })}
      />
      <SelectField
        label={messages.mode}
        choices={MODE_CHOICES}
        value={choice.mode}
        onChange={(mode) => onChange({ mode })}
      />
      <SelectField
        className={styles.state}
        label={messages.state}
        choices={STATE_CHOICES}
        value={choice.state ?? ''}
        onChange={(state) => onChange({ state })}
      />
      <SearchField
        label={messages.search}
        search={choice.search ?? ''}
        onSearch={(search) => onChange({ search: search.trim() })}
      />
    </FilterBar>
  );
}

const NoMatch = ({ onClear }: { readonly onClear: () => void }) => (
  <EmptyState kind="no-match" title={messages.noMatch} help={messages.noMatchHelp}>
    <Button onClick={onClear}>{messages.clear}</Button>
  </EmptyState>
);

const Nothing = ({ onAll }: { readonly onAll: () => void }) => (
  <EmptyState kind="sends" title={messages.empty} help={messages.emptyHelp}>
    <May call="reserve">
      <ButtonLink to={ATTACK_LIST_PATH} variant="primary">
        {messages.openAttackList}
      </ButtonLink>
    </May>
    <Button onClick={onAll}>{messages.showOthers}</Button>
  </EmptyState>
);

/** Returns the facts that the dialog for deleting a reservation shows. */
export const asReservation = ({ id, send_at, test_send_mode, state }: ReservationRow) =>
  ({
    id,
    label: specifiedTime(send_at),
    isTest: test_send_mode === 1,
    isMissed: state === 'missed',
    isHeld: state === 'held',
  }) satisfies Partial<Reservation>;
