import type { Run } from '#contract/sending.ts';
import { parseDateTime } from '#domain/tokyo-time.ts';
import { minuteWithWeekday } from '#web/lib/with-weekday.ts';
import { HISTORY_MESSAGES, RUN_STRIP_MESSAGES } from './words.ts';

const { states, noEstimate, notBefore } = HISTORY_MESSAGES;

/** What a run is doing, in a word or two. */
export function runState({
  finished,
  paused_by,
  database_rewound,
  put_off_until,
  transport_paused_until,
}: Run): string {
  if (finished) return states.finished;
  if (paused_by === 'sender_refused') return states.refused;
  if (paused_by === 'user') return states.paused;
  if (database_rewound) return states.rewound;
  if (put_off_until !== null) return states.putOff;
  return transport_paused_until === null ? states.sending : states.transport;
}

/** Whether mails of the run leave: it waits for nothing and nobody. */
export const isSending = (run: Run): boolean => runState(run) === states.sending;

/** Mails that are still to be decided. */
export const openMails = ({ queued, sending }: Run): number => queued + sending;

/** The estimated end of a run; blank if it has ended or a person must resume it. */
export function estimatedEnd({ finished, paused_by, database_rewound, put_off_until, estimated_end_at }: Run): string {
  if (finished || paused_by !== null || database_rewound) return '';
  if (estimated_end_at !== null) return minuteWithWeekday(estimated_end_at);
  return put_off_until === null ? noEstimate : notBefore(minuteWithWeekday(put_off_until));
}

const MINUTE_MS = 60_000;

/** How long it will take until its end, in whole minutes; blank where nobody knows. @param now epoch milliseconds */
export function timeLeft({ finished, paused_by, estimated_end_at }: Run, now: number): string {
  const end = finished || paused_by !== null || estimated_end_at === null ? null : parseDateTime(estimated_end_at);
  if (end === null) return '';
  const minutes = Math.max(1, Math.ceil((end - now) / MINUTE_MS));
  const { minutesLeft, hoursLeft } = RUN_STRIP_MESSAGES;
  return minutes < 60 ? minutesLeft(minutes) : hoursLeft(Math.floor(minutes / 60), minutes % 60);
}
