import { Problem } from '../../platform/problem.ts';
import { readTemplate } from '../mail-content/template.ts';
import type { OwnSubject, TemplateContent } from './template.queries.ts';

/** `path`: the field of the request body, as in the details of a schema error. `message` is Japanese. */
export interface TemplateFault {
  readonly path: string;
  readonly message: string;
}

/**
 * Checks templates, and returns at most one fault for each.
 * @param parts the templates by their path in the request body
 */
export const templateFaults = (parts: Readonly<Record<string, string>>): TemplateFault[] =>
  Object.entries(parts).flatMap(([path, source]) => {
    const read = readTemplate(path === 'text_body' || path === 'html_body' ? path : 'subject', source);
    return read.ok ? [] : [{ path, message: read.fault }];
  });

/** Returns the templates of a template's content by their paths in the request body. */
export const partsOf = (
  content: Pick<TemplateContent, 'subject' | 'text_body' | 'html_body'>,
  senders: readonly Pick<OwnSubject, 'own_subject'>[] = [],
): Record<string, string> => ({
  subject: content.subject,
  text_body: content.text_body,
  html_body: content.html_body,
  ...Object.fromEntries(
    senders.flatMap(({ own_subject }, index) =>
      own_subject === null ? [] : [[`senders.${index}.subject`, own_subject]],
    ),
  ),
});

/** Turns template faults into one 400 refusal, with a detail for each fault. */
export function faultsProblem(details: readonly TemplateFault[]): Problem {
  const message = 'このままではメールを作れません。表示された箇所を修正してください。';
  return new Problem(400, 'invalid_template', message, undefined, [...details]);
}
