import { lazy, useCallback, useState } from 'react';
import { Segmented } from '#web/components/field/segmented.tsx';
import { PageFrame } from '#web/components/page-frame.tsx';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import { AllReservations, asReservation } from '#web/features/reservations/all-reservations.tsx';
import type { Landed } from '#web/features/reservations/calendar/calendar.tsx';
import DeleteDialog from '#web/features/reservations/delete-dialog.tsx';
import type { ReservationRow } from '#web/features/reservations/reservation-queries.ts';
import { ALL_RESERVATIONS_MESSAGES } from '#web/features/reservations/words.ts';
import { BelowRestored } from '#web/features/send-logs/restored/below-restored.tsx';
import { useOptionalGroups } from '#web/features/senders/use-current-sender.ts';
import { RESERVATIONS, readId, reservationsPath } from '#web/lib/address/params.ts';
import { useAddress } from '#web/lib/address/use-address.ts';
import { queryClient } from '#web/lib/api/query-client.ts';
import { reloadLists } from '#web/lib/api/reload-lists.ts';
import { useNavigate, useParams } from '#web/lib/router/use-router.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';
import { NotFound } from './not-found.tsx';

const Calendar = lazy(() => loadPart(() => import('#web/features/reservations/calendar/calendar.tsx')));

const OneReservation = lazy(() => loadPart(() => import('./one-reservation.tsx')));

const VIEWS = (['list', 'calendar'] as const).map((value) => ({
  value,
  label: ALL_RESERVATIONS_MESSAGES.views[value],
}));

/** A reservation that the user wants to move. `to` is in epoch milliseconds. */
interface Move {
  readonly id: number;
  readonly sendAt: number;
}

/** Shows all reservations, and the one of the address in a dialog above the list. */
export function Component() {
  const { id: written } = useParams();
  const id = readId(written);
  const navigate = useNavigate();
  const [choice, change] = useAddress(RESERVATIONS);
  const groups = useOptionalGroups();
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
      <BelowRestored>
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
      </BelowRestored>
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
        <PartBoundary>
          <OneReservation
            key={id}
            id={id}
            moveTo={move?.id === id ? move.sendAt : undefined}
            onClose={() => setMove(undefined)}
            onMoved={setLanded}
          />
        </PartBoundary>
      )}
    </PageFrame>
  );
}
