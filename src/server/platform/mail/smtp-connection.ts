import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import SMTPConnection, { type SMTPConnectionEnvelope, type SMTPEnvelope } from 'nodemailer/lib/smtp-connection';
import { signMessage } from './dkim.ts';
import { ClaimLost, MarkedBody, MarkFailed } from './marked-body.ts';
import { type Outcome, outcomeOfFault, printable, type SmtpFault } from './outcome.ts';
import { connectionOptions, SMTP_TIMES, type SmtpSettings, type SmtpTimes } from './smtp-settings.ts';

export interface Envelope {
  readonly from: string;
  /** Decides the outcome; the others are copies. */
  readonly to: string;
  readonly bcc: readonly string[];
}

/**
 * One lane to the SMTP server: opened when first used, kept between mails, closed after any fault. One mail at a time.
 */
export interface SmtpLane {
  /**
   * Sends a mail. A fault of a connection that has served others, before RCPT, is not the mail's: it goes once more, on
   * a fresh one (docs/decisions/0071).
   */
  send(envelope: Envelope, message: Buffer, mark: () => Promise<boolean>): Promise<Outcome>;
  /** Ends a mail that is under way too, wherever it is: its outcome is that of a link lost there. */
  close(): void;
}

/** Servers like sessions to end: nodemailer's own pool closes after as many. */
const MAILS_PER_CONNECTION = 100;
/** A server may take so long over QUIT. */
const QUIT_MS = 1000;

export function smtpLane(settings: SmtpSettings, times: SmtpTimes = SMTP_TIMES): SmtpLane {
  let connection: SMTPConnection | null = null;
  let sent = 0;
  /** Resolves once the old session has closed; it still counts against the sender's limit. */
  let closing: Promise<unknown> = Promise.resolve();
  /** Of the mail that is under way. */
  let limits: ReturnType<typeof timeLimits> | null = null;

  /** Gives the connection up; the next mail opens another. */
  const leave = (how: 'quit' | 'close') => {
    if (connection && how === 'quit') closing = endOf(connection);
    connection?.[how]();
    connection = null;
    sent = 0;
  };

  const end = (closed: SMTPConnection) => {
    if (closed === connection) leave('close');
  };

  /** @returns null where the fault says nothing of the mail: its connection was a used one, and ended before RCPT */
  async function sendOnce(envelope: Envelope, message: Buffer, mark: () => Promise<boolean>): Promise<Outcome | null> {
    const asked = envelopeOf(envelope, message.length);
    const body = new MarkedBody(message, mark, () => refusalOf(envelope.to, asked.rejectedErrors));
    const used = sent > 0 ? connection : null;
    limits = timeLimits(body, times);
    const { over } = limits;
    try {
      await Promise.race([closing, over]);
      connection ??= await open(settings, times, end, over);
      body.stage = 'envelope';
      connection.lastServerResponse = false;
      const outcome = await Promise.race([transmit(connection, asked, envelope.to, body), over]);
      sent += 1;
      if (sent >= MAILS_PER_CONNECTION) leave('quit');
      return outcome;
    } catch (error) {
      // Whatever state the session is in now, the next mail starts a new one.
      leave('close');
      if (error instanceof ClaimLost) return { kind: 'claim-lost' };
      if (error instanceof MarkFailed) return { kind: 'unmarked', reply: error.message };
      if (used && !(error instanceof ClosedByUs) && isBeforeRcpt(used, error as SmtpFault)) return null;
      return outcomeOfFault(body.stage, error as SmtpFault);
    } finally {
      limits.stop();
      limits = null;
    }
  }

  return {
    close() {
      limits?.cut();
      leave('close');
    },
    async send(envelope, composed, mark) {
      const unsendable = [envelope.from, envelope.to, ...envelope.bcc].find((address) => !PLAIN_ADDRESS.test(address));
      if (unsendable !== undefined) return { kind: 'unsendable', reply: NOT_PLAIN };
      let message: Buffer;
      try {
        message = await signMessage(composed, envelope.from, settings.dkim ?? null);
      } catch {
        return { kind: 'unsendable', reply: NOT_SIGNED };
      }
      // A fresh connection is not a used one: there is no third try.
      for (;;) {
        const outcome = await sendOnce(envelope, message, mark);
        if (outcome) return outcome;
      }
    },
  };
}

/** Whether a try ended before the server had taken its MAIL: it answered nothing, or refused it. */
const isBeforeRcpt = ({ lastServerResponse }: SMTPConnection, { command, response }: SmtpFault): boolean =>
  lastServerResponse === false || (command === 'MAIL FROM' && Boolean(response));

/** Resolves when the server or, after a while, we have closed it. */
async function endOf(connection: SMTPConnection): Promise<void> {
  const ended = once(connection, 'end').catch(() => undefined);
  await Promise.race([ended, sleep(QUIT_MS, undefined, { ref: false })]);
  connection.close();
}

/**
 * The addresses we take are ASCII (src/domain/mail-address.ts), so that no server needs SMTPUTF8; one that came in on
 * another way is told before a server reads it as somebody else's. The composed message is ASCII too, and so needs no
 * 8BITMIME.
 */
const PLAIN_ADDRESS = /^[\x21-\x7e]+$/;
const NOT_PLAIN = 'メールアドレスに半角英数字と記号以外の文字が含まれています';

/** The key was looked at when the program started; what went wrong now could say something of it. */
const NOT_SIGNED =
  'メールにDKIM署名を付けられなかったため、送信しませんでした。管理者に、DKIMの設定を確認するよう依頼してください。';

class ClosedByUs extends Error {
  override readonly message = 'the connection was closed by us';
}

/**
 * `over` rejects when a mail has taken too long, up to the 354 or as a whole, and when it is cut off. Its body begins
 * no more after that.
 */
function timeLimits(body: MarkedBody, { envelopeMs, mailMs }: SmtpTimes) {
  const { promise: over, reject } = Promise.withResolvers<never>();
  const end = (why: Error) => {
    body.destroy();
    // Then it is not the server that is slow.
    reject(body.isMarking ? new MarkFailed(why.message) : why);
  };
  const expire = (what: string) => end(new Error(`no end of ${what} in time`));
  const envelope = setTimeout(() => {
    if (body.stage === 'connecting' || body.stage === 'envelope') expire('the SMTP commands');
  }, envelopeMs);
  const mail = setTimeout(() => expire('the mail'), mailMs);
  // Whoever waits for it hears of it; nobody may wait any more.
  over.catch(() => undefined);
  return {
    over,
    cut: () => end(new ClosedByUs()),
    stop: () => {
      clearTimeout(envelope);
      clearTimeout(mail);
    },
  };
}

function open(
  settings: SmtpSettings,
  times: SmtpTimes,
  onEnd: (connection: SMTPConnection) => void,
  over: Promise<never>,
): Promise<SMTPConnection> {
  const connection = new SMTPConnection(connectionOptions(settings, times));
  return new Promise((done, fail) => {
    over.catch((error) => {
      fail(error);
      connection.close();
    });
    connection.on('error', fail);
    connection.once('end', () => {
      onEnd(connection);
      fail(new Error('The server closed the connection'));
    });
    connection.connect((error) => {
      // Closed before the greeting: told here alone.
      if (error) return fail(error);
      if (settings.credentials === null) return done(connection);
      connection.login({ ...settings.credentials }, (error) => (error ? fail(error) : done(connection)));
    });
  });
}

type Refusals = SMTPConnectionEnvelope['rejectedErrors'];

/** What nodemailer is asked for; in it it keeps, reply by reply, which recipients were refused. */
type AskedEnvelope = SMTPEnvelope & { readonly rejectedErrors?: Refusals };

/** A copy to the very address the mail goes to would be a second one to it. */
const envelopeOf = ({ from, to, bcc }: Envelope, size: number): AskedEnvelope => ({
  from,
  to: [...new Set([to, ...bcc])],
  size,
});

/**
 * nodemailer goes on where any recipient was taken, and where none was it picks one reply: ours decides. A mail whose
 * copy alone was taken must not begin: every further try would bring that copy again.
 */
const refusalOf = (to: string, refusals: Refusals = []): Error | null =>
  refusals.find(({ recipient }) => recipient === to) ?? null;

/** @throws what nodemailer says, or what stopped the body: ClaimLost, MarkFailed, the refusal of the main recipient */
function transmit(connection: SMTPConnection, envelope: AskedEnvelope, to: string, body: MarkedBody) {
  return new Promise<Outcome>((done, fail) => {
    let fault: Error | null = null;
    body.once('error', (error) => {
      fault = error;
    });
    connection.send(envelope, body, (error, info) => {
      if (error) return fail(fault ?? refusalOf(to, error.rejectedErrors) ?? error);
      // The rest of the body is still under way, and must not run into the next mail.
      if (body.stage !== 'handed-over') return fail(outOfTurn(info.response));
      done(outcomeOfSuccess(info.response, info.rejectedErrors));
    });
  });
}

const outOfTurn = (response: string): Error =>
  Object.assign(new Error('The server answered before the end of the mail'), {
    response,
    responseCode: Number.parseInt(response, 10),
  });

/**
 * The main recipient was taken, so whoever is refused is a copy: the mail is sent, and its owner reads what became of
 * that.
 */
function outcomeOfSuccess(response: string, refusals: Refusals = []): Outcome {
  if (refusals.length === 0) return { kind: 'sent', reply: printable(response) };
  const copies = refusals.map((refusal) => `${refusal.recipient}：${refusal.response ?? refusal.message}`);
  return {
    kind: 'sent',
    reply: printable(`${response}（bccには届きません。${copies.join('、')}）`),
    isCopyRefused: true,
  };
}
