import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import SMTPConnection, { type SMTPConnectionEnvelope, type SMTPEnvelope } from 'nodemailer/lib/smtp-connection';
import { domainOf } from '#domain/address-key.ts';
import { signMessage } from './dkim.ts';
import { ClaimLost, MarkedBody, MarkFailed } from './marked-body.ts';
import { type Outcome, outcomeOfFault, printable, type SmtpFault } from './outcome.ts';
import { connectionOptions, SMTP_TIMES, type SmtpSettings, type SmtpTimes } from './smtp-settings.ts';

export interface Envelope {
  readonly from: string;
  /** The address in the header From, where the envelope has another one. Receivers compare it with the signature. */
  readonly author?: string;
  /** The main recipient, who decides the outcome. The others get copies. */
  readonly to: string;
  readonly bcc: readonly string[];
}

/**
 * One connection at a time to the SMTP server, for one mail at a time. It is opened on first use, kept between mails,
 * and closed after any fault.
 */
export interface SmtpLane {
  /**
   * Sends a mail. A fault before RCPT on a used connection is not the mail's: the mail is retried once, on a fresh
   * connection (docs/decisions/0071).
   */
  send(envelope: Envelope, message: Buffer, mark: () => Promise<boolean>): Promise<Outcome>;
  /** Closes the connection. A mail in progress ends with the outcome of a connection lost at its stage. */
  close(): void;
}

/** Servers prefer short sessions; nodemailer's own pool closes after as many mails. */
const MAILS_PER_CONNECTION = 100;
/** The longest wait for the server's answer to QUIT. */
const QUIT_MS = 1000;

export function smtpLane(settings: SmtpSettings, times: SmtpTimes = SMTP_TIMES): SmtpLane {
  let connection: SMTPConnection | null = null;
  let sent = 0;
  /** Resolves once the old session has closed; it still counts against the sender's limit. */
  let closing: Promise<unknown> = Promise.resolve();
  /** The limits of the mail in progress. */
  let limits: ReturnType<typeof timeLimits> | null = null;

  /** Drops the connection; the next mail opens another. */
  const disconnect = (how: 'quit' | 'close') => {
    if (connection && how === 'quit') closing = endOf(connection);
    connection?.[how]();
    connection = null;
    sent = 0;
  };

  const end = (closed: SMTPConnection) => {
    if (closed === connection) disconnect('close');
  };

  /** @returns null for a fault before RCPT on a used connection, which is not about the mail */
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
      if (sent >= MAILS_PER_CONNECTION) disconnect('quit');
      return outcome;
    } catch (error) {
      // The state of the session is unknown, so the next mail opens a new one.
      disconnect('close');
      if (error instanceof ClaimLost) return { kind: 'claim-lost' };
      if (error instanceof MarkFailed) return { kind: 'unmarked', reply: error.message };
      if (used && !(error instanceof ClosedByUs) && isBeforeRcpt(used, error as SmtpFault)) return null;
      return outcomeOfFault(body.stage, error as SmtpFault, domainOf(envelope.to));
    } finally {
      limits.stop();
      limits = null;
    }
  }

  return {
    close() {
      limits?.cut();
      disconnect('close');
    },
    async send(envelope, composed, mark) {
      const unsendable = [envelope.from, envelope.to, ...envelope.bcc].find((address) => !PLAIN_ADDRESS.test(address));
      if (unsendable !== undefined) return { kind: 'unsendable', reply: NOT_PLAIN };
      let message: Buffer;
      try {
        message = await signMessage(composed, envelope.author ?? envelope.from, settings.dkim ?? null);
      } catch {
        return { kind: 'unsendable', reply: NOT_SIGNED };
      }
      // A second try has a fresh connection, so there is no third one.
      for (;;) {
        const outcome = await sendOnce(envelope, message, mark);
        if (outcome) return outcome;
      }
    },
  };
}

/** Returns whether an attempt ended before the server accepted its MAIL: no answer, or a refusal. */
const isBeforeRcpt = ({ lastServerResponse }: SMTPConnection, { command, response }: SmtpFault): boolean =>
  lastServerResponse === false || (command === 'MAIL FROM' && Boolean(response));

/** Resolves once the server has closed the session, or closes it after QUIT_MS. */
async function endOf(connection: SMTPConnection): Promise<void> {
  const ended = once(connection, 'end').catch(() => undefined);
  await Promise.race([ended, sleep(QUIT_MS, undefined, { ref: false })]);
  connection.close();
}

/**
 * Matches an address that needs no SMTPUTF8. We accept only ASCII addresses (src/domain/mail-address.ts). This refuses
 * one from another source before a server could read it as another person's. The composed message is ASCII too, and so
 * needs no 8BITMIME.
 */
const PLAIN_ADDRESS = /^[\x21-\x7e]+$/;
const NOT_PLAIN = 'メールアドレスに半角英数字と記号以外の文字が含まれています';

/** The key was checked at startup. The error of a later failure could reveal part of it, so it is not shown. */
const NOT_SIGNED =
  'メールにDKIM署名を付けられなかったため、送信しませんでした。管理者に、DKIMの設定を確認するよう依頼してください。';

class ClosedByUs extends Error {
  override readonly message = 'the connection was closed by us';
}

/**
 * Starts the time limits of a mail. `over` rejects when the mail takes too long, up to the 354 or as a whole, and when
 * it is cut off. Its body cannot begin after that.
 */
function timeLimits(body: MarkedBody, { envelopeMs, mailMs }: SmtpTimes) {
  const { promise: over, reject } = Promise.withResolvers<never>();
  const end = (why: Error) => {
    body.destroy();
    // While the mark is pending, the database is slow, not the server.
    reject(body.isMarking ? new MarkFailed(why.message) : why);
  };
  const expire = (what: string) => end(new Error(`no end of ${what} in time`));
  const envelope = setTimeout(() => {
    if (body.stage === 'connecting' || body.stage === 'envelope') expire('the SMTP commands');
  }, envelopeMs);
  const mail = setTimeout(() => expire('the mail'), mailMs);
  // Marks the rejection as handled: nobody may be waiting for it.
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
      // A connection that closed before the greeting is reported here only.
      if (error) return fail(error);
      if (settings.credentials === null) return done(connection);
      connection.login({ ...settings.credentials }, (error) => (error ? fail(error) : done(connection)));
    });
  });
}

type Refusals = SMTPConnectionEnvelope['rejectedErrors'];

/** The envelope passed to nodemailer, which adds each refused recipient with its reply. */
type AskedEnvelope = SMTPEnvelope & { readonly rejectedErrors?: Refusals };

/** Lists each recipient once: a copy to the main recipient would be a second mail to it. */
const envelopeOf = ({ from, to, bcc }: Envelope, size: number): AskedEnvelope => ({
  from,
  to: [...new Set([to, ...bcc])],
  size,
});

/**
 * Returns the refusal of the main recipient; null: it was accepted. nodemailer continues when the server accepts any
 * recipient, and picks one reply when it accepts none; ours decides. A mail accepted for a copy alone must not begin:
 * each retry would send that copy again.
 */
const refusalOf = (to: string, refusals: Refusals = []): Error | null =>
  refusals.find(({ recipient }) => recipient === to) ?? null;

/**
 * Sends one mail.
 * @throws nodemailer's error, or what stopped the body: ClaimLost, MarkFailed, the refusal of the main recipient
 */
function transmit(connection: SMTPConnection, envelope: AskedEnvelope, to: string, body: MarkedBody) {
  return new Promise<Outcome>((done, fail) => {
    let fault: Error | null = null;
    body.once('error', (error) => {
      fault = error;
    });
    connection.send(envelope, body, (error, info) => {
      if (error) return fail(fault ?? refusalOf(to, error.rejectedErrors) ?? error);
      // The rest of the body is still being written, and must not run into the next mail.
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
 * Returns `sent`, with the refused copies in its reply. The main recipient was accepted, so every refusal is of a copy.
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
