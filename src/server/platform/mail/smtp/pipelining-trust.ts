/**
 * A mail server's record in pipelining (RFC 2920) and sessions, shared by all connections to it. A server may offer
 * pipelining but break it: it loses what follows a final dot, or closes the connection there, always or sometimes. A
 * server that only ends sessions after some mails is no evidence against pipelining.
 */
export interface PipeliningTrust {
  /** Whether MAIL, RCPT and DATA may be sent together. */
  readonly allowsEnvelope: () => boolean;
  /** Records replies out of step: from now on each command waits for the last one's reply. */
  readonly refuseEnvelope: () => void;
  /** Whether the next envelope may be sent with a mail's final dot. @param mails of the session, including that one */
  readonly allowsAhead: (mails: number) => boolean;
  /** Records that an envelope is sent ahead. */
  readonly beginAhead: () => Ahead;
  /**
   * Records that the server ended a session before it accepted another MAIL, and accepted that one on a fresh
   * connection.
   */
  readonly endSession: (end: SessionEnd) => void;
  /** Records that the server accepted a MAIL sent after the reply to the last dot, the `mails`-th of the session. */
  readonly continueSession: (mails: number) => void;
}

/** An envelope sent ahead. One call reports its result; a later drop changes nothing. */
export interface Ahead {
  /** Reports that the server accepted it. */
  readonly accept: () => void;
  /** Reports that it was lost, or its replies were out of step. */
  readonly lose: () => void;
  /** Reports that we dropped it, or its session was over. */
  readonly drop: () => void;
}

export interface SessionEnd {
  /** Mails sent in the session. */
  readonly mails: number;
  /** Whether the next envelope had been sent ahead. */
  readonly wasAhead: boolean;
}

/** The losses after which no more envelopes are sent ahead. */
const LOSSES_MAX = 2;
/** Consecutive accepted envelopes that cancel a loss: each saves a round trip, and a loss costs ten seconds. */
const ACCEPTED_FOR_LOSS = 500;
/** After this time sending ahead is tried again: servers are repaired and replaced. */
const REST_MS = 24 * 60 * 60_000;
/** A new connection costs about as many round trips, so that a shorter session costs more than sending ahead saves. */
const SESSION_MAILS_MIN = 10;

/**
 * Tries sending one envelope ahead at a time to each server, until one is accepted. A server that closes the connection
 * then leaves the mail before it unknown, so only a few are risked.
 * @param now milliseconds of a monotonic clock
 */
export function pipeliningTrust(now: () => number = () => performance.now()): PipeliningTrust {
  let isInStep = true;
  let ahead: 'untried' | 'trying' | 'proven' = 'untried';
  /** Counted losses, and accepted envelopes since the last one. */
  let [losses, accepted] = [0, 0];
  /** All losses so far. Envelopes sent ahead before the last loss may have been lost together with it. */
  let seen = 0;
  let restUntil = 0;
  /** Where the server last ended a session, until another one continues beyond it. */
  let lastEnd: SessionEnd | null = null;

  function countLoss(): void {
    seen += 1;
    losses += 1;
    accepted = 0;
    if (losses < LOSSES_MAX) return;
    losses = 0;
    restUntil = now() + REST_MS;
  }

  return {
    allowsEnvelope: () => isInStep,
    refuseEnvelope: () => {
      isInStep = false;
    },
    // Where the last session ended, the next one sends no envelope ahead, to show whether the server ends it anyway.
    allowsAhead: (mails) => isInStep && ahead !== 'trying' && now() >= restUntil && lastEnd?.mails !== mails,
    beginAhead() {
      let isTrial = ahead === 'untried';
      if (isTrial) ahead = 'trying';
      const seenBefore = seen;
      return {
        accept: () => {
          isTrial = false;
          ahead = 'proven';
          accepted += 1;
          if (accepted >= ACCEPTED_FOR_LOSS) losses = 0;
        },
        lose: () => {
          isTrial = false;
          ahead = 'untried';
          // A server that stops ends all its connections at once: that is one loss, not one each.
          if (seen === seenBefore) countLoss();
        },
        drop: () => {
          if (isTrial) ahead = 'untried';
          isTrial = false;
        },
      };
    },
    endSession: (end) => {
      lastEnd = end;
    },
    continueSession(mails) {
      if (lastEnd?.mails !== mails) return;
      // The envelope sent ahead has ended that session, not a limit of the server.
      if (lastEnd.wasAhead && mails < SESSION_MAILS_MIN) countLoss();
      lastEnd = null;
    },
  };
}
