import {
  CANDIDATE_FAULT_TEXTS,
  type CandidateDate,
  type CandidateFault,
  candidateFaults,
  isOver,
} from '#domain/candidate-dates.ts';
import { defaultSendAt, RESERVATION_FAULT_TEXTS, reservationFault } from '#domain/reservation-window.ts';
import type { AttackListSettings } from '#web/lib/session-store.ts';
import { WORDS } from '#web/lib/words.ts';

/** When the mails leave and what dates they offer, of the settings at `now` (epoch milliseconds). */
export interface Schedule {
  /** Epoch milliseconds; null: at once. */
  readonly sendAt: number | null;
  /** null: none are offered. */
  readonly candidateDates: readonly CandidateDate[] | null;
}

export interface RowFault {
  readonly field: 'date' | 'start' | 'end';
  readonly text: string;
}

export interface ScheduleFaults {
  readonly sendAt: string | undefined;
  /** One a row. */
  readonly candidates: readonly (RowFault | null)[];
}

const FIELDS: Readonly<Record<CandidateFault, RowFault['field']>> = {
  bad_date: 'date',
  out_of_window: 'date',
  weekend: 'date',
  bad_time: 'start',
  hour: 'start',
  step: 'start',
  overlap: 'start',
  end_not_after_start: 'end',
};

export const scheduleOf = (settings: AttackListSettings, now: number): Schedule => ({
  sendAt: settings.is_reservation_mode ? (settings.send_at ?? defaultSendAt(now)) : null,
  candidateDates: settings.has_candidate_dates ? settings.candidate_dates : null,
});

export function scheduleFaults({ sendAt, candidateDates }: Schedule, now: number): ScheduleFaults {
  const rows = candidateDates ?? [];
  const fault = sendAt === null ? null : reservationFault(sendAt, now);
  return {
    sendAt: fault === null ? undefined : RESERVATION_FAULT_TEXTS[fault],
    candidates: candidateFaults(rows, now).map((rowFault, index) => {
      if (rowFault !== null) return { field: FIELDS[rowFault], text: CANDIDATE_FAULT_TEXTS[rowFault] };
      const row = rows[index];
      // Nobody can be met before the mail leaves: the server refuses that too.
      return sendAt !== null && row !== undefined && isOver(row, sendAt)
        ? { field: 'date', text: WORDS.schedule.candidateOver }
        : null;
    }),
  };
}
