/** A worker claims what its connections send in so many seconds: whoever takes over after a kill waits for the leases of these. */
const AHEAD_SECONDS = 3;
/** Share of the latest request in the average. */
const WEIGHT = 0.2;

interface AheadLimits {
  /** Of this worker. */
  readonly connections: number;
  /** Claimed at least; the first claim takes so many, as no speed is known yet. */
  readonly least: number;
  readonly most: number;
}

/** How many mails a worker has claimed and not begun, at most; from its connections and the time its requests take. */
export function claimAhead({ connections, least, most }: AheadLimits) {
  let secondsARequest: number | null = null;
  return {
    /** A request has ended. */
    note(seconds: number): void {
      secondsARequest = secondsARequest === null ? seconds : (1 - WEIGHT) * secondsARequest + WEIGHT * seconds;
    },
    mails(): number {
      if (secondsARequest === null) return least;
      const wanted = Math.ceil((connections * AHEAD_SECONDS) / Math.max(secondsARequest, 0.001));
      return Math.min(most, Math.max(least, wanted));
    },
  };
}
