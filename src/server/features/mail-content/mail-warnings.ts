import type { MailWarning } from '#contract/sending/mail-preview.ts';
import { EXAMPLE_MAIL_KEY } from '#domain/law/refusal-place.ts';
import { LONG_SUBJECT } from '#domain/limits.ts';
import { doubledHonorifics } from '#domain/mail/honorifics.ts';
import { attachmentsIn, dateMistakesIn, placeholdersIn } from '#domain/mail/mail-mistakes.ts';
import { mailFooter } from './legal-footer.ts';
import { perRun } from './per-run.ts';
import { composeRunMail, type MailTarget, mailFields, type RenderedMail, type RunMail } from './run-mail.ts';

let portable: Set<string> | undefined;

/**
 * Lists what a sender should check in a rendered mail.
 * Each point is listed once, however often it occurs.
 * @param now epoch milliseconds
 */
export function mailWarnings(mail: RunMail, target: MailTarget, rendered: RenderedMail, now: number): MailWarning[] {
  // The mail shows ご担当者様 for a blank person, but the sender is still warned of the missing name.
  const values = { ...mailFields(mail, target), person_in_charge: target.person_in_charge };
  const blank = [...usedFields(mail)].filter((field) => isBlank(values, field));
  const texts = [rendered.subject, rendered.text, textOf(rendered.html)];
  const doubled = new Set(texts.flatMap(doubledHonorifics));
  const subjectLength = Array.from(rendered.subject).length;
  // Characters of names and values of the company are not reported, because nobody can respell them.
  const names = new Set([values.company_name, values.person_in_charge, ...ownTexts(target)].join(''));
  const garbled = garbledCharacters(texts.join('')).filter((character) => !names.has(character));
  return [
    ...blank.map((text) => ({ kind: 'blank_field' as const, text })),
    ...[...doubled].map((text) => ({ kind: 'doubled_honorific' as const, text })),
    ...(garbled.length > 0
      ? [{ kind: 'garbled_character' as const, text: garbled.slice(0, SHOWN_CHARACTERS).join('') }]
      : []),
    ...(subjectLength > LONG_SUBJECT ? [{ kind: 'long_subject' as const, text: String(subjectLength) }] : []),
    ...(isImageOnly(withoutFooter(mail, target, rendered.html)) ? [{ kind: 'image_only' as const, text: '' }] : []),
    ...badLinks(rendered.html).map((text) => ({ kind: 'bad_link' as const, text })),
    ...mistakesOf(texts.join('\n').slice(0, MAX_READ_LENGTH), now),
    ...clippedWarnings(rendered.html),
  ];
}

/** Returns the texts that a mail shows of its company's own fields and of its person. */
export const ownTexts = ({ merge_values }: MailTarget): string[] =>
  [merge_values?.custom, merge_values?.person].flatMap((texts) => Object.values(texts ?? {}));

/** The most characters of subject and bodies that are searched for mistakes. */
const MAX_READ_LENGTH = 100_000;

function mistakesOf(text: string, now: number): MailWarning[] {
  return [
    ...placeholdersIn(text).map((words) => ({ kind: 'placeholder' as const, text: words })),
    ...attachmentsIn(text).map((sentence) => ({ kind: 'no_attachment' as const, text: sentence })),
    ...dateMistakesIn(text, now).map(({ text: date, right, isOver }) =>
      isOver
        ? { kind: 'past_date' as const, text: date }
        : { kind: 'wrong_weekday' as const, text: `${date}/${right ?? ''}` },
    ),
  ];
}

/** Gmail clips an HTML body above 102 KB by its own count, and so hides the legal footer behind a link. */
const MAX_SHOWN_BYTES = 100 * 1024;

function clippedWarnings(html: string): MailWarning[] {
  const bytes = Buffer.byteLength(html);
  return bytes > MAX_SHOWN_BYTES ? [{ kind: 'clipped', text: String(bytes) }] : [];
}

/** The fields that a run's templates output: the same for all its mails. */
const usedFields = perRun((mail: RunMail) => new Set([mail.subject, mail.text_body, mail.html_body].flatMap(fieldsOf)));

/** The most characters that one warning quotes. */
const SHOWN_CHARACTERS = 20;

/** Visible characters that an HTML body with images needs. */
const MIN_TEXT_BESIDE_IMAGES = 20;

/** Returns an HTML body without our footer, because its author did not write the footer. */
const withoutFooter = (mail: RunMail, target: MailTarget, html: string): string =>
  html.replace(mailFooter(mail.legal, target).html, '');

/** An HTML body of images without text is blank where images are off, and looks like spam. */
const isImageOnly = (html: string): boolean =>
  /<img\b/i.test(html) && textOf(html).replace(/\s/g, '').length < MIN_TEXT_BESIDE_IMAGES;

const FIELD = '[a-z_][a-z0-9_]*(?:\\.[a-z_][a-z0-9_]*)*';
const OUTPUT = new RegExp(`^-?\\s*(${FIELD})`);
const LOOP = new RegExp(`\\{%-?\\s*for\\s+\\w+\\s+in\\s+(${FIELD})`, 'g');
const FIELDS = new RegExp(FIELD, 'g');

/**
 * Finds the merge fields that a template outputs without handling a blank value.
 * Excludes fields that the template tests (`{% if %}`) or gives a `default`.
 */
function fieldsOf(template: string): string[] {
  const outputs = [...template.matchAll(/\{\{([^{}]*)\}\}/g)].flatMap(([, output = '']) => {
    const named = OUTPUT.exec(output);
    return named === null || /\|\s*default\b/.test(output) ? [] : [named];
  });
  const loops = [...template.matchAll(LOOP)];
  const tests = [...template.matchAll(/\{%-?\s*(?:if|elsif|unless|case)\b(.*?)%\}/gs)].map(([, test = '']) => test);
  const guarded = new Set(tests.flatMap((test) => test.match(FIELDS) ?? []).map(canonicalName));
  return [...outputs, ...loops].map(([, field = '']) => canonicalName(field)).filter((field) => !guarded.has(field));
}

/** Maps the two forms of the candidate dates to one field. */
const canonicalName = (field: string): string => (field === 'candidate_date_lines' ? 'candidate_dates' : field);

function isBlank(values: object, field: string): boolean {
  const value = field
    .split('.')
    .reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], values);
  return typeof value === 'string' && value.trim() === '';
}

const ENTITIES: Readonly<Record<string, string>> = { '&nbsp;': ' ', '&amp;': '&', '&lt;': '<', '&gt;': '>' };

/** Parts of HTML that are not shown. */
const UNSEEN = /<(style|title|script)\b[\s\S]*?(?:<\/\1\s*>|$)|<!--[\s\S]*?(?:-->|$)/gi;

/** Converts HTML to its visible text. Drops inline tags; every other tag becomes a line break. */
const textOf = (html: string): string =>
  html
    .replace(UNSEEN, '\n')
    .replace(/<\/?(?:a|b|i|u|em|strong|span|font|small)\b[^<>]*>/gi, '')
    .replace(/<[^<>]*>/g, '\n')
    .replace(/&(?:nbsp|amp|lt|gt);/g, (entity) => ENTITIES[entity] ?? '');

/** Stops at the next tag, so that a body of unclosed tags is read only once. */
const LINK = /<a\b[^<>]*?\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/gi;

const MAIL_LINKS_ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&#34;': '"',
  '&#39;': "'",
  '&lt;': '<',
  '&gt;': '>',
};

/** Finds links of an HTML body that no mail program can open, by their form only. */
export const badLinks = (html: string): string[] => {
  const links = [...html.matchAll(LINK)].map(([, double, single, bare]) => double ?? single ?? bare ?? '');
  const written = links.map((link) =>
    link.replace(/&(?:amp|#34|#39|lt|gt);/g, (entity) => MAIL_LINKS_ENTITIES[entity] ?? ''),
  );
  return [...new Set(written.map((link) => link.trim()).filter((link) => !isOpenable(link)))];
};

const MAIL_OR_CALL = /^(?:mailto:[^\s@]+@[^\s@]+|tel:\+?[\d-]+)$/i;
const WEB_PAGE = /^https?:\/\/\S+$/i;
const HOST_WITH_DOT = /[^.]\.[^.]/;

/** Accepts http and https with a host that has a dot, mailto with an address, and tel with digits. */
const isOpenable = (link: string): boolean =>
  MAIL_OR_CALL.test(link) || (WEB_PAGE.test(link) && HOST_WITH_DOT.test(URL.parse(link)?.hostname ?? ''));

/** Rows of JIS X 0208 as EUC-JP: 1–8 and 16–84. Rows 13 and 89–92 are vendor characters (①, ㈱, 髙). */
const FIRST_ROW = 1;
const LAST_ROW = 84;
const VENDORS_ROW = 13;
const CELLS = 94;

/** EUC-JP adds this to row and cell. */
const EUC = 0xa0;

/** Characters that Unicode has twice, and that mail programs exchange. */
const RESPELLED = '〜～‖∥−－—―¢￠£￡¬￢';

/** The characters of Japanese mail: ASCII, JIS X 0208 and white space. */
function portableCharacters(): Set<string> {
  const cells: number[] = [];
  for (let row = FIRST_ROW; row <= LAST_ROW; row += 1) {
    if (row === VENDORS_ROW) continue;
    for (let cell = 1; cell <= CELLS; cell += 1) cells.push(EUC + row, EUC + cell);
  }
  const letters = new TextDecoder('euc-jp').decode(new Uint8Array(cells)).replaceAll('\ufffd', '');
  return new Set([...letters, ...RESPELLED]);
}

/**
 * Finds the characters that old Japanese mail programs (ISO-2022-JP) show incorrectly: ①, ㈱, 髙, emoji, half-width kana.
 * @returns each once, in the text's order
 */
export function garbledCharacters(text: string): string[] {
  portable ??= portableCharacters();
  const found = new Set(text.replace(/[\x20-\x7e\s]/g, ''));
  return [...found].filter((character) => !(portable as Set<string>).has(character));
}

/** Bytes that a sent mail may have and its preview lacks: a DKIM signature, a longer host name. */
const HEADROOM_BYTES = 1024;

/**
 * Warns of a mail that the server would refuse for its size.
 * @param maxBytes the server's limit; null: unknown, or none
 */
export function sizeWarnings(
  mail: RunMail,
  rendered: RenderedMail,
  to: string,
  maxBytes: number | null,
): MailWarning[] {
  // SendGrid composes such a mail from its own template.
  if (maxBytes === null || mail.sendgrid_template_id) return [];
  const example = { to, messageId: `<${EXAMPLE_MAIL_KEY}@example.com>`, date: new Date(0), mailKey: EXAMPLE_MAIL_KEY };
  const bytes = composeRunMail(mail, rendered, example).length + HEADROOM_BYTES;
  return bytes > maxBytes ? [{ kind: 'too_large', text: `${bytes}/${maxBytes}` }] : [];
}
