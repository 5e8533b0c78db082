import type { Socket } from 'node:net';
import type { SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection';
import type { DkimKey } from '../dkim.ts';

/** A log-in by password, or by an access token of the provider (XOAUTH2). */
export type Credentials =
  | { readonly user: string; readonly pass: string }
  | { readonly user: string; readonly accessToken: string };

/** The settings of a connection to the SMTP server. */
export interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  /** smtps://: TLS from the first byte. */
  readonly secure: boolean;
  /** Whether STARTTLS is required; false: plain text, whatever the server offers. */
  readonly requireTls: boolean;
  readonly credentials: Credentials | null;
  /** Returns the credentials of a connection that opens now, in place of `credentials`. @throws NoCredentials */
  readonly logIn?: () => Promise<Credentials>;
  /** Opens the connection to a server that a member named (decisions/outbound); absent: nodemailer opens it. */
  readonly connect?: (host: string, port: number) => Promise<Socket>;
  /** Signs the mails of its domain; null: no mail is signed. */
  readonly dkim?: DkimKey | null;
}

/** Nothing can log in now, which is no fault of the server: the mail is queued again. */
export class NoCredentials extends Error {
  override readonly name = 'NoCredentials';
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

export const isLoopback = ({ hostname }: URL): boolean => LOOPBACK.has(hostname);

/** The choices for smtp://. There is no opportunistic mode: an attacker on the path could remove the offer. */
export const STARTTLS = ['required', 'none'] as const;

interface WrittenSmtp {
  readonly SMTP_USER?: string | undefined;
  readonly SMTP_PASSWORD?: string | undefined;
  readonly SMTP_STARTTLS?: (typeof STARTTLS)[number] | undefined;
}

/**
 * Reads SMTP_URL and the settings beside it. By default STARTTLS is required for every machine but this one.
 * @param url smtp://host:port or smtps://…; a user and password in it are percent-encoded
 */
export function readSmtp(url: URL, { SMTP_USER, SMTP_PASSWORD, SMTP_STARTTLS }: WrittenSmtp): SmtpSettings {
  const secure = url.protocol === 'smtps:';
  const credentials = {
    user: SMTP_USER || decodeURIComponent(url.username),
    pass: SMTP_PASSWORD || decodeURIComponent(url.password),
  };
  const startTls = SMTP_STARTTLS ?? (isLoopback(url) ? 'none' : 'required');
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (secure ? 465 : 587),
    secure,
    requireTls: !secure && startTls === 'required',
    credentials: credentials.user === '' ? null : credentials,
  };
}

/** The time limits of an attempt, in milliseconds. */
export interface SmtpTimes {
  /** Connecting, the greeting and TLS together. */
  readonly openMs: number;
  /** From the answer to a mail's final dot to the answer to a MAIL sent with that dot. */
  readonly aheadMs: number;
  /** Everything from the start to the server's 354. */
  readonly envelopeMs: number;
  /** The time without a byte in either direction; the longest wait is for the answer to the final dot. */
  readonly silenceMs: number;
  /** One mail, in total. */
  readonly mailMs: number;
}

/**
 * RFC 5321 4.5.3.2 allows five minutes for a command, and ten for the final dot. A server that takes a minute to greet
 * counts as down. One that does not answer an envelope sent ahead has lost it: the mail takes another connection. The
 * total bounds how long a slow server can hold a connection.
 */
export const SMTP_TIMES: SmtpTimes = {
  openMs: 60_000,
  aheadMs: 10_000,
  envelopeMs: 5 * 60_000,
  silenceMs: 10 * 60_000,
  mailMs: 15 * 60_000,
};

/** Of a mailbox: its server must not hold a lane for long. */
export const BOX_TIMES: SmtpTimes = { ...SMTP_TIMES, openMs: 20_000, envelopeMs: 60_000 };

/** @param connection an open one, which nodemailer uses; absent: it opens one */
export function connectionOptions(
  { host, port, secure, requireTls }: SmtpSettings,
  times: SmtpTimes,
  connection?: Socket,
): SMTPConnectionOptions {
  return {
    ...(connection && { connection }),
    host,
    port,
    secure,
    requireTLS: requireTls,
    // Plain text is either configured, or stays on this machine, where a certificate proves nothing.
    ignoreTLS: !secure && !requireTls,
    connectionTimeout: times.openMs,
    greetingTimeout: times.openMs,
    socketTimeout: times.silenceMs,
    maxResponseSize: 64 * 1024,
  };
}
