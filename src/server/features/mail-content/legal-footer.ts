import { randomUUID } from 'node:crypto';
import { footerLines, shownPlace, textFooter } from '#domain/law/footer.ts';
import type { LegalProfile } from '#domain/law/profile.ts';
import { EXAMPLE_MAIL_KEY, type RefusalPlace, refusalPlace } from '#domain/law/refusal-place.ts';
import { escapeHtml, HtmlValue } from './html-value.ts';
import { perRun } from './per-run.ts';
import { footerPlace } from './visible-text.ts';

/** The profile of a run, as it was when the run was accepted. */
export interface RunLegal extends LegalProfile {
  /** The origin of links for refusals; null: recipients cannot reach the program, and write to `refusal_email`. */
  readonly public_url: string | null;
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
export function refusalPlaceOf(
  { legal }: { readonly legal: RunLegal },
  mailKey: string = EXAMPLE_MAIL_KEY,
): RefusalPlace | null {
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
