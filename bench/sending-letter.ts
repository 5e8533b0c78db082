import { DEMO_GROUPS } from '#server/features/demo/demo-content.ts';
import type { RunMail } from '#server/features/mail-content/run-mail.ts';
import { PUBLIC_URL } from '#test/mailing.ts';
import type { Template } from '#test/mails.ts';
import { LEGAL_PROFILE } from '#test/prospects.ts';

/** The demo's first letter, which both sides send: 3 kB with its fields and footer. */
export const DEMO_LETTER: Template = demoLetter();

/** A run of the letter for a tenant of test/prospects.ts: the values from which a worker renders each mail. */
export const DEMO_RUN: RunMail = {
  ...DEMO_LETTER,
  sender: { person_in_charge: '担当', email: 'sender@example.com', bcc: [], reply_to: null, signature: '' },
  account: { name: '', company: '' },
  candidate_dates: [],
  legal: { ...LEGAL_PROFILE, public_url: PUBLIC_URL },
};

function demoLetter(): Template {
  const sender = DEMO_GROUPS[0]?.senders[0];
  if (!sender) throw new Error('the demo has no sender');
  const { text_body, html_body } = sender.template;
  return { subject: sender.subject, text_body, html_body };
}
