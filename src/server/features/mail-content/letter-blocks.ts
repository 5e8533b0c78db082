/** Letters built of blocks, for samples, the template of a new account, and the letters of the demo. */

/** A paragraph with its line breaks, a list, or the candidate dates with a line above them if any exist. */
export type Block = string | { readonly items: readonly string[] } | { readonly datesAfter: string };

export const ADDRESSEE = '{{ company_name }}\n{{ person_in_charge }}';
export const FIRST_GREETING =
  '突然のご連絡を失礼いたします。\n{{ account.company }}の{{ sender.person_in_charge }}と申します。';
/** A sender without a signature shows its address, so that the line is never blank. */
export const CLOSING: readonly Block[] = ['{{ sender.signature | default: sender.email }}', '{{ legal_footer }}'];

function asText(block: Block): string {
  if (typeof block === 'string') return block;
  if ('items' in block) return block.items.map((item) => `・${item}`).join('\n');
  return `${IF_DATES}\n${block.datesAfter}\n\n{{ candidate_dates }}\n${END_IF}`;
}

const IF_DATES = '{% if candidate_dates != "" %}';
const END_IF = '{% endif %}';

/**
 * Joins blocks by blank lines. Half of those around the dates are conditional, so that no gap remains without dates.
 */
const joinText = (blocks: readonly Block[]): string =>
  blocks
    .map(asText)
    .join('\n\n')
    .replaceAll(`\n\n${IF_DATES}`, `\n${IF_DATES}`)
    .replaceAll(`${END_IF}\n\n`, `${END_IF}\n`);

/** The styles of the simple editor (web: OWN_STYLES): mail programs lack some default margins. */
const STYLES = {
  body: 'margin:0;padding:24px;font-family:sans-serif;font-size:15px;line-height:1.8;color:#222',
  paragraph: 'margin:0 0 1em',
  list: 'margin:0 0 1em;padding-left:1.5em',
} as const;

const asParagraph = (text: string) => `<p style="${STYLES.paragraph}">${text.replaceAll('\n', '<br>')}</p>`;

function asHtml(block: Block): string {
  if (typeof block === 'string') return asParagraph(block);
  if ('items' in block)
    return [`<ul style="${STYLES.list}">`, ...block.items.map((item) => `<li>${item}</li>`), '</ul>'].join('\n');
  const dates = asParagraph('{% for line in candidate_date_lines %}{{ line }}<br>{% endfor %}');
  return [IF_DATES, asParagraph(block.datesAfter), dates, END_IF].join('\n');
}

/**
 * Returns both bodies of a letter, byte for byte as the simple editor writes them: an edit that is undone there is no
 * change, and another one changes only what was edited.
 */
export const bodiesOf = (blocks: readonly Block[]) => ({
  text_body: `${joinText(blocks)}\n`,
  html_body: `<!doctype html>
<html lang="ja">
<body style="${STYLES.body}">
${blocks.map(asHtml).join('\n')}
</body>
</html>
`,
});
