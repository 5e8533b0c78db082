/* The legal footer of a mail, and the check that a rendered mail shows it. */
import { randomUUID } from 'node:crypto';
import { footerLines, shownPlace, textFooter } from '#domain/law/footer.ts';
import { mailFaults } from '#domain/law/mail.ts';
import type { LegalFault, LegalProfile } from '#domain/law/profile.ts';
import { EXAMPLE_MAIL_KEY, type RefusalPlace, refusalMailto, refusalPlace } from '#domain/law/refusal-place.ts';
import { type CheckedBodies, checkedBodies } from './checked-bodies.ts';
import { escapeHtml, HtmlValue } from './html-value.ts';
import { perRun } from './per-run.ts';
import { footerPlace, visibleOfHtml, visibleOfText } from './visible-text.ts';

/** A run's legal profile as of its acceptance. */
export interface RunLegal extends LegalProfile {
  /** The origin of opt-out links; null: recipients cannot reach the program, and write to `refusal_email`. */
  readonly public_url: string | null;
  /** The mailbox with the address `refusal_email`, if the program reads it: mails to it name the mail's key. */
  readonly refusal_mailbox?: number;
  /** The mailbox that answers reach, if the program reads it. */
  readonly answer_mailbox?: number;
}

/** The legally relevant parts of a run's mail. */
interface LegalMail {
  readonly legal: RunLegal;
}

/** Why a mail without an opt-out address or link may not be sent. */
export const PLACELESS =
  '法定表示がないときに受け付けた送信のため、送りませんでした。法定表示を入力して、もう一度、新しく送信してください。';

/** Overrides a template's styles: the footer has its own colours, size and alignment. */
const STYLE =
  'display:block;visibility:visible;margin:24px 0 0;padding:8px 0 0;border-top:1px solid #ccc;background:#fff;' +
  'color:#444;font-size:13px;line-height:1.8;text-align:left;text-indent:0';

/** What of a mail's target its footer depends on. */
interface FooterTarget {
  /** Absent: an example mail. */
  readonly mail_key?: string;
  /** null or absent: the mail goes to the company's own address. */
  readonly person_id?: number | null;
}

/** The footer of an HTML body. A `span`, so that it is valid within a paragraph. */
function htmlFooter(legal: RunLegal, place: RefusalPlace | null, isToPerson: boolean): string {
  const { head, notice, tail } = footerLines(legal, place, isToPerson);
  const refusal = place === null || notice === null ? [] : [escapeHtml(notice), linkTo(place)];
  const lines = [...head.map(escapeHtml), ...refusal, ...tail.map(escapeHtml)];
  return `<span style="${STYLE}">${lines.join('<br>')}</span>`;
}

/** Replaces each mail's key. Random, so that no profile contains it. */
const ANY_KEY = randomUUID().replaceAll('-', '');

/**
 * The footers of a run differ in the key of their links, and in one line between persons and companies: the footer is
 * rendered once for each of the two.
 */
const footersOf = perRun((legal: RunLegal) => {
  const place = sharedPlace(legal);
  const footerOf = (isToPerson: boolean) => {
    const html = htmlFooter(legal, place, isToPerson).split(ANY_KEY);
    const text = textFooter(legal, place, isToPerson).split(ANY_KEY);
    return (mailKey: string) => new HtmlValue(html.join(mailKey), text.join(mailKey));
  };
  return { person: footerOf(true), company: footerOf(false) };
});

const isToPerson = ({ person_id = null }: FooterTarget): boolean => person_id !== null;

/** Returns the footer of one mail of a run, for both bodies. */
export const mailFooter = (legal: RunLegal, target: FooterTarget): HtmlValue =>
  footersOf(legal)[isToPerson(target) ? 'person' : 'company'](target.mail_key ?? EXAMPLE_MAIL_KEY);

/** The href of the opt-out link. */
export function refusalLink(place: RefusalPlace): string {
  if ('url' in place) return place.url;
  if (place.mailKey === undefined) return `mailto:${place.email}`;
  // A text body shows the link: its reader must find the address in it.
  return refusalMailto(place.email, place.mailKey).replaceAll('%2B', '+');
}

const LINK_STYLE = 'color:#0b57d0;font-size:13px';

const linkTo = (place: RefusalPlace): string =>
  `<a href="${escapeHtml(refusalLink(place))}" style="${LINK_STYLE}">${escapeHtml(shownPlace(place))}</a>`;

/** The opt-out place of a run's mails, with ANY_KEY for each key. */
const sharedPlace = perRun((legal: RunLegal) =>
  refusalPlace({
    publicUrl: legal.public_url,
    refusalEmail: legal.refusal_email,
    mailKey: ANY_KEY,
    isRead: legal.refusal_mailbox !== undefined,
    takesAnswers: legal.answer_mailbox !== undefined,
  }),
);

/**
 * Returns where the recipient of one mail can opt out.
 * @param mailKey of the delivery, 32 hexadecimal digits; absent: an example mail
 * @returns null for tests of a group without such a place
 */
export function refusalPlaceOf({ legal }: LegalMail, mailKey: string = EXAMPLE_MAIL_KEY): RefusalPlace | null {
  const place = sharedPlace(legal);
  if (place === null) return null;
  if ('url' in place) return { url: place.url.replace(ANY_KEY, mailKey) };
  return place.mailKey === undefined ? place : { ...place, mailKey };
}

const FOOTER = '{{ legal_footer }}';
const HAS_REFUSAL_FIELD = /\{\{-?\s*(?:legal_footer|unsubscribe_url)\b/;

/**
 * Adds the footer to a body that outputs neither the footer nor the link.
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
 * Checks that a rendered mail shows what the law requires (L5 to L7), against its profile and opt-out place.
 * @param mailKey as in the mail's target; absent: an example
 * @returns errors, which block real mails, and warnings
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

/** Returns the caches of lawful HTML of a run, by its two forms of the footer. */
const checkedBodiesOf = perRun((mail: LegalMail): Readonly<Record<'person' | 'company', CheckedBodies>> => {
  const isLawful = (html: string, mailKey: string) =>
    finishedMailFaults(mail, { text: '', html }, mailKey).every(
      ({ level, path }) => level === 'warning' || path !== 'mail_template.html_body',
    );
  return { person: checkedBodies(isLawful), company: checkedBodies(isLawful) };
});

/** Returns why a real mail may not be sent, or null. In Japanese, for the account. */
export function legalError(mail: LegalMail, rendered: Bodies, target: FooterTarget): string | null {
  const bodies = checkedBodiesOf(mail)[isToPerson(target) ? 'person' : 'company'];
  const { mail_key: mailKey = EXAMPLE_MAIL_KEY } = target;
  // Most mails of a run differ from the first only in company names.
  const isKnown = rendered.html !== '' && bodies.isKnown(rendered.html, mailKey);
  const faults = finishedMailFaults(mail, isKnown ? { ...rendered, html: '' } : rendered, mailKey);
  const fault = faults.find(({ level }) => level === 'error');
  if (!fault) {
    if (!isKnown) bodies.remember(rendered.html, mailKey);
    return null;
  }
  return fault === WITHOUT_PLACE ? PLACELESS : `法定表示が足りないため、送信しませんでした（${fault.message}）`;
}
