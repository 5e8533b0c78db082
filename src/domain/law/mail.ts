import { contactsOf, type LegalFault, type LegalProfile } from './profile.ts';
import { type RefusalPlace, refusalMailto } from './refusal-place.ts';

/** The visible text of a body. */
export interface VisibleText {
  readonly text: string;
  /** Links with their places in the text. */
  readonly links: readonly { readonly href: string; readonly start: number; readonly end: number }[];
  /** Parts of the text with the colour of their background. */
  readonly unreadable: readonly { readonly start: number; readonly end: number }[];
}

/** Both bodies of a mail; html_body null: it has only text. */
export interface VisibleBodies {
  readonly text_body: VisibleText;
  readonly html_body: VisibleText | null;
}

/** The most characters between the opt-out place and its notice. */
const NOTICE_DISTANCE = 120;
const NOTICE = /配信停止|配信を停止|受信を拒否|受信拒否|配信解除|配信不要/;

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Checks that a rendered mail shows its sender and its opt-out place (L5 to L7). */
export function mailFaults(bodies: VisibleBodies, profile: LegalProfile, place: RefusalPlace): LegalFault[] {
  const { text_body, html_body } = bodies;
  return [
    ...bodyFaults('mail_template.text_body', text_body, profile, place),
    ...(html_body ? bodyFaults('mail_template.html_body', html_body, profile, place) : []),
  ];
}

function bodyFaults(path: string, body: VisibleText, profile: LegalProfile, place: RefusalPlace): LegalFault[] {
  const partFaults = missingParts(body.text, profile).map(
    (part): LegalFault => ({ code: 'L7', level: 'error', path, message: `本文に送信者の${part}がありません。` }),
  );
  return [...placeFaults(path, body, place), ...partFaults];
}

/** Checks that a body shows a readable opt-out place with a notice nearby (L5, L6). */
function placeFaults(path: string, body: VisibleText, place: RefusalPlace): LegalFault[] {
  const spans = spansOf(body, place);
  const what = 'url' in place ? '配信停止のURL' : '配信停止の受付先メールアドレス';
  if (spans.length === 0) {
    const message = `本文に${what}がありません。{{ legal_footer }} か {{ unsubscribe_url }} を入れてください。`;
    return [{ code: 'L5', level: 'error', path, message }];
  }
  const faults: LegalFault[] = [];
  if (spans.every((span) => isWithin(span, body.unreadable))) {
    const message = `本文の${what}が、背景と同じ色で読めません。`;
    faults.push({ code: 'L5', level: 'warning', path, message });
  }
  if (!spans.some((span) => hasNotice(body.text, span))) {
    const message = `${what}のすぐ前か後に、受信を拒否できることを書いてください。`;
    faults.push({ code: 'L6', level: 'error', path, message });
  }
  return faults;
}

/** Finds where the text shows the opt-out place, or a link with visible words leads to it. */
function spansOf({ text, links }: VisibleText, place: RefusalPlace): Span[] {
  const shown = 'url' in place ? place.url : place.email;
  const spans: Span[] = [];
  for (let at = text.indexOf(shown); at >= 0; at = text.indexOf(shown, at + 1)) {
    const end = at + shown.length;
    if ('url' in place || isWholeAddress(text, at, end)) spans.push({ start: at, end });
  }
  const mailtos = 'url' in place ? [] : [`mailto:${shown}`, refusalMailto(shown)].map(withoutQuery);
  const leads = ({ href }: { href: string }) =>
    'url' in place ? href.trim() === shown : mailtos.includes(withoutQuery(href.trim()));
  return [...spans, ...links.filter(leads).filter(({ start, end }) => text.slice(start, end).trim() !== '')];
}

const withoutQuery = (link: string): string => link.toLowerCase().split('?')[0] ?? '';

/** Returns whether a found address is not a part of a longer one. */
const isWholeAddress = (text: string, start: number, end: number): boolean =>
  !(
    /[\w!#$%&'*+/=?^`{|}~.-]$/.test(text.slice(Math.max(0, start - 1), start)) ||
    /^(?:[\w-]|\.\w)/.test(text.slice(end, end + 2))
  );

const isWithin = ({ start, end }: Span, spans: readonly Span[]): boolean =>
  spans.some((span) => span.start <= start && end <= span.end);

const hasNotice = (text: string, { start, end }: Span): boolean =>
  NOTICE.test(text.slice(Math.max(0, start - NOTICE_DISTANCE), end + NOTICE_DISTANCE));

const PARTS: readonly (readonly [string, (profile: LegalProfile) => readonly string[]])[] = [
  ['名称', ({ official_name }) => [official_name]],
  ['住所', ({ postal_address }) => [postal_address]],
  ['連絡先', contactsOf],
];

/** Returns the names of the profile's parts that a text lacks. White space is ignored. */
function missingParts(text: string, profile: LegalProfile): string[] {
  const missing = PARTS.filter(
    ([, valuesOf]) => !valuesOf(profile).some((value) => value !== '' && text.includes(value)),
  );
  if (missing.length === 0) return [];
  const squeezed = withoutSpace(text);
  return missing
    .filter(
      ([, valuesOf]) => !valuesOf(profile).some((value) => value !== '' && squeezed.includes(withoutSpace(value))),
    )
    .map(([name]) => name);
}

const withoutSpace = (text: string): string => text.replace(/\s+/g, '');

/** Checks the subject of a first mail (L11). */
export const subjectFaults = (subject: string): LegalFault[] =>
  /^[\s【[(（]*(?:(?:re|fwd?)\s*[:：]|ご請求|請求書|重要)/i.test(subject.normalize('NFKC'))
    ? [{ code: 'L11', level: 'warning', path: 'sender.subject', message: '件名が返信や取引の連絡に見えます。' }]
    : [];
