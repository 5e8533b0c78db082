import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import SMTPConnection, { type SMTPConnectionAuth } from 'nodemailer/lib/smtp-connection';
import XOAuth2 from 'nodemailer/lib/xoauth2';
import { type Credentials, connectionOptions, type SmtpSettings, type SmtpTimes } from './settings.ts';

/**
 * An open SMTP connection whose transactions this program runs itself. nodemailer connects, starts TLS, sends EHLO and
 * logs in; afterwards it only watches the socket for errors, silence and its end.
 */
export interface SmtpSession {
  /** Whether the server accepts commands before it has answered earlier ones (RFC 2920). */
  readonly pipelining: boolean;
  /** The largest message in bytes (RFC 1870); 0: no limit is named; null: the server does not support SIZE. */
  readonly size: number | null;
  /**
   * Writes to the server at once.
   * @param replies the number of replies that the server owes for it
   * @returns false: wait for drained() before the next write
   */
  write(data: string | Buffer, replies: number): boolean;
  drained(): Promise<void>;
  /** Returns the next owed reply: its lines, joined by \n. @throws if the session has ended before */
  reply(): Promise<string>;
  /** Rejects with the reason when the session ends. */
  readonly ended: Promise<never>;
  /** Sends QUIT. Resolves once the server has closed the session, or after QUIT_MS. */
  quit(): Promise<void>;
  close(): void;
}

/** The longest wait for the server's answer to QUIT. */
const QUIT_MS = 1000;
/** The most characters of one reply. */
const REPLY_MAX = 64 * 1024;

/** Opens a session. @param over rejects when the attempt must end */
export async function openSession(
  settings: SmtpSettings,
  times: SmtpTimes,
  over: Promise<never>,
): Promise<SmtpSession> {
  const { host, port, logIn } = settings;
  const credentials = logIn ? await Promise.race([logIn(), over]) : settings.credentials;
  const socket = settings.connect && (await connectBefore(over, settings.connect(host, port)));
  const connection = new SMTPConnection(connectionOptions(settings, times, socket));
  return new Promise((done, fail) => {
    over.catch((error) => {
      fail(error);
      connection.close();
    });
    connection.on('error', fail);
    connection.once('end', () => fail(new Error('The server closed the connection')));
    connection.connect((error) => {
      // Only this callback reports a connection that closed before the greeting.
      if (error) return fail(error);
      const greeting = connection.lastServerResponse || '';
      const begin = () => done(sessionOf(connection, greeting));
      if (credentials === null) return begin();
      connection.login(authOf(credentials), (error) => (error ? fail(error) : begin()));
    });
  });
}

/** Returns a socket, or closes it where the attempt ended meanwhile. */
async function connectBefore(over: Promise<never>, opening: Promise<Socket>): Promise<Socket> {
  try {
    return await Promise.race([opening, over]);
  } catch (error) {
    opening.then((socket) => socket.destroy()).catch(() => undefined);
    throw error;
  }
}

/** Returns a log-in as nodemailer takes it. */
function authOf(credentials: Credentials): SMTPConnectionAuth {
  if ('pass' in credentials) return { ...credentials };
  const { user, accessToken } = credentials;
  const oauth2 = new XOAuth2({ user, accessToken });
  // nodemailer asks again after a refusal: without a token it would report its own fault in place of the server's.
  oauth2.getToken = (_isRenewed, callback) => callback(null, accessToken);
  return { user, oauth2 };
}

/**
 * Takes the socket over from nodemailer, in the same turn of the event loop as nodemailer's last reply.
 * @param ehlo the server's reply to EHLO
 */
function sessionOf(connection: SMTPConnection, ehlo: string): SmtpSession {
  const socket = connection._socket as Socket;
  const ended = Promise.withResolvers<never>();
  // Marks the rejection as handled: it may have no other handler.
  ended.promise.catch(() => undefined);
  const unread: string[] = [];
  let owed = 0;
  let failure: Error | null = null;
  let reader: { readonly resolve: (reply: string) => void; readonly reject: (error: Error) => void } | null = null;

  const fail = (error: Error) => {
    if (failure !== null) return;
    failure = error;
    reader?.reject(error);
    ended.reject(error);
    connection.close();
  };
  const lines = replyReader((reply) => {
    // RFC 5321 3.8 permits 421 at any time. Any other unexpected reply means that the dialogue is out of step.
    if (owed === 0) return fail(faultOf('CONN', reply, 'Unexpected Response'));
    owed -= 1;
    if (reader === null) return void unread.push(reply);
    const { resolve } = reader;
    reader = null;
    resolve(reply);
  }, fail);

  socket.removeAllListeners('data');
  socket.on('data', (chunk: Buffer) => failure === null && lines.take(chunk));
  connection.on('error', fail);
  connection.once('end', () => fail(lines.lastWords() ?? new Error('Connection closed unexpectedly')));

  return {
    pipelining: /^250[ -]PIPELINING\s*$/im.test(ehlo),
    size: sizeIn(ehlo),
    write(data, replies) {
      if (failure !== null) throw failure;
      owed += replies;
      return socket.write(data);
    },
    drained: async () => void (await once(socket, 'drain')),
    reply: () =>
      new Promise((resolve, reject) => {
        const reply = unread.shift();
        if (reply !== undefined) return resolve(reply);
        if (failure !== null) return reject(failure);
        reader = { resolve, reject };
      }),
    ended: ended.promise,
    async quit() {
      connection.quit();
      await Promise.race([ended.promise.catch(() => undefined), sleep(QUIT_MS, undefined, { ref: false })]);
      connection.close();
    },
    close: () => fail(new Error('The connection was closed')),
  };
}

function sizeIn(ehlo: string): number | null {
  const offer = /^250[ -]SIZE(?:[ \t]+(\d+))?\s*$/im.exec(ehlo);
  return offer && Number(offer[1] ?? 0);
}

/** Joins the chunks of a connection into replies of one or more lines. */
function replyReader(onReply: (reply: string) => void, fail: (error: Error) => void) {
  /** The line being received, and the earlier lines of its reply, each with its \n. */
  let [line, before] = ['', ''];
  return {
    take(chunk: Buffer): void {
      const read = (line + chunk.toString('latin1')).split('\n');
      line = read.pop() ?? '';
      for (const one of read) {
        const whole = before + one.replace(/\r$/, '');
        before = /^\d+-/.test(one) ? `${whole}\n` : '';
        if (before === '' && whole.trim() !== '') onReply(decoded(whole));
      }
      if (before.length + line.length > REPLY_MAX) fail(new Error('Server response exceeds maximum allowed size'));
    },
    /** Returns a refusal without a line break, sent before the server closed the connection. */
    lastWords: (): Error | null =>
      /^[45]\d\d[ -]/.test(before + line) ? faultOf('CONN', decoded((before + line).trim())) : null,
  };
}

/** Decodes a reply received as latin1, if it is UTF-8. */
function decoded(reply: string): string {
  if (/^[\0-\x7f]*$/.test(reply)) return reply;
  const text = Buffer.from(reply, 'latin1').toString('utf8');
  return text.includes('\ufffd') ? reply : text;
}

/** Makes the error of a reply. @param command the command that it answers */
export const faultOf = (command: string, response: string, message = `${command} was refused`): Error =>
  Object.assign(new Error(message), {
    command,
    response,
    responseCode: Number.parseInt(response, 10) || undefined,
  });
