import { mailFields, type RunMail, subjectRenderer } from '../../../mail-content/run-mail.ts';
import type { Claim } from '../../claim.ts';

/** A run that SendGrid sends. It makes the bodies from a template of its own. */
export type SendGridMail = RunMail & { readonly sendgrid_template_id: string };

/** Returns the bcc addresses of one mail, each once: SendGrid refuses a recipient that occurs twice. */
function copiesOf({ test, mailTo, mail }: Claim): string[] {
  // A test mail goes to the test address alone.
  if (test) return [];
  const seen = new Set([mailTo.toLowerCase()]);
  return mail.sender.bcc.filter((address) => seen.size < seen.add(address.toLowerCase()).size);
}

/** The most recipients that one mail can have. */
export const recipientsOf = (claim: Claim): number => 1 + (claim.test ? 0 : claim.mail.sender.bcc.length);

/**
 * Returns the merge fields of our own templates, and the rendered subject as `subject`.
 * A dynamic template whose subject is `{{{subject}}}` uses it.
 */
function templateData(claim: Claim, subject: string) {
  const target = { company_name: claim.companyName, person_in_charge: claim.personInCharge };
  const { sender, ...fields } = mailFields(claim.mail, target);
  const { person_in_charge, email } = sender;
  return { subject, ...fields, sender: { person_in_charge, email } };
}

/**
 * Identifies the mail in SendGrid's events: `account.delivery.claim.uuid`, the uuid from its Message-ID.
 * The uuid keeps events of another installation on the same SendGrid account apart. SendGrid stores this for good, so it
 * must not hold personal data.
 */
export const customArgs = ({ accountId, id, claimNo, messageId }: Claim) => ({
  kaitaku: [accountId, id, claimNo, /^<([^@>]+)/.exec(messageId)?.[1] ?? ''].join('.'),
});

/** Returns a function that makes the part of a request for one mail. @throws TemplateFault, at once and when called */
export function personalizationMaker(mail: RunMail): (claim: Claim) => object {
  const subjectOf = subjectRenderer(mail);
  return (claim) => {
    const copies = copiesOf(claim);
    const target = { company_name: claim.companyName, person_in_charge: claim.personInCharge };
    return {
      to: [{ email: claim.mailTo }],
      ...(copies.length > 0 && { bcc: copies.map((email) => ({ email })) }),
      headers: { 'Message-ID': claim.messageId },
      custom_args: customArgs(claim),
      dynamic_template_data: templateData(claim, subjectOf(mailFields(mail, target))),
    };
  };
}

/** Returns the part of a request that all mails of a run share. */
export const sharedPart = ({ sender, sendgrid_template_id }: SendGridMail) => ({
  from: { email: sender.email, name: sender.person_in_charge },
  template_id: sendgrid_template_id,
});
