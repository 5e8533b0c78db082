/** A worker claims mail for this much send time. Short: after a kill its mails wait for their leases to end. */
const AHEAD_SECONDS = 3;
/** The weight of the latest request in the moving average. */
const LATEST_WEIGHT = 0.2;

interface ClaimAheadLimits {
  /** Connections of this worker. */
  readonly connections: number;
  /** Lower bound of max(), and its value until the first request has ended. */
  readonly least: number;
  /** Upper bound of max(). */
  readonly most: number;
}

export interface ClaimAhead {
  /** Records how long a request took. */
  readonly recordRequest: (seconds: number) => void;
  /** The most claimed mails that may wait for a connection. */
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
