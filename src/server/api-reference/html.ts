/** Markup that is ready to be sent. Only `html` makes it, so that all else is escaped. */
export interface Html {
  readonly markup: string;
}

type Part = Html | string | number | null | readonly Part[];

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/**
 * A template whose values are escaped, but for markup made by itself. null is nothing, an array is its parts in a row.
 */
export const html = (texts: TemplateStringsArray, ...parts: readonly Part[]): Html => ({
  markup: texts.map((text, index) => text + (index < parts.length ? markupOf(parts[index] ?? null) : '')).join(''),
});

function markupOf(part: Part): string {
  if (part === null) return '';
  if (typeof part === 'string' || typeof part === 'number') {
    return String(part).replace(/[&<>"']/g, (char) => ESCAPES[char] ?? '');
  }
  return 'markup' in part ? part.markup : part.map(markupOf).join('');
}
