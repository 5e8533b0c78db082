import { readTemplate } from '../mail-content/template.ts';

/** `path`: the field of the body, as in the answers to what a schema refuses. */
export interface TemplateFault {
  readonly path: string;
  readonly message: string;
}

/** Finds what keeps mails from being made of these templates, at most one fault each. @param parts by their path in the body */
export const templateFaults = (parts: Readonly<Record<string, string>>): TemplateFault[] =>
  Object.entries(parts).flatMap(([path, source]) => {
    const read = readTemplate(path === 'text_body' || path === 'html_body' ? path : 'subject', source);
    return read.ok ? [] : [{ path, message: read.fault }];
  });

/** The templates of a content by their paths. */
export const partsOf = (content: {
  readonly text_body: string;
  readonly html_body: string;
  readonly senders: readonly { readonly subject: string }[];
}): Record<string, string> => ({
  text_body: content.text_body,
  html_body: content.html_body,
  ...Object.fromEntries(content.senders.map(({ subject }, index) => [`senders.${index}.subject`, subject])),
});
