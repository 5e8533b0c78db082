import { mayLeaveAt } from '#domain/open-time.ts';

/** Minutes to wait after the first, second, … deferral (4xx); after the last one the mail has failed. */
const DELAYS = [1, 5, 15, 60, 240];
/** Nothing was handed over: the server could not be reached or would not take this sender. */
const TRANSPORT_DELAY_SECONDS = 30;
/** The first pause of a transport, and the longest; each is twice as long as the one before. */
const FIRST_PAUSE_SECONDS = 30;
const LONGEST_PAUSE_SECONDS = 600;
const JITTER = 0.2;

/**
 * Seconds until the next try of a mail deferred for the `attempts`-th time, or null: given up.
 * @param random 0 ≤ random < 1; spreads mails that failed together
 */
export function retryAfterSeconds(attempts: number, random: number): number | null {
  const minutes = DELAYS[attempts - 1];
  return minutes === undefined ? null : spread(minutes * 60, random);
}

/** So many seconds, or more where that is an hour at which a reserved mail may not leave any more. @param now epoch milliseconds */
export const secondsUntilOpen = (seconds: number, now: number, reservedFor: number | null): number =>
  Math.ceil((mayLeaveAt(now + seconds * 1000, reservedFor) - now) / 1000);

export const transportRetrySeconds = (random: number): number => spread(TRANSPORT_DELAY_SECONDS, random);

/** How long a transport rests before it is probed, after `pauses` rests in a row that brought nothing. */
export const pauseSeconds = (pauses: number, random: number): number =>
  spread(Math.min(FIRST_PAUSE_SECONDS * 2 ** pauses, LONGEST_PAUSE_SECONDS), random);

const spread = (seconds: number, random: number): number => Math.round(seconds * (1 - JITTER + 2 * JITTER * random));
