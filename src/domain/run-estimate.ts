import { endOfSending } from './open-time.ts';

/** What is known of an open run when its end is estimated. Instants in epoch milliseconds. */
export interface RunPace {
  /** Mails of its sender that are to leave before its last one, and that one. */
  readonly ahead: number;
  /** The limit of its sender; null: none. */
  readonly mailsPerMinute: number | null;
  /** Mails of the run that ended in the last seconds, and how many seconds those are. */
  readonly recent: { readonly mails: number; readonly seconds: number };
  /** Its last mail may not leave before. */
  readonly lastDueAt: number;
  /** The transport rests until then; null: it is open. */
  readonly pausedUntil: number | null;
  /**
   * The time it was reserved for, after which its mails keep to the hours of reservations; null: it was not, or is a
   * test.
   */
  readonly reservedFor: number | null;
}

/**
 * When the run will have ended if all goes on as it does; null while nobody knows how fast that is.
 * @returns epoch milliseconds
 */
export function estimateEnd(
  { ahead, mailsPerMinute, recent, lastDueAt, pausedUntil, reservedFor }: RunPace,
  now: number,
): number | null {
  const measured = recent.mails > 0 && recent.seconds > 0 ? recent.mails / recent.seconds : null;
  const perSecond = mailsPerMinute === null ? measured : mailsPerMinute / 60;
  if (perSecond === null) return null;
  const start = Math.max(now, pausedUntil ?? 0);
  return Math.max(endOfSending(start, (ahead / perSecond) * 1000, reservedFor), lastDueAt);
}
