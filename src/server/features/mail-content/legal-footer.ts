/* What a mail shows by law at its foot, and the check that a finished mail shows it. */
import { randomUUID } from 'node:crypto';
import { footerLines, shownPlace, textFooter } from '#domain/law/footer.ts';
import { mailFaults } from '#domain/law/mail.ts';
import type { LegalFault, LegalProfile } from '#domain/law/profile.ts';
import { EXAMPLE_MAIL_KEY, type RefusalPlace, refusalPlace } from '#domain/law/refusal-place.ts';
import { type CheckedBodies, checkedBodies } from './checked-bodies.ts';
import { escapeHtml, HtmlValue } from './html-value.ts';
import { perRun } from './per-run.ts';
import { footerPlace, visibleOfHtml, visibleOfText } from './visible-text.ts';

/** The profile of a run, as it was when the run was accepted. */
export interface RunLegal extends LegalProfile {
  /** The origin of links for refusals; null: recipients cannot reach the program, and write to `refusal_email`. */
  readonly public_url: string | null;
}

/** The mail of a run, as far as the law is concerned. */
interface LegalMail {
  readonly legal: RunLegal;
}

/** Why a mail without a refusal place may not leave. */
export const PLACELESS =
  '法定表示がないときに受け付けた送信のため、送りませんでした。法定表示を入力して、もう一度、新しく送信してください。';

/** Holds against the styles of a template: the colours, the size and the alignment are its own. */
const STYLE =
  'display:block;visibility:visible;margin:24px 0 0;padding:8px 0 0;border-top:1px solid #ccc;background:#fff;' +
  'color:#444;font-size:13px;line-height:1.8;text-align:left;text-indent:0';

/** The footer of an HTML body. It is a `span`, so that it may stand in a paragraph. */
function htmlFooter(legal: RunLegal, place: RefusalPlace | null): string {
  const { head, notice, tail } = footerLines(legal, place);
  const refusal = place === null || notice === null ? [] : [escapeHtml(notice), linkTo(place)];
  const lines = [...head.map(escapeHtml), ...refusal, ...tail.map(escapeHtml)];
  return `<span style="${STYLE}">${lines.join('<br>')}</span>`;
}

/** Stands for the key of each mail. Nobody can write it into a profile. */
const ANY_KEY = randomUUID().replaceAll('-', '');

/** The mails of a run have the same footer but for the key in their links, so it is written once. */
const footerOf = perRun((legal: RunLegal) => {
  const place = sharedPlace(legal);
  const html = htmlFooter(legal, place).split(ANY_KEY);
  const text = textFooter(legal, place).split(ANY_KEY);
  return (mailKey: string) => new HtmlValue(html.join(mailKey), text.join(mailKey));
});

/** Returns the footer of one mail of a run, for both bodies. @param mailKey absent: the mail is an example */
export const mailFooter = (legal: RunLegal, mailKey: string = EXAMPLE_MAIL_KEY): HtmlValue => footerOf(legal)(mailKey);

/** The target of a link to the refusal place. */
export const refusalLink = (place: RefusalPlace): string => ('url' in place ? place.url : `mailto:${place.email}`);

const LINK_STYLE = 'color:#0b57d0;font-size:13px';

const linkTo = (place: RefusalPlace): string =>
  `<a href="${escapeHtml(refusalLink(place))}" style="${LINK_STYLE}">${escapeHtml(shownPlace(place))}</a>`;

/** The place of all mails of a run, with ANY_KEY for the key of each. */
const sharedPlace = perRun((legal: RunLegal) =>
  refusalPlace({ publicUrl: legal.public_url, refusalEmail: legal.refusal_email, mailKey: ANY_KEY }),
);

/**
 * Returns where the recipient of one mail of a run can refuse further ones.
 * @param mailKey of the delivery, 32 hexadecimal digits; absent: the mail is an example
 * @returns null for tests of a group without a place
 */
export function refusalPlaceOf({ legal }: LegalMail, mailKey: string = EXAMPLE_MAIL_KEY): RefusalPlace | null {
  const place = sharedPlace(legal);
  return place && 'url' in place ? { url: place.url.replace(ANY_KEY, mailKey) } : place;
}

const FOOTER = '{{ legal_footer }}';
const HAS_REFUSAL_FIELD = /\{\{-?\s*(?:legal_footer|unsubscribe_url)\b/;

/**
 * Adds the footer to a body that outputs neither it nor the link.
 * A mail without an HTML part gets none.
 */
export function withFooterField(part: 'subject' | 'text_body' | 'html_body', source: string): string {
  if (part === 'subject' || HAS_REFUSAL_FIELD.test(source)) return source;
  if (part === 'text_body') return `${source.replace(/\n$/, '')}\n\n${FOOTER}\n`;
  if (source.trim() === '') return source;
  const at = footerPlace(source);
  return `${source.slice(0, at)}${FOOTER}\n${source.slice(at)}`;
}

interface Bodies {
  readonly text: string;
  readonly html: string;
}

/**
 * Checks what a rendered mail shows by law (L5 to L7), with the profile and the refusal place that it was made from.
 * @param mailKey as in the mail's target; absent: an example
 * @returns errors, for which a real mail may not leave, and warnings
 */
export function finishedMailFaults(mail: LegalMail, rendered: Bodies, mailKey?: string): LegalFault[] {
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
  (mail: LegalMail): CheckedBodies =>
    checkedBodies((html, mailKey) =>
      finishedMailFaults(mail, { text: '', html }, mailKey).every(
        ({ level, path }) => level === 'warning' || path !== 'mail_template.html_body',
      ),
    ),
);

/** Returns why a real mail may not leave, or null. Japanese, for its owner. */
export function legalError(mail: LegalMail, rendered: Bodies, mailKey: string): string | null {
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
