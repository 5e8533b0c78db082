/** Markup that is safe to send. Only `html` creates it, so that everything else is escaped. */
export interface Html {
  readonly markup: string;
}

type Part = Html | string | number | null | readonly Part[];

/** Joins a template, and escapes its values except Html. null renders as nothing, an array as its joined parts. */
export const html = (texts: TemplateStringsArray, ...parts: readonly Part[]): Html => ({
  markup: texts.map((text, index) => text + (index < parts.length ? markupOf(parts[index] ?? null) : '')).join(''),
});

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes a text for an element or a quoted attribute. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => ESCAPES[char] ?? '');

function markupOf(part: Part): string {
  if (part === null) return '';
  if (typeof part === 'string' || typeof part === 'number') return escapeHtml(String(part));
  return 'markup' in part ? part.markup : part.map(markupOf).join('');
}
