import { nextCandidate, renderCandidates } from '#domain/candidate-dates.ts';
import type { RunMail } from '../sending/run-mail.ts';

/** What a template is tried with where its own sender and account do not matter. */
export const EXAMPLE_MAIL: RunMail = {
  subject: '',
  text_body: '',
  html_body: '',
  sender: { person_in_charge: '見本 花子', email: 'sender@example.com', bcc: [] },
  account: { name: '見本 花子', company: '株式会社見本' },
  candidate_dates: [],
};

/** Two days that could be offered now, as they stand in a mail. @param now epoch milliseconds */
export function exampleDates(now: number): string[] {
  const first = nextCandidate([], now);
  return renderCandidates([first, nextCandidate([first], now)]).split('\n');
}
