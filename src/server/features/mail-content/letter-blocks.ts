/** Letters built of blocks, for samples and the template of a new account. */

/** A paragraph with its line breaks, a list, or the candidate dates with a line above them if any exist. */
export type Block = string | { readonly items: readonly string[] } | { readonly datesAfter: string };

export const ADDRESSEE = '{{ company_name }}\n{{ person_in_charge }}';
export const FIRST_GREETING =
  '突然のご連絡を失礼いたします。\n{{ account.company }}の{{ sender.person_in_charge }}と申します。';

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

const asParagraph = (text: string) => `<p>${text.replaceAll('\n', '<br>')}</p>`;

function asHtml(block: Block): string {
  if (typeof block === 'string') return asParagraph(block);
  if ('items' in block) return `<ul>${block.items.map((item) => `<li>${item}</li>`).join('')}</ul>`;
  const dates = '<p>{% for line in candidate_date_lines %}{{ line }}<br>{% endfor %}</p>';
  return `${IF_DATES}${asParagraph(block.datesAfter)}${dates}${END_IF}`;
}

/** Returns both bodies of a letter. The simple editor can represent the HTML, and derives the same text from it. */
export const bodiesOf = (blocks: readonly Block[]) => ({
  text_body: `${joinText(blocks)}\n`,
  html_body: blocks.map(asHtml).join('\n'),
});
