/** Letters in blocks: what the samples and the template of a new account are made of. */

/** A paragraph, whose line breaks are kept; a list; or the candidate dates with a line above them, where any exist. */
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

/** Joins blocks by blank lines. Those around the dates are half in the condition, so that no gap stays without them. */
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

/** Returns both bodies of a letter. The simple editor can express the HTML, and makes the same text of it. */
export const bodiesOf = (blocks: readonly Block[]) => ({
  text_body: `${joinText(blocks)}\n`,
  html_body: blocks.map(asHtml).join('\n'),
});
