import { useQuery } from '@tanstack/react-query';
import { dayOf, parseDateTime } from '#domain/time/tokyo-time.ts';
import { endListSource, updateAttackListSettings } from '#web/features/attack-list/attack-list-state.ts';
import type { Landed } from '#web/features/reservations/calendar/calendar.tsx';
import { type Saved, slotsOf } from '#web/features/reservations/one/change-form.ts';
import { ReservationDialog } from '#web/features/reservations/one/reservation-dialog.tsx';
import { CHANGE_MESSAGES } from '#web/features/reservations/one/words.ts';
import { type ReservationDetail, reservationDetail } from '#web/features/reservations/reservation-queries.ts';
import { figuresText } from '#web/features/reservations/reservation-texts.ts';
import { followAccepted } from '#web/features/send-logs/followed/follow-accepted.ts';
import { senderList } from '#web/features/senders/list-senders.ts';
import { selectSender, selectSenderGroup } from '#web/features/senders/senders-state.ts';
import { RESERVATIONS, reservationsPath } from '#web/lib/address/params.ts';
import { ATTACK_LIST_PATH } from '#web/lib/address/paths.ts';
import { useAddress } from '#web/lib/address/use-address.ts';
import { queryClient } from '#web/lib/api/query-client.ts';
import { reloadLists } from '#web/lib/api/reload-lists.ts';
import { useUndoSeconds } from '#web/lib/data/account-rule.ts';
import { companies as companiesOf } from '#web/lib/phrases.ts';
import { useNavigate } from '#web/lib/router/use-router.ts';
import { toast } from '#web/lib/screen/toast.ts';

interface Props {
  readonly id: number;
  /** The time that the form shows first. */
  readonly moveTo: number | undefined;
  readonly onClose: () => void;
  readonly onMoved: (landed: Landed) => void;
}

/** Shows the dialog of one reservation, with the senders of its group. Closing it leads back to the unchanged list. */
export default function OneReservation({ id, moveTo, onClose, onMoved }: Props) {
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
    if (skipped > 0) toast('info', CHANGE_MESSAGES.skipped(companiesOf(skipped)));
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

/** Prepares the attack list, from which companies are added to this reservation. */
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
