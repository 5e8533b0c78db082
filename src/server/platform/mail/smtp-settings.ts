import type { SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection';

/** How to reach the SMTP server that takes our mail. */
export interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  /** smtps://: TLS from the first byte. */
  readonly secure: boolean;
  /** smtp:// to another machine: STARTTLS or no mail at all. To this machine plain text is allowed. */
  readonly requireTls: boolean;
  readonly credentials: { readonly user: string; readonly pass: string } | null;
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

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
    requireTls: !secure && !LOOPBACK.has(url.hostname),
    credentials: credentials.user === '' ? null : credentials,
  };
}

/** RFC 5321 4.5.3.2: time limits of the client. nodemailer's socketTimeout stands for the longest, the answer to the final dot. */
const CONNECT_MS = 30_000;
const GREETING_MS = 60_000;
const FINAL_DOT_MS = 600_000;

export function connectionOptions({ host, port, secure, requireTls }: SmtpSettings): SMTPConnectionOptions {
  return {
    host,
    port,
    secure,
    requireTLS: requireTls,
    // Plain text is meant for this machine only, where a certificate proves nothing.
    ignoreTLS: !secure && !requireTls,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: GREETING_MS,
    socketTimeout: FINAL_DOT_MS,
    maxResponseSize: 64 * 1024,
  };
}
