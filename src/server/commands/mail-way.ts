import type { FastifyBaseLogger } from 'fastify';
import { sendGridTransport } from '../features/delivery/transports/sendgrid/sendgrid-transport.ts';
import { smtpTransport } from '../features/delivery/transports/smtp/smtp-transport.ts';
import type { Transport } from '../features/delivery/transports/transport.ts';
import type { SendGridSettings } from '../platform/mail/sendgrid-settings.ts';
import type { SmtpSettings } from '../platform/mail/smtp-settings.ts';
import { type Mailer, sendGridSystemMailer, systemMailer } from '../platform/mail/system-mail.ts';
import type { Settings } from '../platform/settings.ts';

/** How this process sends its mails: those of senders, and the program's own. */
export type MailWay = { readonly smtp: SmtpSettings } | { readonly sendgrid: SendGridSettings };

/** null: neither was set. */
export function mailWayOf({ smtp, sendgrid }: Settings): MailWay | null {
  if (sendgrid) return { sendgrid };
  return smtp && { smtp };
}

export const sendersTransport = (way: MailWay): Transport =>
  'smtp' in way ? smtpTransport(way.smtp) : sendGridTransport(way.sendgrid);

export function systemMailerOf(
  way: MailWay,
  { settings, log }: { readonly settings: Settings; readonly log: FastifyBaseLogger },
): Mailer {
  const parts = { from: settings.mailFrom, log };
  return 'smtp' in way
    ? systemMailer({ ...parts, smtp: way.smtp, now: Date.now })
    : sendGridSystemMailer(way.sendgrid, parts);
}

/** Where the link beside a template leads, for the pages: with SendGrid its id there takes the place. '' : nowhere. */
export const editorUrl = ({ templateEditorUrl, sendgrid }: Settings): string =>
  (templateEditorUrl ?? '').replaceAll('{template_id}', sendgrid ? '{sendgrid_template_id}' : '{template_id}');
