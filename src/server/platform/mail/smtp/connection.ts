import { fileSize } from '#domain/text/file-size.ts';
import { type ComposedMail, type Envelope, type SignedMail, signMail } from '../compose.ts';
import type { Outcome, SmtpFault } from '../outcome.ts';
import { type AnnouncedSize, announcedSize } from './announced-size.ts';
import { type Attempt, isAheadLost, newAttempt, OutOfStep, outcomeOfError, timeLimits } from './attempt.ts';
import { type Ahead, type PipeliningTrust, pipeliningTrust, type SessionEnd } from './pipelining-trust.ts';
import { openSession, type SmtpSession } from './session.ts';
import { SMTP_TIMES, type SmtpSettings, type SmtpTimes } from './settings.ts';
import { transact } from './transaction.ts';

/** Commits that the body is about to leave. @returns false: the claim is lost */
type CommitMark = () => Promise<boolean>;
type NextMail = () => ComposedMail | null;

/**
 * A lane with at most one SMTP connection, for one mail at a time. It connects on first use, keeps the connection
 * between mails, and closes it after any fault.
 */
export interface SmtpLane {
  /**
   * Sends a mail. A fault before RCPT on a used connection does not concern the mail: it is retried once, on a fresh
   * connection (docs/decisions/lost-connections).
   * @param next called when the server is ready for the body: the mail that the caller sends next on this lane, or
   * null. Its envelope may be sent with the final dot of this one (docs/decisions/lost-connections), but never its body
   */
  send(envelope: Envelope, message: Buffer, mark: CommitMark, next?: NextMail): Promise<Outcome>;
  /** Closes the connection. A mail being sent ends with the outcome of a connection lost at its stage. */
  close(): void;
}

interface LaneState {
  readonly settings: SmtpSettings;
  readonly times: SmtpTimes;
  readonly trust: PipeliningTrust;
  readonly size: AnnouncedSize;
  session: SmtpSession | null;
  /** Mails sent in the session. */
  sent: number;
  /** The mail whose envelope was sent with the last final dot, until its own attempt reads the replies. */
  ahead: { readonly mail: SignedMail; readonly trial: Ahead } | null;
  /** The server ended the last session; reset once a mail was tried on a fresh one. */
  ended: SessionEnd | null;
  /** The mail that `next` last returned, signed. */
  following: { readonly composed: Buffer; readonly mail: SignedMail } | null;
  /** Resolves once the old session has closed; until then it counts towards the sender's limit. */
  closing: Promise<unknown>;
  /** The timeouts of the mail being sent. */
  limits: ReturnType<typeof timeLimits> | null;
}

/** Servers prefer short sessions; nodemailer's own pool closes after as many mails. */
const MAILS_PER_CONNECTION = 100;

/** @param trust like `size`, shared by the lanes to one server */
export function smtpLane(
  settings: SmtpSettings,
  times: SmtpTimes = SMTP_TIMES,
  trust: PipeliningTrust = pipeliningTrust(),
  size: AnnouncedSize = announcedSize(),
): SmtpLane {
  const empty = { session: null, sent: 0, ahead: null, ended: null, following: null, limits: null };
  const lane: LaneState = { settings, times, trust, size, closing: Promise.resolve(), ...empty };
  return {
    close() {
      lane.limits?.cut();
      disconnect(lane, 'close');
    },
    async send(envelope, message, mark, next) {
      const { following } = lane;
      lane.following = null;
      const mail = following?.composed === message ? following.mail : await signMail({ envelope, message }, settings);
      if ('kind' in mail) return mail;
      // A second attempt has a fresh connection, and a third one sends command by command, so no fourth can follow.
      for (;;) {
        const outcome = await sendOnce(lane, mail, mark, next);
        if (outcome) return outcome;
      }
    },
  };
}

/** @returns null for a fault that does not concern the mail: before RCPT on a used connection, or out of step */
async function sendOnce(
  lane: LaneState,
  mail: SignedMail,
  mark: CommitMark,
  next: NextMail | undefined,
): Promise<Outcome | null> {
  const { trust, times, ended } = lane;
  lane.ended = null;
  const attempt = newAttempt();
  const isAhead = lane.ahead?.mail === mail;
  if (lane.ahead && !isAhead) disconnect(lane, 'close');
  const { ahead, sent } = lane;
  const isUsed = lane.session !== null && sent > 0;
  const limits = timeLimits(attempt, isAhead, times);
  lane.limits = limits;
  const onReady = () => {
    ahead?.trial.accept();
    // A server that accepts the mail on a fresh connection was running when it ended the last one.
    if (ended) trust.endSession(ended);
    if (isUsed && !isAhead) trust.continueSession(sent);
  };
  try {
    await Promise.race([lane.closing, limits.over]);
    const session = lane.session ?? (await open(lane, limits.over));
    lane.session = session;
    attempt.stage = 'envelope';
    if (isTooLarge(session, mail)) return tooLarge(session, mail);
    const pipelining: boolean | 'ahead' = isAhead ? 'ahead' : session.pipelining && trust.allowsEnvelope();
    const parts = { session, attempt, mail, pipelining, mark, onReady, ...aheadParts(lane, session, next) };
    const outcome = await Promise.race([transact(parts), limits.over]);
    countSent(lane, session, mail);
    return outcome;
  } catch (error) {
    const isLost = loseAhead(lane, attempt, error as SmtpFault, lane.ahead === ahead);
    const isOutOfStep = error instanceof OutOfStep;
    if (isOutOfStep && !isAhead) trust.refuseEnvelope();
    // The session's state is unknown, so the next mail opens a new one.
    disconnect(lane, 'close');
    const outcome = outcomeOfError(error as Error, attempt, mail.envelope.to, isUsed);
    if (outcome === null && !isLost && !isOutOfStep) lane.ended = { mails: sent, wasAhead: isAhead };
    return outcome;
  } finally {
    limits.stop();
    lane.limits = null;
  }
}

/** Ends the trial of an envelope that left ahead, where the fault speaks against it. @returns whether it does */
function loseAhead({ ahead }: LaneState, attempt: Attempt, fault: SmtpFault, isItsOwn: boolean): boolean {
  const isLost = ahead !== null && isAheadLost(attempt, fault, isItsOwn);
  if (isLost) ahead.trial.lose();
  return isLost;
}

/** Opens a session. If it ends between two mails, the lane disconnects; a mail being sent sees the end itself. */
async function open(lane: LaneState, over: Promise<never>): Promise<SmtpSession> {
  const session = await openSession(lane.settings, lane.times, over);
  lane.size.tell(session.size ?? 0);
  session.ended.catch(() => {
    if (session !== lane.session || lane.limits !== null) return;
    lane.ended = { mails: lane.sent, wasAhead: lane.ahead !== null };
    disconnect(lane, 'close');
  });
  return session;
}

/** Drops the connection. The next mail opens another. */
function disconnect(lane: LaneState, how: 'quit' | 'close'): void {
  const { session, ahead } = lane;
  ahead?.trial.drop();
  Object.assign(lane, { session: null, sent: 0, ahead: null });
  if (how === 'quit' && session) lane.closing = session.quit();
  else session?.close();
}

/** Counts a mail sent in the session. */
function countSent(lane: LaneState, session: SmtpSession, mail: SignedMail): void {
  if (lane.ahead?.mail === mail) lane.ahead = null;
  if (session === lane.session) lane.sent += 1;
  if (lane.sent >= MAILS_PER_CONNECTION) disconnect(lane, 'quit');
}

/** Returns the parts by which the transaction finds the mail whose envelope is sent with this one's final dot. */
const aheadParts = (lane: LaneState, session: SmtpSession, next: NextMail | undefined) => ({
  follower: async () => (next ? followerOf(lane, session, next) : null),
  onAhead: (mail: SignedMail) => {
    lane.ahead = { mail, trial: lane.trust.beginAhead() };
  },
});

/** Returns the mail whose envelope may be sent with this one's final dot. */
async function followerOf(lane: LaneState, session: SmtpSession, next: NextMail): Promise<SignedMail | null> {
  const { settings, trust, sent } = lane;
  if (!session.pipelining || !trust.allowsAhead(sent + 1) || sent + 1 >= MAILS_PER_CONNECTION) return null;
  const composed = next();
  const mail = composed && (await signMail(composed, settings));
  if (!mail || 'kind' in mail || isTooLarge(session, mail)) return null;
  lane.following = { composed: composed.message, mail };
  // Another lane may have started a trial while this mail was signed.
  return trust.allowsAhead(sent + 1) ? mail : null;
}

/** Returns whether the server would refuse a mail for its size (RFC 1870). */
const isTooLarge = ({ size }: SmtpSession, { message }: SignedMail): boolean =>
  Boolean(size) && message.length > (size ?? 0);
const tooLarge = ({ size }: SmtpSession, { message }: SignedMail): Outcome => ({
  kind: 'failed',
  badAddress: false,
  reply:
    `メールが大きすぎるため、送信しませんでした（メールは${fileSize(message.length)}、` +
    `メールサーバーが受け取れるのは${fileSize(size ?? 0)}まで）。本文を短くするか、埋め込んだ画像をリンクに変えてください。`,
});
