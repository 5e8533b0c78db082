import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { connectionOptions, type SmtpSettings, type SmtpTimes } from './settings.ts';

/**
 * An open SMTP connection whose mail transactions are ours. nodemailer connects, starts TLS, greets and logs in; after
 * that it only watches the socket for errors, silence and its end.
 */
export interface SmtpSession {
  /** Whether the server takes commands before it has answered the last ones (RFC 2920). */
  readonly pipelining: boolean;
  /** The largest message in bytes (RFC 1870); 0: no limit is named; null: the server knows no SIZE. */
  readonly size: number | null;
  /**
   * Writes to the server at once.
   * @param replies how many replies the server owes for it
   * @returns false: wait for drained() before the next write
   */
  write(data: string | Buffer, replies: number): boolean;
  drained(): Promise<void>;
  /** Returns the next reply that the server owes: its lines, joined by \n. @throws when the session has ended before */
  reply(): Promise<string>;
  /** Rejects when the session ends, with the reason. */
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
export function openSession(settings: SmtpSettings, times: SmtpTimes, over: Promise<never>): Promise<SmtpSession> {
  const connection = new SMTPConnection(connectionOptions(settings, times));
  return new Promise((done, fail) => {
    over.catch((error) => {
      fail(error);
      connection.close();
    });
    connection.on('error', fail);
    connection.once('end', () => fail(new Error('The server closed the connection')));
    connection.connect((error) => {
      // A connection that closed before the greeting is reported here only.
      if (error) return fail(error);
      const greeting = connection.lastServerResponse || '';
      const begin = () => done(sessionOf(connection, greeting));
      if (settings.credentials === null) return begin();
      connection.login({ ...settings.credentials }, (error) => (error ? fail(error) : begin()));
    });
  });
}

/**
 * Takes the socket over from nodemailer, in the same turn of the event loop as the last reply that nodemailer reads.
 * @param ehlo the server's reply to EHLO
 */
function sessionOf(connection: SMTPConnection, ehlo: string): SmtpSession {
  const socket = connection._socket as Socket;
  const ended = Promise.withResolvers<never>();
  // Marks the rejection as handled: nobody may be waiting for it.
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
    // RFC 5321 3.8: 421 at any time. Any other reply that nobody asked for: the dialogue is out of step.
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

/** Joins the chunks of a connection to replies of one or more lines. */
function replyReader(onReply: (reply: string) => void, fail: (error: Error) => void) {
  /** The line that is being received, and the lines of its reply before it, each with its \n. */
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
    /** Returns a refusal whose line break the server did not send before it closed the connection. */
    lastWords: (): Error | null =>
      /^[45]\d\d[ -]/.test(before + line) ? faultOf('CONN', decoded((before + line).trim())) : null,
  };
}

/** Returns a reply, received as latin1, as the UTF-8 that it may be. */
function decoded(reply: string): string {
  if (/^[\0-\x7f]*$/.test(reply)) return reply;
  const text = Buffer.from(reply, 'latin1').toString('utf8');
  return text.includes('\ufffd') ? reply : text;
}

/** Makes the error of a reply. @param command after which it came */
export const faultOf = (command: string, response: string, message = `${command} was refused`): Error =>
  Object.assign(new Error(message), {
    command,
    response,
    responseCode: Number.parseInt(response, 10) || undefined,
  });
