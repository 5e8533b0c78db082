import type { SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection';
import type { DkimKey } from './dkim.ts';

/** How to reach the SMTP server that takes our mail. */
export interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  /** smtps://: TLS from the first byte. */
  readonly secure: boolean;
  /** smtp:// to another machine: STARTTLS or no mail at all. To this machine plain text is allowed. */
  readonly requireTls: boolean;
  readonly credentials: { readonly user: string; readonly pass: string } | null;
  /** Signs the mails of its domain; none: the server does, or nobody. */
  readonly dkim?: DkimKey | null;
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

export const isLoopback = ({ hostname }: URL): boolean => LOOPBACK.has(hostname);

/** @param url smtp://host:port or smtps://…; a user and password in it are percent-encoded */
export function parseSmtpUrl(url: URL, user = '', pass = ''): SmtpSettings {
  const secure = url.protocol === 'smtps:';
  const credentials = {
    user: user || decodeURIComponent(url.username),
    pass: pass || decodeURIComponent(url.password),
  };
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (secure ? 465 : 587),
    secure,
    requireTls: !secure && !isLoopback(url),
    credentials: credentials.user === '' ? null : credentials,
  };
}

/** How long a try may take, in milliseconds. */
export interface SmtpTimes {
  /** Connecting, the greeting and TLS together. */
  readonly openMs: number;
  /** All from the start up to the server's 354. */
  readonly envelopeMs: number;
  /** Without a byte in either direction; the longest wait is for the answer to the final dot. */
  readonly silenceMs: number;
  /** One mail, whatever happens. */
  readonly mailMs: number;
}

/**
 * RFC 5321 4.5.3.2: five minutes a command, ten for the final dot. A server that takes a minute to greet is as good as none; slow bytes
 * cannot hold a connection for longer than a mail may take.
 */
export const SMTP_TIMES: SmtpTimes = {
  openMs: 60_000,
  envelopeMs: 5 * 60_000,
  silenceMs: 10 * 60_000,
  mailMs: 15 * 60_000,
};

export function connectionOptions(
  { host, port, secure, requireTls }: SmtpSettings,
  times: SmtpTimes,
): SMTPConnectionOptions {
  return {
    host,
    port,
    secure,
    requireTLS: requireTls,
    // Plain text is meant for this machine only, where a certificate proves nothing.
    ignoreTLS: !secure && !requireTls,
    connectionTimeout: times.openMs,
    greetingTimeout: times.openMs,
    socketTimeout: times.silenceMs,
    maxResponseSize: 64 * 1024,
  };
}
