import type { MailWarning } from '#contract/mail-preview.ts';
import { doubledHonorifics } from '#domain/doubled-honorifics.ts';
import { type MailTarget, mailFields, type RenderedMail, type RunMail } from './run-mail.ts';

/**
 * Lists what a sender should check in a rendered mail: blank merge fields and doubled honorifics.
 * Each is listed once, however often it occurs in the mail.
 */
export function mailWarnings(mail: RunMail, target: MailTarget, rendered: RenderedMail): MailWarning[] {
  // The mail says ご担当者様 for a blank person; the sender is warned all the same that the name is missing.
  const values = { ...mailFields(mail, target), person_in_charge: target.person_in_charge };
  const used = new Set([mail.subject, mail.text_body, mail.html_body].flatMap(fieldsOf));
  const blank = [...used].filter((field) => isBlank(values, field));
  const doubled = new Set([rendered.subject, rendered.text, textOf(rendered.html)].flatMap(doubledHonorifics));
  return [
    ...blank.map((text) => ({ kind: 'blank_field' as const, text })),
    ...[...doubled].map((text) => ({ kind: 'doubled_honorific' as const, text })),
  ];
}

/**
 * Finds the merge fields that a template outputs without handling a blank.
 * Fields that the template tests (`{% if %}`) or gives a `default` are not among them.
 */
function fieldsOf(template: string): string[] {
  const outputs = [...template.matchAll(/\{\{-?\s*([a-z_]+(?:\.[a-z_]+)*)\s*(?!.*\|\s*default\b)[^}]*\}\}/g)];
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
    .replace(/<\/?(?:a|b|i|u|em|strong|span|font|small)\b[^>]*>/gi, '')
    .replace(/<[^>]*>/g, '\n')
    .replace(/&(?:nbsp|amp|lt|gt);/g, (entity) => ENTITIES[entity] ?? '');
