import { useQueryClient } from '@tanstack/react-query';
import type { CandidateDate } from '#domain/sending/candidate-dates.ts';
import { formatSecond, parseDateTime } from '#domain/time/tokyo-time.ts';
import { type ScheduleFaults, scheduleFaults } from '#web/components/schedule/schedule.ts';
import { ApiError, hasCode } from '#web/lib/api/query-client.ts';
import { serverNow } from '#web/lib/api/server-clock.ts';
import { useDraftForm } from '#web/lib/form/draft-form.ts';
import {
  type Change,
  changeReservation,
  type ReservationDetail,
  reloadReservation,
  reservationDetail,
} from '../reservation-queries.ts';

/** A sender of the reservation's group. */
export interface SenderChoice {
  readonly id: number;
  readonly subject: string;
  readonly person_in_charge: string;
}

/** The editable values of a reservation. Lists are strings, so that two drafts can be compared field by field. */
export interface ChangeForm {
  /** Epoch milliseconds. */
  readonly sendAt: number;
  /** JSON of the candidate dates; '': none. */
  readonly candidates: string;
  readonly senderId: number;
  /** The ids of companies to remove, separated by commas. */
  readonly removed: string;
}

export const slotsOf = ({ candidates }: ChangeForm): readonly CandidateDate[] =>
  candidates === '' ? [] : (JSON.parse(candidates) as CandidateDate[]);
export const slotsField = (slots: readonly CandidateDate[]): string =>
  slots.length === 0 ? '' : JSON.stringify(slots);

export const removedOf = ({ removed }: ChangeForm): readonly number[] =>
  removed === '' ? [] : removed.split(',').map(Number);

const formOf = ({ send_at, datetime_list, sender }: ReservationDetail): ChangeForm => ({
  sendAt: parseDateTime(send_at) ?? 0,
  candidates: slotsField(datetime_list ?? []),
  senderId: sender.id,
  removed: '',
});

/** Returns the errors of changed values; stored values are not checked. @param now epoch milliseconds */
export function changeFaults(form: ChangeForm, stored: ChangeForm, now: number): ScheduleFaults {
  const rows = slotsOf(form);
  const known = new Set(slotsOf(stored).map((slot) => JSON.stringify(slot)));
  const found = scheduleFaults({ sendAt: form.sendAt, candidateDates: rows }, now);
  const hasMoved = form.sendAt !== stored.sendAt;
  return {
    sendAt: hasMoved ? found.sendAt : undefined,
    candidates: found.candidates.map((fault, at) =>
      known.has(JSON.stringify(rows[at])) && !(hasMoved && fault?.isOver) ? null : fault,
    ),
  };
}

const FIELDS: Readonly<Record<string, keyof ChangeForm>> = {
  'update_info.send_at': 'sendAt',
  'update_info.datetime_list': 'candidates',
  'update_info.sender_id': 'senderId',
  'update_info.remove_prospect_ids': 'removed',
};

function changeOf(form: ChangeForm, stored: ChangeForm): Change['update_info'] {
  return {
    ...(form.sendAt !== stored.sendAt && { send_at: formatSecond(form.sendAt) }),
    ...(form.candidates !== stored.candidates && {
      datetime_list: form.candidates === '' ? null : [...slotsOf(form)],
    }),
    ...(form.senderId !== stored.senderId && { sender_id: form.senderId }),
    ...(form.removed !== '' && { remove_prospect_ids: [...removedOf(form)] }),
  };
}

/** The codes of refusals that the dialog shows with their remedy. */
const SHOWN = ['reservation_at_that_time', 'reservation_full', 'reservation_started'];

export interface Saved {
  readonly id: number;
  readonly skipped: number;
  readonly form: ChangeForm;
  /** The current number of its companies. */
  readonly companies: number;
}

/** Holds a reservation change as a session draft. `save(true)` merges the two reservations of the same time. */
export function useChangeForm(detail: ReservationDetail, onSaved: (saved: Saved) => void) {
  const client = useQueryClient();
  const stored = formOf(detail);
  const form = useDraftForm<ChangeForm, Saved, boolean>({
    name: `reservation-${detail.id}`,
    stored: { version: String(detail.version), form: stored },
    check: (changed) => {
      const { sendAt, candidates } = changeFaults(changed, stored, serverNow());
      const row = candidates.find((fault) => fault !== null)?.text;
      return { ...(sendAt !== undefined && { sendAt }), ...(row !== undefined && { candidates: row }) };
    },
    send: async (changed, isMerge) => {
      const answer = await changeReservation(detail.id, {
        version: detail.version,
        update_info: changeOf(changed, stored),
        ...(isMerge && { merge: 1 }),
      });
      await reloadReservation(client, detail.id);
      const notThere = answer.skipped?.filter(({ reason }) => reason !== 'not_found') ?? [];
      const now = client.getQueryData(reservationDetail(detail.id).queryKey);
      // Another member may have removed the same companies. After a failed reload the old version is still shown.
      const isNew = now !== undefined && now.version >= (answer.version ?? Number.POSITIVE_INFINITY);
      const companies = isNew ? now.targets : detail.targets - removedOf(changed).length;
      return { id: answer.id ?? detail.id, skipped: notThere.length, form: changed, companies };
    },
    onSaved,
    isConflict: (error) => hasCode(error, 'reservation_changed'),
    reload: () => reloadReservation(client, detail.id),
    fieldOf: (path) => FIELDS[path] ?? path,
    showsItself: (error, isPlaced) => isPlaced || SHOWN.some((code) => hasCode(error, code)),
  });
  return {
    ...form,
    stored,
    change(values: Partial<ChangeForm>): void {
      // At another time or for another sender the existing reservation is a different one, or none.
      const isElsewhere = values.sendAt !== undefined || values.senderId !== undefined;
      const isFewer = values.removed !== undefined;
      const isOver =
        (isElsewhere && hasCode(form.error, 'reservation_at_that_time')) ||
        ((isElsewhere || isFewer) && hasCode(form.error, 'reservation_full')) ||
        !form.isDirty;
      if (isOver) form.forgetProblem();
      form.change(values);
    },
  };
}

/** Returns a detail of a refusal by its path. */
export const detailOf = (error: Error | null, path: string): string | undefined =>
  error instanceof ApiError ? error.failure.details?.find((detail) => detail.path === path)?.message : undefined;
