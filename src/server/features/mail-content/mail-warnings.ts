import type { MailWarning } from '#contract/mail-preview.ts';
import { doubledHonorifics } from '#domain/doubled-honorifics.ts';
import { type MailTarget, mailFields, type RenderedMail, type RunMail } from './run-mail.ts';

/** What a careful sender would want to know of a finished mail; each thing once, wherever in the mail it stands. */
export function mailWarnings(mail: RunMail, target: MailTarget, rendered: RenderedMail): MailWarning[] {
  // A blank person is greeted as ご担当者様; the sender should know that nobody's name is there.
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
 * The merge fields that a template puts into the mail as they are. Not those that it asks about itself ({% if %}) or gives a
 * default: there its author has thought of a blank.
 */
function fieldsOf(template: string): string[] {
  const outputs = [...template.matchAll(/\{\{-?\s*([a-z_]+(?:\.[a-z_]+)*)\s*(?!.*\|\s*default\b)[^}]*\}\}/g)];
  const loops = [...template.matchAll(/\{%-?\s*for\s+\w+\s+in\s+([a-z_]+(?:\.[a-z_]+)*)/g)];
  const asked = [...template.matchAll(/\{%-?\s*(?:if|elsif|unless|case)\b(.*?)%\}/gs)].map(([, test = '']) => test);
  const guarded = new Set(asked.flatMap((test) => test.match(/[a-z_]+(?:\.[a-z_]+)*/g) ?? []).map(ownName));
  return [...outputs, ...loops].map(([, field = '']) => ownName(field)).filter((field) => !guarded.has(field));
}

/** The two forms of the candidate dates are one field. */
const ownName = (field: string): string => (field === 'candidate_date_lines' ? 'candidate_dates' : field);

function isBlank(values: object, field: string): boolean {
  const value = field
    .split('.')
    .reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], values);
  return typeof value === 'string' && value.trim() === '';
}

const ENTITIES: Readonly<Record<string, string>> = { '&nbsp;': ' ', '&amp;': '&', '&lt;': '<', '&gt;': '>' };

/** HTML as it is read: tags inside a line join what they part, others end the line. */
const textOf = (html: string): string =>
  html
    .replace(/<\/?(?:a|b|i|u|em|strong|span|font|small)\b[^>]*>/gi, '')
    .replace(/<[^>]*>/g, '\n')
    .replace(/&(?:nbsp|amp|lt|gt);/g, (entity) => ENTITIES[entity] ?? '');
