import { readTemplate } from '../mail-content/template.ts';

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
export const partsOf = (content: {
  readonly text_body: string;
  readonly html_body: string;
  readonly senders: readonly { readonly subject: string }[];
}): Record<string, string> => ({
  text_body: content.text_body,
  html_body: content.html_body,
  ...Object.fromEntries(content.senders.map(({ subject }, index) => [`senders.${index}.subject`, subject])),
});
