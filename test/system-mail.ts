import { type Mailer, systemMailer } from '#server/platform/mail/system-mail.ts';
import type { SmtpSink } from './smtp-sink.ts';

export const MAIL_FROM = { name: 'Kaitaku', address: 'no-reply@kaitaku.example.jp' };

/** Counts each mail as sent. */
export const discardMail: Mailer = async () => ({ kind: 'sent', reply: '250 OK' });

/** Returns a mailer that sends the program's own mails over real SMTP into a sink. */
export const testMailer = (sink: SmtpSink): Mailer =>
  systemMailer({
    smtp: { host: '127.0.0.1', port: sink.port, secure: false, requireTls: false, credentials: null },
    from: async () => MAIL_FROM,
    now: Date.now,
    log: { warn: () => {} },
  });
