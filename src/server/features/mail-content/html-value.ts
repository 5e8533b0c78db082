import { toValue } from 'liquidjs';

/** A value that HTML templates output unescaped. Text templates and filters use its text. */
export class HtmlValue {
  readonly html: string;
  readonly #text: string;

  constructor(html: string, text: string) {
    this.html = html;
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
  '\n': '<br>',
};

/** Escapes an output for HTML, and keeps its line breaks, as in a signature. */
export function escapeHtml(value: unknown): string {
  const output: unknown = toValue(value);
  if (output instanceof HtmlValue) return output.html;
  return textOf(output).replace(/[&<>"'\n]/g, (character) => ENTITIES[character] ?? '');
}

/** Returns an output's value as liquidjs prints it: a text, a number, or lines. */
export function textOf(value: unknown): string {
  const output: unknown = toValue(value);
  if (Array.isArray(output)) return output.map(textOf).join('');
  return typeof output === 'string' || typeof output === 'number' || typeof output === 'boolean' ? `${output}` : '';
}
