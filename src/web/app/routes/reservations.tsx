import { useQuery } from '@tanstack/react-query';
import { lazy, useCallback, useState } from 'react';
import { dayOf, parseDateTime } from '#domain/time/tokyo-time.ts';
import { PageFrame } from '#web/components/page-frame.tsx';
import { PartBoundary } from '#web/components/part-boundary.tsx';
import { Segmented } from '#web/components/segmented.tsx';
import { endListSource, updateAttackListSettings } from '#web/features/attack-list/attack-list-state.ts';
import { AllReservations, asReservation } from '#web/features/reservations/all-reservations.tsx';
import type { Landed } from '#web/features/reservations/calendar/calendar.tsx';
import { DeleteDialog } from '#web/features/reservations/delete-dialog.tsx';
import { type Saved, slotsOf } from '#web/features/reservations/one/change-form.ts';
import { ReservationDialog } from '#web/features/reservations/one/reservation-dialog.tsx';
import {
  type ReservationDetail,
  type ReservationRow,
  reservationDetail,
} from '#web/features/reservations/reservation-queries.ts';
import { figuresText } from '#web/features/reservations/reservation-texts.ts';
import { ALL_RESERVATIONS_MESSAGES, CHANGE_MESSAGES } from '#web/features/reservations/words.ts';
import { senderGroupList } from '#web/features/senders/list-sender-groups.ts';
import { senderList } from '#web/features/senders/list-senders.ts';
import { selectSender, selectSenderGroup } from '#web/features/senders/senders-state.ts';
import { useUndoSeconds } from '#web/features/sending-rules/account-rule-query.ts';
import { RESERVATIONS, readId, reservationsPath } from '#web/lib/address/params.ts';
import { ATTACK_LIST_PATH } from '#web/lib/address/paths.ts';
import { useAddress } from '#web/lib/address/use-address.ts';
import { loadPart } from '#web/lib/load-part.ts';
import { queryClient } from '#web/lib/query-client.ts';
import { reloadLists } from '#web/lib/reload-lists.ts';
import { useNavigate, useParams } from '#web/lib/router/use-router.ts';
import { useSession } from '#web/lib/session-store.ts';
import { toast } from '#web/lib/toast.ts';
import { followAccepted } from './follow-accepted.ts';
import { NotFound } from './not-found.tsx';

const Calendar = lazy(() => loadPart(() => import('#web/features/reservations/calendar/calendar.tsx')));

const VIEWS = (['list', 'calendar'] as const).map((value) => ({
  value,
  label: ALL_RESERVATIONS_MESSAGES.views[value],
}));

/** A reservation that is to be moved to another time, epoch milliseconds. */
interface Move {
  readonly id: number;
  readonly sendAt: number;
}

/** All reservations; with an id in the address, one of them in a dialog above the list. */
export function Component() {
  const { id: written } = useParams();
  const id = readId(written);
  const navigate = useNavigate();
  const [choice, change] = useAddress(RESERVATIONS);
  const accountId = useSession((state) => state.current_user?.id);
  const { data: groups = [] } = useQuery({ ...senderGroupList(accountId ?? 0), enabled: accountId !== undefined });
  const [removing, setRemoving] = useState<ReservationRow | null>(null);
  const [move, setMove] = useState<Move>();
  const [landed, setLanded] = useState<Landed>();
  const pathOf = useCallback((row: number) => reservationsPath(choice, row), [choice]);
  if (written !== undefined && id === undefined) return <NotFound />;
  return (
    <PageFrame
      title={ALL_RESERVATIONS_MESSAGES.title}
      guide="reservations"
      tools={
        <Segmented
          label={ALL_RESERVATIONS_MESSAGES.view}
          choices={VIEWS}
          value={choice.view}
          onChange={(view) => change({ view, date: undefined, day: undefined, page: undefined }, { push: true })}
        />
      }
    >
      {choice.view === 'list' ? (
        <AllReservations groups={groups} pathOf={pathOf} onRemove={setRemoving} />
      ) : (
        <PartBoundary waiting={<div className="fill" aria-busy />}>
          <Calendar
            groups={groups}
            pathOf={pathOf}
            onMove={(moved, sendAt) => {
              setMove({ id: moved, sendAt });
              void navigate(pathOf(moved));
            }}
            landed={landed}
            onFound={() => setLanded(undefined)}
          />
        </PartBoundary>
      )}
      {removing === null ? null : (
        <DeleteDialog
          reservation={asReservation(removing)}
          subject={removing.sender.subject}
          onClose={() => setRemoving(null)}
          onGone={() => {
            setRemoving(null);
            reloadLists(queryClient);
          }}
        />
      )}
      {id === undefined ? null : (
        <One
          key={id}
          id={id}
          moveTo={move?.id === id ? move.sendAt : undefined}
          onClose={() => setMove(undefined)}
          onMoved={setLanded}
        />
      )}
    </PageFrame>
  );
}

interface OneProps {
  readonly id: number;
  /** The form begins with this time. */
  readonly moveTo: number | undefined;
  readonly onClose: () => void;
  readonly onMoved: (landed: Landed) => void;
}

/** The dialog of one reservation, with the senders of its group. Closed, it leads back to the list as it was. */
function One({ id, moveTo, onClose, onMoved }: OneProps) {
  const navigate = useNavigate();
  const [choice] = useAddress(RESERVATIONS);
  const { data: detail } = useQuery(reservationDetail(id));
  const groupId = detail?.group.id;
  const { data: senders } = useQuery({ ...senderList(groupId ?? 0), enabled: groupId !== undefined });
  const undoSeconds = useUndoSeconds(detail?.test_send_mode === 0);
  function close(): void {
    onClose();
    void navigate(reservationsPath(choice));
  }

  function saved({ id: now, skipped, form, companies }: Saved): void {
    const figures = figuresText({ sendAt: form.sendAt, companies, dates: slotsOf(form).length });
    const act = { label: CHANGE_MESSAGES.see, run: () => void navigate(reservationsPath(choice, now)) };
    toast('success', now === id ? CHANGE_MESSAGES.saved(figures) : CHANGE_MESSAGES.merged, undefined, act);
    if (moveTo !== undefined) onMoved({ id: now, day: dayOf(form.sendAt) });
    if (skipped > 0) toast('info', CHANGE_MESSAGES.skipped(CHANGE_MESSAGES.companies(skipped)));
    close();
  }

  return (
    <ReservationDialog
      id={id}
      moveTo={moveTo}
      senders={senders}
      onClose={close}
      onSaved={saved}
      onGone={() => {
        reloadLists(queryClient);
        close();
      }}
      undoSeconds={undoSeconds}
      onSent={(run, startsAt) => {
        void followAccepted(run, startsAt);
        close();
      }}
      onAdd={(reservation) => {
        chooseFor(reservation);
        void navigate(ATTACK_LIST_PATH);
      }}
    />
  );
}

/** Prepares the attack list whose reservation adds to this one. */
function chooseFor({ group, sender, send_at, test_send_mode, datetime_list }: ReservationDetail): void {
  selectSenderGroup(group.id);
  selectSender(sender.id);
  endListSource();
  updateAttackListSettings({
    is_reservation_mode: true,
    is_test_mode: test_send_mode === 1,
    send_at: parseDateTime(send_at),
    has_candidate_dates: datetime_list !== null,
    candidate_dates: datetime_list ?? [],
  });
}
