import { composeMessage } from '../../../../platform/mail/compose.ts';
import type { Outcome } from '../../../../platform/mail/outcome.ts';
import type { SmtpLane } from '../../../../platform/mail/smtp-connection.ts';
import { renderMail } from '../../../mail-content/run-mail.ts';
import type { Claim } from '../../claim.ts';

/**
 * Sends one claimed mail. `mark` commits, after the server's 354, that its body is about to leave; false stops it
 * there. A test mail has no copies: it goes to the test address alone.
 */
export async function deliver(claim: Claim, lane: SmtpLane, mark: () => Promise<boolean>): Promise<Outcome> {
  const { sender, sendgrid_template_id } = claim.mail;
  if (sendgrid_template_id) return { kind: 'unsendable', reply: NOT_FOR_SMTP };
  let message: Buffer;
  try {
    const { subject, text, html } = renderMail(claim.mail, {
      company_name: claim.companyName,
      person_in_charge: claim.personInCharge,
    });
    message = composeMessage({
      from: { name: sender.person_in_charge, address: sender.email },
      to: claim.mailTo,
      subject,
      text,
      html,
      messageId: claim.messageId,
      date: claim.mailDate,
    });
  } catch (error) {
    return {
      kind: 'unsendable',
      reply: `メールを作成できませんでした（${(error as Error).message.slice(0, 200)}）`,
    };
  }
  return lane.send({ from: sender.email, to: claim.mailTo, bcc: claim.test ? [] : sender.bcc }, message, mark);
}

/** Its bodies are SendGrid's to make: what we have is a note for people to read. */
const NOT_FOR_SMTP = 'SendGridで送る設定のときに受け付けたため、SMTPでは送れません。もう一度、新しく送信してください。';
