import { type Calendar, endOfSending } from './sending-hours.ts';

/** The facts for estimating the end of an open run. Instants are in epoch milliseconds. */
export interface RunPace {
  /** The number of mails of its sender's profile due up to and including the run's last mail. */
  readonly ahead: number;
  /** The profile's limit; null: none. */
  readonly mailsPerMinute: number | null;
  /** The number of the run's mails that ended recently, and over how many seconds. */
  readonly recent: { readonly mails: number; readonly seconds: number };
  /** When its last mail becomes due. */
  readonly lastDueAt: number;
  /** Until when the transport is paused; null: not paused. */
  readonly pausedUntil: number | null;
  /** The reserved time of the run; late mails keep to their group's hours. null: not reserved, or a test. */
  readonly reservedFor: number | null;
  /** The calendar of its group; null: a test. */
  readonly calendar: Calendar | null;
}

/**
 * Returns the end of a run at its present pace, in epoch milliseconds; null while the pace is unknown, or if the end is
 * more than OPEN_DAYS_MAX days ahead.
 */
export function estimateEnd(pace: RunPace, now: number): number | null {
  const perSecond = mailsPerSecond(pace);
  if (perSecond === null) return null;
  const { ahead, lastDueAt, pausedUntil, reservedFor, calendar } = pace;
  const start = Math.max(now, pausedUntil ?? 0);
  const end = endOfSending(start, (ahead / perSecond) * 1000, reservedFor, calendar);
  return end === null ? null : Math.max(end, lastDueAt);
}

/** Returns the profile's limit, or the recent pace; null: no mail was sent recently. */
function mailsPerSecond({ mailsPerMinute, recent: { mails, seconds } }: RunPace): number | null {
  if (mailsPerMinute !== null) return mailsPerMinute / 60;
  return mails > 0 && seconds > 0 ? mails / seconds : null;
}
