import type { MailWarning } from '#contract/mail-preview.ts';
import { LONG_SUBJECT } from '#domain/limits.ts';
import { doubledHonorifics } from '#domain/mail/honorifics.ts';
import { garbledCharacters } from './garbled-characters.ts';
import { badLinks } from './mail-links.ts';
import { perRun } from './per-run.ts';
import { type MailTarget, mailFields, type RenderedMail, type RunMail } from './run-mail.ts';

/**
 * Lists what a sender should check in a rendered mail.
 * Each is listed once, however often it occurs in the mail.
 */
export function mailWarnings(mail: RunMail, target: MailTarget, rendered: RenderedMail): MailWarning[] {
  // The mail says ご担当者様 for a blank person; the sender is warned all the same that the name is missing.
  const values = { ...mailFields(mail, target), person_in_charge: target.person_in_charge };
  const blank = [...usedFields(mail)].filter((field) => isBlank(values, field));
  const texts = [rendered.subject, rendered.text, textOf(rendered.html)];
  const doubled = new Set(texts.flatMap(doubledHonorifics));
  const subjectLength = Array.from(rendered.subject).length;
  // Nobody can respell the names of companies.
  const names = new Set(`${target.company_name}${target.person_in_charge}`);
  const garbled = garbledCharacters(texts.join('')).filter((character) => !names.has(character));
  return [
    ...blank.map((text) => ({ kind: 'blank_field' as const, text })),
    ...[...doubled].map((text) => ({ kind: 'doubled_honorific' as const, text })),
    ...(garbled.length > 0
      ? [{ kind: 'garbled_character' as const, text: garbled.slice(0, SHOWN_CHARACTERS).join('') }]
      : []),
    ...(subjectLength > LONG_SUBJECT ? [{ kind: 'long_subject' as const, text: String(subjectLength) }] : []),
    ...(isImageOnly(rendered.html) ? [{ kind: 'image_only' as const, text: '' }] : []),
    ...badLinks(rendered.html).map((text) => ({ kind: 'bad_link' as const, text })),
  ];
}

/** The fields that the templates of a run output: the same for all its mails. */
const usedFields = perRun((mail: RunMail) => new Set([mail.subject, mail.text_body, mail.html_body].flatMap(fieldsOf)));

/** The most characters that one warning names. */
const SHOWN_CHARACTERS = 20;

/** Visible characters that an HTML body needs beside its images. */
const MIN_TEXT_BESIDE_IMAGES = 20;

/** An HTML body of images without words is blank where images are off, and looks like spam. */
const isImageOnly = (html: string): boolean =>
  /<img\b/i.test(html) && textOf(html).replace(/\s/g, '').length < MIN_TEXT_BESIDE_IMAGES;

/**
 * Finds the merge fields that a template outputs without handling a blank.
 * Fields that the template tests (`{% if %}`) or gives a `default` are not among them.
 */
function fieldsOf(template: string): string[] {
  const outputs = [...template.matchAll(/\{\{([^{}]*)\}\}/g)].flatMap(([, output = '']) => {
    const named = /^-?\s*([a-z_]+(?:\.[a-z_]+)*)/.exec(output);
    return named === null || /\|\s*default\b/.test(output) ? [] : [named];
  });
  const loops = [...template.matchAll(/\{%-?\s*for\s+\w+\s+in\s+([a-z_]+(?:\.[a-z_]+)*)/g)];
  const tests = [...template.matchAll(/\{%-?\s*(?:if|elsif|unless|case)\b(.*?)%\}/gs)].map(([, test = '']) => test);
  const guarded = new Set(tests.flatMap((test) => test.match(/[a-z_]+(?:\.[a-z_]+)*/g) ?? []).map(canonicalName));
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

/** Converts HTML to the text that a reader sees. Inline tags are dropped; every other tag becomes a line break. */
const textOf = (html: string): string =>
  html
    .replace(/<\/?(?:a|b|i|u|em|strong|span|font|small)\b[^<>]*>/gi, '')
    .replace(/<[^<>]*>/g, '\n')
    .replace(/&(?:nbsp|amp|lt|gt);/g, (entity) => ENTITIES[entity] ?? '');
