/** Minutes to wait after the first, second, … deferral (4xx); one more deferral fails the mail. */
const DEFERRAL_MINUTES = [1, 5, 15, 60, 240];
/** The wait after an attempt in which the server was not reached or refused the sender. */
const TRANSPORT_DELAY_SECONDS = 30;
/** The first and the longest pause of the transport. Each is twice as long as the one before. */
const FIRST_PAUSE_SECONDS = 30;
const PAUSE_SECONDS_MAX = 600;
/** The share by which a wait is randomly shortened or lengthened. */
const JITTER = 0.2;

/**
 * Returns the seconds until the retry of a mail after its `attempts`-th deferral; null: no retry.
 * @param random 0 ≤ random < 1; spreads mails that failed together
 */
export function retryAfterSeconds(attempts: number, random: number): number | null {
  const minutes = DEFERRAL_MINUTES[attempts - 1];
  return minutes === undefined ? null : spread(minutes * 60, random);
}

export const transportRetrySeconds = (random: number): number => spread(TRANSPORT_DELAY_SECONDS, random);

/** Returns the seconds of the transport's next pause, after `pauses` consecutive pauses without an answer. */
export const pauseSeconds = (pauses: number, random: number): number =>
  spread(Math.min(FIRST_PAUSE_SECONDS * 2 ** pauses, PAUSE_SECONDS_MAX), random);

const spread = (seconds: number, random: number): number => Math.round(seconds * (1 - JITTER + 2 * JITTER * random));
