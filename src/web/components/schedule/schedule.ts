import {
  CANDIDATE_FAULT_MESSAGES,
  type CandidateDate,
  type CandidateFault,
  candidateFaults,
  isOver,
} from '#domain/sending/candidate-dates.ts';
import { type TimeFault, timeFault } from '#domain/sending/picker-window.ts';
import { RESERVATION_FAULT_MESSAGES, reservationFault } from '#domain/sending/reservation-window.ts';
import { parseTimeOfDay } from '#domain/time/tokyo-time.ts';
import { SCHEDULE_MESSAGES } from './words.ts';

/** The sending time and the offered dates, computed from the settings at `now` (epoch milliseconds). */
export interface Schedule {
  /** Epoch milliseconds; null: send at once. */
  readonly sendAt: number | null;
  /** null: the mail offers no dates. */
  readonly candidateDates: readonly CandidateDate[] | null;
}

export interface RowFault {
  readonly field: 'date' | 'start' | 'end';
  readonly text: string;
  /** The date is before the sending time. */
  readonly isOver?: true;
}

export interface ScheduleFaults {
  readonly sendAt: string | undefined;
  /** One error or null for each row. */
  readonly candidates: readonly (RowFault | null)[];
}

const FIELDS: Readonly<Record<Exclude<CandidateFault, BadTime>, RowFault['field']>> = {
  bad_date: 'date',
  out_of_window: 'date',
  weekend: 'date',
  overlap: 'start',
  end_not_after_start: 'end',
};

type BadTime = 'bad_time' | TimeFault;
const isBadTime = (fault: CandidateFault): fault is BadTime => ['bad_time', 'hour', 'step'].includes(fault);

function isOffered(time: string): boolean {
  const minute = parseTimeOfDay(time);
  return minute !== null && timeFault(minute) === null;
}

const fieldOf = (fault: CandidateFault, { start_time }: CandidateDate): RowFault['field'] =>
  isBadTime(fault) ? (isOffered(start_time) ? 'end' : 'start') : FIELDS[fault];

export function scheduleFaults({ sendAt, candidateDates }: Schedule, now: number): ScheduleFaults {
  const rows = candidateDates ?? [];
  const fault = sendAt === null ? null : reservationFault(sendAt, now);
  return {
    sendAt: fault === null ? undefined : RESERVATION_FAULT_MESSAGES[fault],
    candidates: candidateFaults(rows, now).map((rowFault, index) => {
      const row = rows[index];
      if (row === undefined) return null;
      if (rowFault !== null) return { field: fieldOf(rowFault, row), text: CANDIDATE_FAULT_MESSAGES[rowFault] };
      // A date before the sending time is useless. The server refuses it too.
      return sendAt !== null && isOver(row, sendAt)
        ? { field: 'date', text: SCHEDULE_MESSAGES.candidateOver, isOver: true }
        : null;
    }),
  };
}

/** Returns the error to report first: that of the reservation time, then that of the first faulty row. */
export const firstScheduleFault = ({ sendAt, candidates }: ScheduleFaults): string | undefined =>
  sendAt ?? candidates.find((row) => row !== null)?.text;
