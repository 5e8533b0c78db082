import type { Template } from 'liquidjs';
import { bareField, namesField } from './template-walk.ts';

/** The fields that differ between the mails of a run (mailFields in run-mail.ts). */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  'company_name',
  'person_in_charge',
  'legal_footer',
  'unsubscribe_url',
]);

type Fields = Readonly<Record<string, unknown>>;

interface Writers {
  readonly render: (templates: Template[], fields: object) => string;
  /** Writes the value of a field, as `render` does. */
  readonly write: (value: unknown) => string;
}

/**
 * Returns a renderer for the mails of one run.
 * What names none of their own fields is rendered once, with the first mail. No allowed tag assigns a variable
 * (template-rules.ts), so the parts of a template do not depend on each other.
 */
export function runRenderer(templates: readonly Template[], writers: Writers): (fields: object) => string {
  let segments: (string | ((fields: Fields) => string))[] | null = null;
  return (fields) => {
    segments ??= segmentsOf(templates, writers, fields);
    return segments.map((segment) => (typeof segment === 'string' ? segment : segment(fields as Fields))).join('');
  };
}

function segmentsOf(templates: readonly Template[], { render, write }: Writers, fields: object) {
  const segments: (string | ((fields: Fields) => string))[] = [];
  for (const template of templates) {
    const field = bareField(template);
    if (!namesField(template, OWN_FIELDS)) segments.push(render([template], fields));
    else if (field !== null && OWN_FIELDS.has(field)) segments.push((own) => write(own[field]));
    else segments.push((own) => render([template], own));
  }
  return segments;
}
