import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { Button } from '#web/components/button.tsx';
import type { Column } from '#web/components/data-table/column.ts';
import { DataTable } from '#web/components/data-table/data-table.tsx';
import { FilterBar } from '#web/components/field/filter-bar.tsx';
import { SearchField } from '#web/components/field/search-field.tsx';
import { SelectField } from '#web/components/field/select-field.tsx';
import { ButtonLink } from '#web/components/inline/button-link.tsx';
import { Chip } from '#web/components/inline/chip.tsx';
import { TestTag } from '#web/components/inline/test-tag.tsx';
import { Pager } from '#web/components/pager.tsx';
import { EmptyState } from '#web/components/state/empty-state.tsx';
import { LoadFailed } from '#web/components/state/load-failed.tsx';
import { useLastPageInstead } from '#web/components/use-last-page-instead.ts';
import { given, RESERVATIONS, RUN_MODES } from '#web/lib/address/params.ts';
import { ATTACK_LIST_PATH } from '#web/lib/address/paths.ts';
import type { Values } from '#web/lib/address/query.ts';
import { useAddress, usePageOf } from '#web/lib/address/use-address.ts';
import { companies, inBrackets, LIST_SEPARATOR, withNote } from '#web/lib/phrases.ts';
import { Link } from '#web/lib/router/link.tsx';
import { setPageSize, usePaging } from '#web/lib/screen/paging-state.ts';
import { dayWithWeekday, minuteWithWeekday, spokenMinute } from '#web/lib/with-weekday.ts';
import styles from './all-reservations.module.css';
import type { Reservation } from './list-reservations.ts';
import { ReservationBadge } from './reservation-badge.tsx';
import { isOpenState, type PageQuery, type ReservationRow, reservationPage } from './reservation-queries.ts';
import { slotsText } from './reservation-texts.ts';
import { ALL_RESERVATIONS_MESSAGES as messages } from './words.ts';

const { columns: header } = messages;

interface Props {
  readonly groups: readonly { readonly id: number; readonly group_name: string }[];
  /** The address of one reservation. */
  readonly pathOf: (id: number) => string;
  readonly onRemove: (row: ReservationRow) => void;
}

/** So many rows fit on a page: there is nothing to choose. */
const FEW = 50;

type Choice = Values<typeof RESERVATIONS>;
const NONE = { group: '', mode: '', state: '', search: '', day: '', page: undefined } as const;

/** Lists the reservations of all groups: by default the real ones that are not sent. */
export function AllReservations({ groups, pathOf, onRemove }: Props) {
  const [{ page: held, ...choice }, change] = useAddress(RESERVATIONS);
  const size = usePaging((state) => state.pagenate_count);
  const goToPage = (page: number) => change({ page });
  const page = usePageOf(String(size), held, goToPage);
  const query: PageQuery = { ...queryOf(choice), pagenate_num: page, pagenate_count: size };
  const { data, isError, error, isPlaceholderData, refetch } = useQuery(reservationPage(query));
  useLastPageInstead(isPlaceholderData ? undefined : data?.total, page, size, goToPage);
  const columns = useMemo(() => columnsOf(pathOf, onRemove), [pathOf, onRemove]);
  if (isError && data === undefined) return <LoadFailed error={error} onRetry={() => void refetch()} />;
  const { sort: id, order = 'asc' } = choice;
  // Conditions say nothing of no rows. The button shows the others, and the fields.
  const isEmpty = data?.total === 0 && !isPlaceholderData && activeOf(choice) === 0;
  return (
    <div className={`fill ${styles.list}`}>
      {isEmpty ? null : (
        <Filters choice={choice} groups={groups} onChange={(values) => change({ ...values, page: undefined })} />
      )}
      {choice.day === undefined ? null : (
        <div className="line">
          <Chip removeName={messages.endDay} onRemove={() => change({ day: undefined, page: undefined })}>
            {messages.ofDay(dayWithWeekday(choice.day))}
          </Chip>
        </div>
      )}
      <DataTable
        label={messages.title}
        columns={columns}
        rows={data?.rows}
        rowId={(row) => row.id}
        busy={isPlaceholderData}
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
      {data?.total === 0 ? null : (
        <Pager
          total={data?.total}
          page={page}
          size={size}
          onPage={goToPage}
          onSize={setPageSize}
          fits={FEW}
          isLoading={isPlaceholderData}
        />
      )}
    </div>
  );
}

function queryOf({ group, mode, state, search, sort, order, day }: Omit<Choice, 'page'>): PageQuery {
  const test_send_mode = mode === 'all' ? undefined : mode === 'test' ? (1 as const) : (0 as const);
  return given({ state, search, sort, order, from: day, to: day, sender_group_id: group, test_send_mode });
}

/** Returns how many conditions are set. */
const activeOf = ({ group, mode, state, search, day }: Omit<Choice, 'page'>): number =>
  [group, state, search, day].filter((value) => value !== undefined).length + (mode === 'real' ? 0 : 1);

interface FiltersProps {
  readonly choice: Omit<Choice, 'page'>;
  readonly groups: Props['groups'];
  readonly onChange: (values: Partial<Record<'group' | 'mode' | 'state' | 'search', string>>) => void;
}

const STATES = ['pending', 'held', 'missed', 'refused', 'waiting', 'sent', 'cancelled'] as const;

function Filters({ choice, groups, onChange }: FiltersProps) {
  return (
    <FilterBar fold={messages.fold(activeOf(choice))}>
      <SelectField
        className={styles.group}
        label={messages.group}
        choices={[
          { value: '', label: messages.allGroups },
          ...groups.map(({ id, group_name }) => ({ value: String(id), label: group_name })),
        ]}
        value={String(choice.group ?? '')}
        onChange={(group) => onChange({ group })}
      />
      <SelectField
        label={messages.mode}
        choices={RUN_MODES.map((value) => ({ value, label: messages.modes[value] }))}
        value={choice.mode}
        onChange={(mode) => onChange({ mode })}
      />
      <SelectField
        className={styles.state}
        label={messages.state}
        choices={[
          { value: '', label: messages.open },
          ...STATES.map((value) => ({ value, label: messages.states[value] })),
          { value: 'all', label: messages.all },
        ]}
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
  <EmptyState kind="none" title={messages.empty} help={messages.emptyHelp}>
    <ButtonLink to={ATTACK_LIST_PATH} variant="primary">
      {messages.openAttackList}
    </ButtonLink>
    <Button onClick={onAll}>{messages.showOthers}</Button>
  </EmptyState>
);

/** What the dialog that deletes a reservation shows of it. */
export const asReservation = ({ id, send_at, test_send_mode, state }: ReservationRow) =>
  ({
    id,
    label: send_at.slice(0, 'YYYY/MM/DD HH:mm'.length),
    isTest: test_send_mode === 1,
    isMissed: state === 'missed',
    isHeld: state === 'held',
  }) satisfies Partial<Reservation>;

/** What a phone shows of a reservation below its subject; a tap shows the rest. */
const cardLine = (pathOf: Props['pathOf']): Column<ReservationRow> => ({
  id: 'card_line',
  header: '',
  width: 0,
  onCard: 'line',
  foldName: ({ sender }) => messages.otherFieldsOf(sender.subject),
  render: (row) => (
    <span className={`line ${styles.cardLine}`}>
      <strong>{spokenMinute(row.send_at)}</strong>
      <span>{companies(row.targets)}</span>
      <span className={`cut ${styles.cardGroup}`}>{row.group.group_name}</span>
      <ReservationBadge state={row.state} />
      {['held', 'missed', 'refused'].includes(row.state) ? <Open row={row} pathOf={pathOf} variant="default" /> : null}
    </span>
  ),
});

/** Widths for a table of 975 px, at a window of 1024 px; what is left goes to the subject. */
const columnsOf = (pathOf: Props['pathOf'], onRemove: Props['onRemove']): readonly Column<ReservationRow>[] => [
  {
    id: 'send_at',
    header: header.send_at,
    width: 136,
    growth: 1.05,
    render: ({ send_at }) => minuteWithWeekday(send_at),
  },
  {
    id: 'subject',
    header: header.subject,
    width: 169,
    growth: 2.5,
    isRowHeader: true,
    onCard: 'head',
    titleOf: ({ sender }) => withNote(sender.subject, sender.template_name),
    render: ({ id, sender, test_send_mode }) => (
      <span className={styles.wraps}>
        {test_send_mode === 1 ? <TestTag /> : null} <Link to={pathOf(id)}>{sender.subject}</Link>
        <span className={styles.template}>{inBrackets(sender.template_name)}</span>
      </span>
    ),
  },
  cardLine(pathOf),
  {
    id: 'group_name',
    header: header.group_name,
    width: 100,
    growth: 1.45,
    render: ({ group }) => <span className={styles.wraps}>{group.group_name}</span>,
    titleOf: ({ group }) => group.group_name,
  },
  {
    id: 'targets',
    header: header.targets,
    width: 80,
    growth: 1.05,
    kind: 'number',
    render: (row) => <Targets row={row} />,
  },
  {
    id: 'candidates',
    header: header.candidates,
    width: 76,
    growth: 1.05,
    kind: 'number',
    titleOf: ({ datetime_list }) => slotsText(datetime_list ?? []),
    render: ({ datetime_list }) => (datetime_list === null ? <span data-none>0</span> : datetime_list.length),
  },
  {
    id: 'member_name',
    header: header.member_name,
    width: 78,
    growth: 1.25,
    render: ({ member_name }) => member_name ?? '',
  },
  {
    id: 'state',
    header: header.state,
    width: 190,
    growth: 1.05,
    titleOf: ({ state, put_off_until }) =>
      put_off_until === null ? messages.states[state] : messages.putOff(spokenMinute(put_off_until)),
    render: ({ state }) => <ReservationBadge state={state} />,
  },
  {
    id: 'acts',
    header: header.acts,
    width: 146,
    growth: 1.15,
    isUnsortable: true,
    render: (row) => <Acts row={row} pathOf={pathOf} onRemove={onRemove} />,
  },
];

function Targets({ row: { targets, leaving } }: { readonly row: ReservationRow }): ReactNode {
  const left = leaving.suppressed + leaving.replied;
  if (left === 0) return targets.toLocaleString('ja-JP');
  const reasons = [
    ...(leaving.suppressed === 0 ? [] : [messages.suppressed(leaving.suppressed)]),
    ...(leaving.replied === 0 ? [] : [messages.replied(leaving.replied)]),
  ].join(LIST_SEPARATOR);
  return (
    <span className={styles.targets} title={messages.leavingTitle(left, reasons)}>
      {targets.toLocaleString('ja-JP')}
      <span>{messages.leaving(left)}</span>
    </span>
  );
}

interface OpenProps extends Pick<Props, 'pathOf'> {
  readonly row: ReservationRow;
  readonly variant: 'quiet' | 'default';
}

const nameOf = (act: string, { sender, send_at }: ReservationRow): string =>
  messages.actOf(act, sender.subject, minuteWithWeekday(send_at));

function Open({ row, pathOf, variant }: OpenProps) {
  const act = messages.acts[row.state] ?? messages.show;
  return (
    <ButtonLink variant={variant} to={pathOf(row.id)} aria-label={nameOf(act, row)}>
      {act}
    </ButtonLink>
  );
}

function Acts({ row, pathOf, onRemove }: Pick<Props, 'pathOf' | 'onRemove'> & { readonly row: ReservationRow }) {
  return (
    <span className={styles.acts}>
      <Open row={row} pathOf={pathOf} variant="quiet" />
      {isOpenState(row.state) ? (
        <Button variant="quiet" aria-label={nameOf(messages.remove, row)} onClick={() => onRemove(row)}>
          {messages.remove}
        </Button>
      ) : null}
    </span>
  );
}
