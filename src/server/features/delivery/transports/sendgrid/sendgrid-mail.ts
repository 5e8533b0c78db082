import { mailFields, type RunMail, subjectRenderer } from '../../../mail-content/run-mail.ts';
import type { Claim } from '../../claim.ts';

/** A run that goes through SendGrid: its bodies are made there. */
export type SendGridMail = RunMail & { readonly sendgrid_template_id: string };

/**
 * Of one mail, without its bcc if that is the very address it goes to: SendGrid refuses an address that comes twice.
 */
function copiesOf({ test, mailTo, mail }: Claim): string[] {
  // A test mail goes to the test address alone.
  if (test) return [];
  const seen = new Set([mailTo.toLowerCase()]);
  return mail.sender.bcc.filter((address) => seen.size < seen.add(address.toLowerCase()).size);
}

/** Recipients of one mail at most. */
export const recipientsOf = (claim: Claim): number => 1 + (claim.test ? 0 : claim.mail.sender.bcc.length);

/**
 * What our own templates are filled with, and the subject as `subject`: a dynamic template has the subject of the
 * sender when its own is `{{{subject}}}`.
 */
function templateData(claim: Claim, subject: string) {
  const target = { company_name: claim.companyName, person_in_charge: claim.personInCharge };
  const { sender, ...fields } = mailFields(claim.mail, target);
  const { person_in_charge, email } = sender;
  return { subject, ...fields, sender: { person_in_charge, email } };
}

/**
 * Which mail an event of SendGrid is about: `account.delivery.claim.uuid`, the last one from its Message-ID, so that
 * events of another installation on the same SendGrid account find nothing here. It is kept by SendGrid for good and
 * may hold nothing personal.
 */
export const customArgs = ({ accountId, id, claimNo, messageId }: Claim) => ({
  kaitaku: [accountId, id, claimNo, /^<([^@>]+)/.exec(messageId)?.[1] ?? ''].join('.'),
});

/** A maker of the parts of a request that are of one mail each. @throws TemplateFault, then and later */
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

/** The part that all mails of a run share. */
export const sharedPart = ({ sender, sendgrid_template_id }: SendGridMail) => ({
  from: { email: sender.email, name: sender.person_in_charge },
  template_id: sendgrid_template_id,
});
