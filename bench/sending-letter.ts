import type { RunMail } from '#server/features/mail-content/run-mail.ts';
import { PUBLIC_URL } from '#test/mailing.ts';
import type { Template } from '#test/mails.ts';
import { LEGAL_PROFILE } from '#test/prospects.ts';
import { LETTER } from './letter.ts';

/** The letter that both sides send: 3 kB with its fields and footer. */
export const BENCH_LETTER: Template = {
  subject: LETTER.subject,
  text_body: LETTER.template.text_body,
  html_body: LETTER.template.html_body,
};

/** A run of the letter for a tenant of test/prospects.ts: the values from which a worker renders each mail. */
export const BENCH_RUN: RunMail = {
  ...BENCH_LETTER,
  sender: { person_in_charge: '担当', email: 'sender@example.com', bcc: [], reply_to: null, signature: '' },
  account: { name: '', company: '' },
  candidate_dates: [],
  legal: { ...LEGAL_PROFILE, public_url: PUBLIC_URL },
};
