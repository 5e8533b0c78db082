import type { Loss } from './rich/html-losses.ts';
import { readHtml } from './rich/read-html.ts';
import { readText } from './rich/read-text.ts';
import { writeHtml } from './rich/write-html.ts';
import { writeText } from './rich/write-text.ts';
import type { TemplateForm } from './template-form.ts';

/** A conversion of the body that may lose content. */
export interface Conversion {
  readonly to: 'rich' | 'text';
  readonly change: Partial<TemplateForm>;
  readonly losses: readonly (Loss | 'text' | 'textOnly')[];
}

/** Converts a template for the simple editor. Without HTML its text is read, and it gets HTML. */
export function toRich({ html_body, text_body }: TemplateForm): Conversion {
  const isTextOnly = html_body.trim() === '';
  const { document, lost } = isTextOnly
    ? { document: readText(text_body), lost: ['textOnly' as const] }
    : readHtml(html_body);
  const change = {
    editor: 'rich' as const,
    text_follows: true,
    html_body: writeHtml(document),
    text_body: writeText(document),
  };
  const keepsText = isTextOnly || words(change.text_body) === words(text_body);
  return { to: 'rich', change, losses: keepsText ? lost : [...lost, 'text'] };
}

/** Makes the text part follow the simple editor's document again. */
export function toFollowingText({ html_body, text_body }: TemplateForm): Conversion {
  const change = { text_follows: true, text_body: writeText(readHtml(html_body).document) };
  return { to: 'text', change, losses: words(change.text_body) === words(text_body) ? [] : ['text'] };
}

/** Removes spaces and rules, which the two parts write differently. */
const words = (text: string): string => text.replace(/[\s─-]/g, '');
