import { mailFaults } from '#domain/law/mail.ts';
import type { LegalFault } from '#domain/law/profile.ts';
import { type CheckedBodies, checkedBodies } from './checked-bodies.ts';
import { PLACELESS, refusalPlaceOf } from './legal-footer.ts';
import { perRun } from './per-run.ts';
import type { RenderedMail, RunMail } from './run-mail.ts';
import { visibleOfHtml, visibleOfText } from './visible-text.ts';

/**
 * Checks what a rendered mail shows by law (L5 to L7), with the profile and the refusal place that it was made from.
 * @param mailKey as in the mail's target; absent: an example
 * @returns errors, for which a real mail may not leave, and warnings
 */
export function finishedMailFaults(mail: RunMail, rendered: RenderedMail, mailKey?: string): LegalFault[] {
  const place = refusalPlaceOf(mail, mailKey);
  if (!place) return [WITHOUT_PLACE];
  const bodies = {
    text_body: visibleOfText(rendered.text),
    html_body: rendered.html.trim() === '' ? null : visibleOfHtml(rendered.html),
  };
  return mailFaults(bodies, mail.legal, place);
}

const WITHOUT_PLACE: LegalFault = {
  code: 'L5',
  level: 'error',
  path: 'legal_profile',
  message: PLACELESS,
};

/** Returns the lawful HTML of the run. */
const checkedBodiesOf = perRun(
  (mail: RunMail): CheckedBodies =>
    checkedBodies((html, mailKey) =>
      finishedMailFaults(mail, { subject: '', text: '', html }, mailKey).every(
        ({ level, path }) => level === 'warning' || path !== 'mail_template.html_body',
      ),
    ),
);

/** Returns why a real mail may not leave, or null. Japanese, for its owner. */
export function legalError(mail: RunMail, rendered: RenderedMail, mailKey: string): string | null {
  const bodies = checkedBodiesOf(mail);
  // Most mails of a run differ from the first in the names of companies alone.
  const isKnown = rendered.html !== '' && bodies.isKnown(rendered.html, mailKey);
  const faults = finishedMailFaults(mail, isKnown ? { ...rendered, html: '' } : rendered, mailKey);
  const fault = faults.find(({ level }) => level === 'error');
  if (!fault) {
    if (!isKnown) bodies.remember(rendered.html, mailKey);
    return null;
  }
  return fault === WITHOUT_PLACE ? PLACELESS : `法定表示が足りないため、送信しませんでした（${fault.message}）`;
}
