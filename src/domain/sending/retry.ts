/** Minutes to wait after the first, second, … deferral (4xx); one more deferral fails the mail. */
const DEFERRAL_MINUTES = [1, 5, 15, 60, 240];
/** Wait after a try in which the server was not reached or refused the sender. */
const TRANSPORT_DELAY_SECONDS = 30;
/** The first and the longest pause of the transport; each is twice as long as the one before. */
const FIRST_PAUSE_SECONDS = 30;
const PAUSE_SECONDS_MAX = 600;
/** Share by which a wait is shortened or lengthened. */
const JITTER = 0.2;

/**
 * Seconds until the next try of a mail that was deferred for the `attempts`-th time; null: no further try.
 * @param random 0 ≤ random < 1; spreads mails that failed together
 */
export function retryAfterSeconds(attempts: number, random: number): number | null {
  const minutes = DEFERRAL_MINUTES[attempts - 1];
  return minutes === undefined ? null : spread(minutes * 60, random);
}

export const transportRetrySeconds = (random: number): number => spread(TRANSPORT_DELAY_SECONDS, random);

/** Seconds of the transport's next pause, after `pauses` pauses in a row without an answer. */
export const pauseSeconds = (pauses: number, random: number): number =>
  spread(Math.min(FIRST_PAUSE_SECONDS * 2 ** pauses, PAUSE_SECONDS_MAX), random);

const spread = (seconds: number, random: number): number => Math.round(seconds * (1 - JITTER + 2 * JITTER * random));
