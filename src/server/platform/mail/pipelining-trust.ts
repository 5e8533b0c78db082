/**
 * What a mail server has shown of its pipelining (RFC 2920), for all connections to it. A server may offer it and break
 * it: lose what follows a final dot, or close the connection there.
 */
export interface PipeliningTrust {
  /** Whether MAIL, RCPT and DATA may leave together. */
  readonly allowsEnvelope: () => boolean;
  /** Its replies were out of step: from now on each command waits for the last one's reply. */
  readonly refuseEnvelope: () => void;
  /** Whether the next envelope may leave with the final dot of a mail. */
  readonly allowsAhead: () => boolean;
  /** An envelope leaves ahead. Each is followed by one of the three below. */
  readonly beginAhead: () => void;
  /** The server accepted its MAIL. */
  readonly acceptAhead: () => void;
  /** It was lost or refused. */
  readonly failAhead: () => void;
  /** We dropped it. */
  readonly dropAhead: () => void;
}

/** So many failed trials in a row end the trials. */
const TRIALS_MAX = 2;
/** Servers are repaired and replaced: they are tried again. */
const REST_MS = 24 * 60 * 60_000;

/**
 * Tries each server with one envelope ahead at a time, until one was accepted. A server that closes the connection at
 * one leaves the mail before it in doubt: so few of them.
 * @param now milliseconds of a monotonic clock
 */
export function pipeliningTrust(now: () => number = () => performance.now()): PipeliningTrust {
  let isInStep = true;
  let ahead: 'untried' | 'trying' | 'proven' = 'untried';
  let failedTrials = 0;
  let restUntil = 0;
  return {
    allowsEnvelope: () => isInStep,
    refuseEnvelope: () => {
      isInStep = false;
    },
    allowsAhead: () => isInStep && ahead !== 'trying' && now() >= restUntil,
    beginAhead: () => {
      if (ahead === 'untried') ahead = 'trying';
    },
    acceptAhead: () => {
      ahead = 'proven';
      failedTrials = 0;
    },
    failAhead: () => {
      if (ahead === 'trying') failedTrials += 1;
      ahead = 'untried';
      if (failedTrials < TRIALS_MAX) return;
      failedTrials = 0;
      restUntil = now() + REST_MS;
    },
    dropAhead: () => {
      if (ahead === 'trying') ahead = 'untried';
    },
  };
}
