import type { RichDocument } from './rich/rich-document.ts';
import { writeText } from './rich/write-text.ts';
import type { TemplateForm } from './template-form.ts';

/** Returns the change of the form after a change in the simple editor. */
export const richChange = (document: RichDocument, html_body: string, follows: boolean): Partial<TemplateForm> => ({
  html_body,
  ...(follows && { text_body: writeText(document) }),
});

/** Returns the change of the form after the HTML was changed by hand: the simple editor no longer writes it. */
export const htmlChange = (html_body: string): Partial<TemplateForm> => ({
  html_body,
  editor: html_body.trim() === '' ? 'text' : 'html',
  text_follows: false,
});
