/** What a line of a salutation has beside the names: titles of honour and of the person that is not known. */
const HONOURS = /(?:ご?担当者?|代表者?|責任者|様|さま|御中|殿|各位|[\s\u3000,、]|&nbsp;)+/g;

/** A person behind a department: `購買部 緑川 花子 様`. A sentence has 。 or 、. */
const ADDRESSED = /^[^。、]{1,40}(?:様|さま|御中|殿|各位)$/;

/** Whether a line only names whom a mail is for. */
function isSalutation(line: string, names: readonly string[]): boolean {
  const rest = names.reduce((left, name) => left.replaceAll(name, ''), line);
  return rest.replaceAll(HONOURS, '') === '' || ADDRESSED.test(line.trim());
}

/** The parts of HTML: what shows no text, the ends of lines, other tags, text. */
const PARTS = /<(style|title|script)\b[\s\S]*?<\/\1\s*>|<!--[\s\S]*?-->|<\/?[a-z!][^>]*>|[^<]+|</gi;
const LINE_END = /^<(?:br|\/?(?:p|div|td|tr|table|h[1-6]|li|ul|ol|blockquote))\b/i;

/** Returns a mail's text from its first line on that does not name whom it is for. */
export function textAfterSalutation(text: string, names: readonly string[]): string {
  const lines = text.split(/\r?\n/);
  const first = lines.findIndex((line) => !isSalutation(line, names));
  return first === -1 ? text : lines.slice(first).join('\n');
}

/** Returns a mail's HTML without the texts and breaks of its salutation; all other tags stay. */
export function htmlAfterSalutation(html: string, names: readonly string[]): string {
  const parts = html.match(PARTS) ?? [];
  let end = 0;
  let line = '';
  for (const [at, part] of parts.entries()) {
    if (LINE_END.test(part)) {
      if (!isSalutation(line, names)) break;
      line = '';
      end = at + 1;
    } else if (!part.startsWith('<')) line += part;
  }
  // A mail of nothing else shows its salutation.
  if (parts.slice(end).every((part) => part.startsWith('<') || part.trim() === '')) return html;
  return parts.filter((part, at) => at >= end || (part.startsWith('<') && !/^<br\b/i.test(part))).join('');
}
