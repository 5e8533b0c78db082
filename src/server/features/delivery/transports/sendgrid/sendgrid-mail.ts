import { refusalFields, threadFields } from '../../../../platform/mail/compose.ts';
import { mailFooter, refusalPlaceOf } from '../../../mail-content/legal-footer.ts';
import { mailFields, type RunMail, subjectRenderer } from '../../../mail-content/run-mail.ts';
import type { Claim } from '../../leases/claim.ts';

/** A run that is sent through SendGrid, which makes its bodies. */
export type SendGridMail = RunMail & { readonly sendgrid_template_id: string };

/** Returns the bcc addresses of one mail without duplicates and the recipient: SendGrid refuses repeated addresses. */
function copiesOf({ test, mailTo, mail }: Claim): string[] {
  // A test mail goes to the test address only.
  if (test) return [];
  const seen = new Set([mailTo.toLowerCase()]);
  return mail.sender.bcc.filter((address) => seen.size < seen.add(address.toLowerCase()).size);
}

/** The most recipients of one mail. */
export const recipientsOf = (claim: Claim): number => 1 + (claim.test ? 0 : claim.mail.sender.bcc.length);

/**
 * Makes the values for a SendGrid template: the merge fields of our own templates, `subject` and `legal_footer_html`.
 * A SendGrid template uses the sender's subject if its own subject is `{{{subject}}}`, and shows the footer in its HTML
 * by `{{{legal_footer_html}}}`.
 */
function templateData(claim: Claim, subject: string) {
  const { mail } = claim;
  const { html } = mailFooter(mail.legal, claim.target);
  return { subject, ...mailFields(mail, claim.target), legal_footer_html: html };
}

/**
 * Makes the id by which SendGrid's events name a mail: `account.delivery.claim.uuid`.
 * The uuid is that of the Message-ID: events of another installation on the same SendGrid account match no mail here.
 * SendGrid keeps the id forever, so it must hold no personal data.
 */
export const customArgs = ({ accountId, id, claimNo, messageId }: Claim) => ({
  kaitaku: [accountId, id, claimNo, /^<([^@>]+)/.exec(messageId)?.[1] ?? ''].join('.'),
});

/** Returns a function that makes one mail's part of a request. @throws TemplateFault, as does that function */
export function personalizationMaker(mail: RunMail): (claim: Claim) => object {
  const subjectOf = subjectRenderer(mail);
  return (claim) => {
    const copies = copiesOf(claim);
    const { target } = claim;
    return {
      to: [{ email: claim.mailTo }],
      ...(copies.length > 0 && { bcc: copies.map((email) => ({ email })) }),
      headers: {
        'Message-ID': claim.messageId,
        ...Object.fromEntries(threadFields(target.follows?.messageId)),
        ...Object.fromEntries(refusalFields(refusalPlaceOf(claim.mail, claim.mailKey))),
      },
      custom_args: customArgs(claim),
      dynamic_template_data: templateData(claim, subjectOf(mailFields(mail, target), target.follows)),
    };
  };
}

/** Makes the part of a request that all mails of a run share. */
export const sharedPart = ({ sender, sendgrid_template_id }: SendGridMail) => ({
  from: { email: sender.email, name: sender.person_in_charge },
  ...(sender.reply_to && { reply_to: { email: sender.reply_to } }),
  template_id: sendgrid_template_id,
});
