import { domainOf } from '#domain/address-key.ts';
import { signMessage } from './dkim.ts';
import { ClaimLost, MarkFailed } from './marked-body.ts';
import { type Outcome, outcomeOfFault, type SmtpFault } from './outcome.ts';
import { type PipeliningTrust, pipeliningTrust } from './pipelining-trust.ts';
import { ClosedByUs, timeLimits } from './smtp-limits.ts';
import { openSession, type SmtpSession } from './smtp-session.ts';
import { SMTP_TIMES, type SmtpSettings, type SmtpTimes } from './smtp-settings.ts';
import { type Attempt, type Envelope, OutOfStep, type SmtpMail, transact } from './smtp-transaction.ts';

/** A composed mail, not signed yet. */
export interface ComposedMail {
  readonly envelope: Envelope;
  readonly message: Buffer;
}

/**
 * One connection at a time to the SMTP server, for one mail at a time. It is opened on first use, kept between mails,
 * and closed after any fault.
 */
export interface SmtpLane {
  /**
   * Sends a mail. A fault before RCPT on a used connection is not the mail's: the mail is retried once, on a fresh
   * connection (docs/decisions/0071).
   * @param next called when the server is ready for the body: the mail that the caller sends next on this lane, or
   *   null. Its envelope may leave with the final dot of this one (docs/decisions/0209); its body never does
   */
  send(
    envelope: Envelope,
    message: Buffer,
    mark: () => Promise<boolean>,
    next?: () => ComposedMail | null,
  ): Promise<Outcome>;
  /** Closes the connection. A mail in progress ends with the outcome of a connection lost at its stage. */
  close(): void;
}

interface LaneState {
  readonly settings: SmtpSettings;
  readonly trust: PipeliningTrust;
  session: SmtpSession | null;
  /** Mails that the session has served. */
  sent: number;
  /** The mail whose envelope left with the last final dot, until its own attempt reads the replies. */
  ahead: SmtpMail | null;
  /** The last mail that `next` returned, signed. */
  following: { readonly composed: Buffer; readonly mail: SmtpMail } | null;
  /** Resolves once the old session has closed; it still counts against the sender's limit. */
  closing: Promise<unknown>;
}

/** Servers prefer short sessions; nodemailer's own pool closes after as many mails. */
const MAILS_PER_CONNECTION = 100;

/** @param trust shared by the lanes to one server */
export function smtpLane(
  settings: SmtpSettings,
  times: SmtpTimes = SMTP_TIMES,
  trust: PipeliningTrust = pipeliningTrust(),
): SmtpLane {
  const lane: LaneState = {
    settings,
    trust,
    session: null,
    sent: 0,
    ahead: null,
    following: null,
    closing: Promise.resolve(),
  };
  /** The limits of the mail in progress. */
  let limits: ReturnType<typeof timeLimits> | null = null;

  const disconnect = (how: 'quit' | 'close') => disconnectLane(lane, how);

  /** @returns null for a fault which is not about the mail: before RCPT on a used connection, or out of step */
  async function sendOnce(
    mail: SmtpMail,
    mark: () => Promise<boolean>,
    next?: () => ComposedMail | null,
  ): Promise<Outcome | null> {
    const attempt = newAttempt();
    const isAhead = lane.ahead === mail;
    if (lane.ahead && !isAhead) disconnect('close');
    const isUsed = lane.session !== null && lane.sent > 0;
    limits = timeLimits(attempt, isAhead, times);
    const { over } = limits;
    try {
      await Promise.race([lane.closing, over]);
      const session = lane.session ?? (await open(lane, times, over));
      lane.session = session;
      attempt.stage = 'envelope';
      if (isTooLarge(session, mail)) return outcomeOfFault('envelope', TOO_LARGE);
      const pipelining = isAhead ? ('ahead' as const) : session.pipelining && trust.allowsEnvelope();
      const onAhead = (ahead: SmtpMail) => {
        lane.ahead = ahead;
        trust.beginAhead();
      };
      const follower = async () => (next ? followerOf(lane, session, next) : null);
      const parts = { session, attempt, mail, pipelining, mark, onAhead, follower };
      const outcome = await Promise.race([transact(parts), over]);
      if (lane.ahead === mail) lane.ahead = null;
      if (session === lane.session) lane.sent += 1;
      if (lane.sent >= MAILS_PER_CONNECTION) disconnect('quit');
      return outcome;
    } catch (error) {
      if (lane.ahead && isAheadLost(attempt, error as SmtpFault, lane.ahead === mail)) trust.failAhead();
      // The state of the session is unknown, so the next mail opens a new one.
      disconnect('close');
      if (error instanceof OutOfStep && !isAhead) trust.refuseEnvelope();
      return outcomeOfError(error as Error, attempt, mail, isUsed);
    } finally {
      if (isAhead && attempt.isReady) trust.acceptAhead();
      limits.stop();
      limits = null;
    }
  }

  return {
    close() {
      limits?.cut();
      disconnect('close');
    },
    async send(envelope, message, mark, next) {
      const { following } = lane;
      lane.following = null;
      const mail = following?.composed === message ? following.mail : await prepared({ envelope, message }, settings);
      if ('kind' in mail) return mail;
      // A second try has a fresh connection, and a third one asks command by command: so there is no fourth.
      for (;;) {
        const outcome = await sendOnce(mail, mark, next);
        if (outcome) return outcome;
      }
    },
  };
}

/** Drops the connection; the next mail opens another. */
function disconnectLane(lane: LaneState, how: 'quit' | 'close'): void {
  const { session, ahead, trust } = lane;
  if (ahead) trust.dropAhead();
  Object.assign(lane, { session: null, sent: 0, ahead: null });
  if (how === 'quit' && session) lane.closing = session.quit();
  else session?.close();
}

async function open(lane: LaneState, times: SmtpTimes, over: Promise<never>): Promise<SmtpSession> {
  const session = await openSession(lane.settings, times, over);
  session.ended.catch(() => {
    if (session !== lane.session) return;
    if (lane.ahead) lane.trust.failAhead();
    disconnectLane(lane, 'close');
  });
  return session;
}

/** Returns the mail whose envelope may leave with the final dot of the present one. */
async function followerOf(
  lane: LaneState,
  session: SmtpSession,
  next: () => ComposedMail | null,
): Promise<SmtpMail | null> {
  const { settings, trust, sent } = lane;
  if (!session.pipelining || !trust.allowsAhead() || sent + 1 >= MAILS_PER_CONNECTION) return null;
  const composed = next();
  const mail = composed && (await prepared(composed, settings));
  if (!mail || 'kind' in mail || isTooLarge(session, mail)) return null;
  lane.following = { composed: composed.message, mail };
  // Another lane may have begun a trial while this mail was signed.
  return trust.allowsAhead() ? mail : null;
}

/** Signs a mail. @returns an outcome for one that no server may be asked about */
async function prepared(
  { envelope, message }: ComposedMail,
  { dkim = null }: SmtpSettings,
): Promise<SmtpMail | Extract<Outcome, { kind: 'unsendable' }>> {
  const addresses = [envelope.from, envelope.to, ...envelope.bcc];
  if (!addresses.every((address) => PLAIN_ADDRESS.test(address))) return { kind: 'unsendable', reply: NOT_PLAIN };
  try {
    return { envelope, message: await signMessage(message, envelope.author ?? envelope.from, dkim) };
  } catch {
    return { kind: 'unsendable', reply: NOT_SIGNED };
  }
}

/** @returns null for a fault which is not about the mail: it is sent at once on a fresh connection */
function outcomeOfError(error: Error, attempt: Attempt, mail: SmtpMail, isUsed: boolean): Outcome | null {
  if (error instanceof ClaimLost) return { kind: 'claim-lost' };
  if (error instanceof MarkFailed) return { kind: 'unmarked', reply: error.message };
  if (error instanceof OutOfStep) return null;
  if (isUsed && !(error instanceof ClosedByUs) && isBeforeRcpt(attempt)) return null;
  return outcomeOfFault(attempt.stage, error, domainOf(mail.envelope.to));
}

const newAttempt = (): Attempt => ({
  stage: 'connecting',
  isMailAccepted: false,
  isReady: false,
  isMarking: false,
  isOver: false,
});

/**
 * Returns whether the fault of a mail speaks against sending ahead: its own envelope was lost, refused at MAIL or out
 * of step, or the connection ended at the final dot that the next envelope left with.
 */
const isAheadLost = ({ isMailAccepted }: Attempt, error: SmtpFault, isItsOwn: boolean): boolean =>
  !(error instanceof ClosedByUs) &&
  (isItsOwn ? !isMailAccepted || error instanceof OutOfStep : error.response === undefined);

/** Returns whether an attempt ended before the server accepted its MAIL: no answer, or a refusal. */
const isBeforeRcpt = ({ stage, isMailAccepted }: Attempt): boolean => stage === 'envelope' && !isMailAccepted;

/**
 * Matches an address that needs no SMTPUTF8, and ends no command. We accept only ASCII addresses
 * (src/domain/mail-address.ts). This refuses one from another source before a server could read it as another person's.
 * The composed message is ASCII too, and so needs no 8BITMIME.
 */
const PLAIN_ADDRESS = /^[\x21-\x3b\x3d\x3f-\x7e]+$/;
const NOT_PLAIN = 'メールアドレスに半角英数字と記号以外の文字が含まれています';

/** The key was checked at startup. The error of a later failure could reveal part of it, so it is not shown. */
const NOT_SIGNED =
  'メールにDKIM署名を付けられなかったため、送信しませんでした。管理者に、DKIMの設定を確認するよう依頼してください。';

/** Returns whether the server would refuse a mail for its size (RFC 1870). */
const isTooLarge = ({ size }: SmtpSession, { message }: SmtpMail): boolean =>
  Boolean(size) && message.length > (size ?? 0);
/** nodemailer's name for a mail that it refuses itself. */
const TOO_LARGE: SmtpFault = { code: 'EMESSAGE', message: 'The message is larger than the server allows' };
