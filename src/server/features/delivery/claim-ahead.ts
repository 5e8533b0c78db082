/** A worker claims what its connections send in this time: after a kill these mails wait for their leases to end. */
const AHEAD_SECONDS = 3;
/** Share of the latest request in the moving average. */
const LATEST_WEIGHT = 0.2;

interface ClaimAheadLimits {
  /** Of this worker. */
  readonly connections: number;
  /** The least that is claimed; also the first claim, as no speed is known yet. */
  readonly least: number;
  readonly most: number;
}

export interface ClaimAhead {
  /** Records how long a request took. */
  readonly recordRequest: (seconds: number) => void;
  /** The most mails to hold that have not begun. */
  readonly max: () => number;
}

/** Limits the claimed, unsent mails of a worker by its connections and the duration of its requests. */
export function claimAhead({ connections, least, most }: ClaimAheadLimits): ClaimAhead {
  /** Moving average; null: no request has ended yet. */
  let requestSeconds: number | null = null;
  return {
    recordRequest(seconds) {
      requestSeconds =
        requestSeconds === null ? seconds : (1 - LATEST_WEIGHT) * requestSeconds + LATEST_WEIGHT * seconds;
    },
    max() {
      if (requestSeconds === null) return least;
      const wanted = Math.ceil((connections * AHEAD_SECONDS) / Math.max(requestSeconds, 0.001));
      return Math.min(most, Math.max(least, wanted));
    },
  };
}
