/**
 * What a mail server has shown of its pipelining (RFC 2920) and its sessions, for all connections to it. A server may
 * offer pipelining and break it: lose what follows a final dot, or close the connection there, always or now and then.
 * Or it only ends sessions after some mails, which says nothing about its pipelining.
 */
export interface PipeliningTrust {
  /** Whether MAIL, RCPT and DATA may leave together. */
  readonly allowsEnvelope: () => boolean;
  /** Its replies were out of step: from now on each command waits for the last one's reply. */
  readonly refuseEnvelope: () => void;
  /**
   * Whether the next envelope may leave with the final dot of a mail.
   * @param mails of the session, with that one
   */
  readonly allowsAhead: (mails: number) => boolean;
  /** An envelope leaves ahead. */
  readonly beginAhead: () => Ahead;
  /** The server ended a session before it accepted another MAIL, and accepted that one on a fresh connection. */
  readonly endSession: (end: SessionEnd) => void;
  /** The server accepted a MAIL that waited for the reply to the dot before, the `mails`-th of the session. */
  readonly continueSession: (mails: number) => void;
}

/** An envelope that left ahead: one call says what became of it. A drop may follow it, and changes nothing. */
export interface Ahead {
  /** The server accepted it. */
  readonly accept: () => void;
  /** It was lost, or its replies were out of step. */
  readonly lose: () => void;
  /** We dropped it, or its session was over. */
  readonly drop: () => void;
}

export interface SessionEnd {
  /** Mails that the session had served. */
  readonly mails: number;
  /** Whether the next envelope had left ahead. */
  readonly wasAhead: boolean;
}

/** So many losses end sending ahead. */
const LOSSES_MAX = 2;
/** So many accepted envelopes in a row make up for a loss: each saves a round trip, and a loss costs ten seconds. */
const ACCEPTED_FOR_LOSS = 500;
/** Servers are repaired and replaced: they are tried again. */
const REST_MS = 24 * 60 * 60_000;
/** A new connection costs about as many round trips: a shorter session costs more than sending ahead saves in it. */
const SESSION_MAILS_MIN = 10;

/**
 * Tries each server with one envelope ahead at a time, until one was accepted. A server that closes the connection at
 * one leaves the mail before it in doubt: so few of them.
 * @param now milliseconds of a monotonic clock
 */
export function pipeliningTrust(now: () => number = () => performance.now()): PipeliningTrust {
  let isInStep = true;
  let ahead: 'untried' | 'trying' | 'proven' = 'untried';
  /** Losses that count, and what was accepted since the last one. */
  let [losses, accepted] = [0, 0];
  /** All losses so far: an envelope that left before the last one may have been lost with it. */
  let seen = 0;
  let restUntil = 0;
  /** Where the server last ended a session, until another one passes there. */
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
    // Where the last session ended, the next one shows whether the server ends it without an envelope ahead, too.
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
          // A server that stops ends all its connections at once: one loss, not one for each.
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
      // The envelope ahead has ended that session, not a limit of the server.
      if (lastEnd.wasAhead && mails < SESSION_MAILS_MIN) countLoss();
      lastEnd = null;
    },
  };
}
