import type { Run } from '#contract/runs.ts';
import { parseDateTime } from '#domain/time/tokyo-time.ts';
import { MINUTE_MS } from '#domain/time-units.ts';
import { RUN_CHIP_MESSAGES } from './words.ts';

/**
 * Returns the time left until the end of a run, in whole minutes; '' if it is unknown.
 *
 * @param now epoch milliseconds
 */
export function timeLeft({ finished, paused_by, estimated_end_at }: Run, now: number): string {
  const end = finished || paused_by !== null || estimated_end_at === null ? null : parseDateTime(estimated_end_at);
  if (end === null) return '';
  const minutes = Math.max(1, Math.ceil((end - now) / MINUTE_MS));
  const { minutesLeft, hoursLeft } = RUN_CHIP_MESSAGES;
  return minutes < 60 ? minutesLeft(minutes) : hoursLeft(Math.floor(minutes / 60), minutes % 60);
}
