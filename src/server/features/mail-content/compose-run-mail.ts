import type { MailWarning } from '#contract/mail-preview.ts';
import { EXAMPLE_MAIL_KEY } from '#domain/law/refusal-place.ts';
import { composeMessage } from '../../platform/mail/compose.ts';
import { refusalPlaceOf } from './legal-footer.ts';
import type { RenderedMail, RunMail } from './run-mail.ts';

/** What one mail has beside the texts of its run. */
interface Envelope {
  readonly to: string;
  readonly messageId: string;
  readonly follows?: string | undefined;
  readonly date: Date;
  readonly mailKey: string;
  readonly refusalAddress?: string | null;
}

/** Composes a rendered mail of a run as it is transferred, without a signature. */
export const composeRunMail = (mail: RunMail, rendered: RenderedMail, { mailKey, ...own }: Envelope): Buffer =>
  composeMessage({
    ...rendered,
    ...own,
    from: { name: mail.sender.person_in_charge, address: mail.sender.email },
    replyTo: mail.sender.reply_to,
    refusal: refusalPlaceOf(mail, mailKey),
  });

/** What a mail may get that its preview lacks: a DKIM signature, a longer name of a host. */
const HEADROOM_BYTES = 1024;

/**
 * Warns of a mail that the mail server would refuse for its size.
 * @param maxBytes that the server accepts; null: unknown, or no limit
 */
export function sizeWarnings(
  mail: RunMail,
  rendered: RenderedMail,
  to: string,
  maxBytes: number | null,
): MailWarning[] {
  // SendGrid composes such a mail from a template that only it has.
  if (maxBytes === null || mail.sendgrid_template_id) return [];
  const example = { to, messageId: `<${EXAMPLE_MAIL_KEY}@example.com>`, date: new Date(0), mailKey: EXAMPLE_MAIL_KEY };
  const bytes = composeRunMail(mail, rendered, example).length + HEADROOM_BYTES;
  return bytes > maxBytes ? [{ kind: 'too_large', text: `${bytes}/${maxBytes}` }] : [];
}
