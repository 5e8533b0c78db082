import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ProspectSort } from '#contract/companies/prospects-filter.ts';
import { ButtonLink } from '#web/components/inline/button-link.tsx';
import { Matches, useTotalOfList } from '#web/components/inline/matches.tsx';
import { EmptyState } from '#web/components/state/empty-state.tsx';
import { LoadFailed } from '#web/components/state/load-failed.tsx';
import { useProspectList } from '#web/features/prospects/column-layout.ts';
import type { CompanyLinks } from '#web/features/prospects/company-name.tsx';
import { prospectColumns } from '#web/features/prospects/prospect-columns.tsx';
import { ProspectTable } from '#web/features/prospects/prospect-table.tsx';
import { SortSelect } from '#web/features/prospects/sort-select.tsx';
import type { ProspectQuery } from '#web/features/prospects/view-prospects.ts';
import { reservationList } from '#web/features/reservations/list-reservations.ts';
import { markTests } from '#web/features/reservations/reservation-columns.tsx';
import { ReservationToolbar } from '#web/features/reservations/reservation-toolbar.tsx';
import { UnsentReservations } from '#web/features/reservations/unsent-reservations.tsx';
import { ALL_RESERVATIONS_MESSAGES, RESERVATION_MESSAGES } from '#web/features/reservations/words.ts';
import type { Sender } from '#web/features/senders/list-senders.ts';
import { ATTACK_LIST_PATH } from '#web/lib/address/paths.ts';
import { usePageOf } from '#web/lib/address/use-address.ts';
import { usePaging } from '#web/lib/screen/paging-state.ts';
import { May } from '#web/lib/session/use-may.ts';

interface Props {
  /** Group, filters and order of the list. */
  readonly base: ProspectQuery;
  readonly sender: Sender;
  /** The id in the address; undefined also for a reservation that is no longer pending. */
  readonly reservation: number | undefined;
  readonly onReservation: (id: number | undefined) => void;
  /** The page in the address. */
  readonly page: number;
  readonly onPage: (page: number) => void;
  readonly sort: ProspectSort;
  readonly onSort: (sort: ProspectSort) => void;
  readonly links: CompanyLinks;
  /** Called when a reservation was deleted or is no longer pending. */
  readonly onChanged: () => void;
}

/** Lists the companies of one reservation, or of all reservations of a sender. */
export function ReservationTab(props: Props) {
  const { base, sender, reservation, onReservation, onPage, sort, onSort, links, onChanged } = props;
  const reservations = useQuery(reservationList(sender.id));
  const chosen = reservations.data?.find(({ id }) => id === reservation);
  const query: ProspectQuery = {
    ...base,
    sender_id: sender.id,
    reservation_id: reservations.data === undefined ? reservation : chosen?.id,
    pagenate_count: usePaging((state) => state.pagenate_count),
  };
  const paged = { ...query, pagenate_num: usePageOf(JSON.stringify(query), props.page, onPage) };
  const list = useProspectList(paged);
  useTotalOfList(list.data?.total, list.isPlaceholderData);

  const groupId = Number(base.sender_group_id);
  const columns = useMemo(
    () => markTests(prospectColumns(groupId, links), reservations.data),
    [groupId, links, reservations.data],
  );

  const failed = [reservations, list].filter(({ isError, data }) => isError && data === undefined);
  return (
    <div className="fill">
      <ReservationToolbar
        groupId={groupId}
        reservations={reservations.data}
        chosen={chosen}
        isChosenLoading={reservation !== undefined && reservations.isPending}
        onChoose={onReservation}
        subject={sender.subject}
        onGone={() => {
          onReservation(undefined);
          onChanged();
        }}
      >
        <Matches total={list.data?.total} failed={list.isError} />
        <SortSelect sort={sort} onSort={onSort} />
      </ReservationToolbar>
      <UnsentReservations reservations={reservations.isPending ? undefined : (reservations.data ?? [])} />
      {failed.length > 0 ? (
        <LoadFailed
          what={RESERVATION_MESSAGES.list}
          error={failed[0]?.error ?? null}
          onRetry={() => failed.forEach(({ refetch }) => void refetch())}
        />
      ) : (
        <ProspectTable
          label={RESERVATION_MESSAGES.list}
          query={paged}
          list={list}
          columns={columns}
          sort={sort}
          onSort={onSort}
          onPage={onPage}
          empty={reservations.data && <Empty isNothingReserved={reservations.data.length === 0} />}
        />
      )}
    </div>
  );
}

function Empty({ isNothingReserved }: { readonly isNothingReserved: boolean }) {
  const { empty, emptyHelp, noMatch, noMatchHelp } = RESERVATION_MESSAGES;
  return (
    <EmptyState
      kind={isNothingReserved ? 'sends' : 'no-match'}
      title={isNothingReserved ? empty : noMatch}
      help={isNothingReserved ? emptyHelp : noMatchHelp}
    >
      {isNothingReserved ? (
        <May call="reserve">
          <ButtonLink to={ATTACK_LIST_PATH} variant="primary">
            {ALL_RESERVATIONS_MESSAGES.openAttackList}
          </ButtonLink>
        </May>
      ) : null}
    </EmptyState>
  );
}
