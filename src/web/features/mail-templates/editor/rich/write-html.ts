import {
  type Block,
  contentOf,
  DATES_CHIP,
  DATES_END,
  DATES_IF,
  DATES_LOOP,
  hrefOf,
  type Inline,
  isBold,
  isTagLine,
  type ListItem,
  type RichDocument,
  runsOf,
  splitLiquid,
  withLiquid,
} from './rich-document.ts';

/**
 * The styles that the simple editor writes, because mail programs ignore style sheets and some have no default
 * margins. read-html.ts recognises them.
 */
export const OWN_STYLES = {
  body: 'margin:0;padding:24px;font-family:sans-serif;font-size:15px;line-height:1.8;color:#222',
  p: 'margin:0 0 1em',
  list: 'margin:0 0 1em;padding-left:1.5em',
  item: 'margin:0',
  a: 'color:#1864ab',
} as const;

/** Writes the document as the HTML part of a mail: a template with inline styles only. */
export const writeHtml = (document: RichDocument): string => `<!doctype html>
<html lang="ja">
<body style="${OWN_STYLES.body}">
${withLiquid(document).content.map(blockHtml).join('\n')}
</body>
</html>
`;

function blockHtml(block: Block): string {
  switch (block.type) {
    case 'paragraph':
      return isTagLine(block)
        ? inlineHtml(contentOf(block))
        : `<p style="${OWN_STYLES.p}">${lineHtml(contentOf(block))}</p>`;
    case 'bulletList':
      return listHtml('ul', block.content);
    case 'orderedList':
      return listHtml('ol', block.content);
    case 'dates':
      return [DATES_IF, ...block.content.map(blockHtml), DATES_END].join('\n');
  }
}

const listHtml = (tag: 'ul' | 'ol', items: readonly ListItem[]): string =>
  [`<${tag} style="${OWN_STYLES.list}">`, ...items.map(itemHtml), `</${tag}>`].join('\n');

/** Writes a list item. A single paragraph gets no <p>; others get no margins, so that items stay close. */
function itemHtml({ content }: ListItem): string {
  const [first, ...others] = content;
  if (first?.type === 'paragraph' && others.length === 0) return `<li>${lineHtml(contentOf(first))}</li>`;
  const parts = content.map((block) =>
    block.type === 'paragraph' && !isTagLine(block)
      ? `<p style="${OWN_STYLES.item}">${lineHtml(contentOf(block))}</p>`
      : blockHtml(block),
  );
  return `<li>${parts.join('\n')}</li>`;
}

/** Writes a line. An empty last line has no height in HTML unless a break follows it. */
const lineHtml = (inlines: readonly Inline[]): string =>
  inlineHtml(inlines) + (inlines.length === 0 || inlines.at(-1)?.type === 'hardBreak' ? '<br>' : '');

/** Writes inlines. Neighbours share their link and their bold element. */
const inlineHtml = (inlines: readonly Inline[]): string =>
  runsOf(withSpaces(inlines), hrefOf)
    .map(({ key, items }) => {
      const inner = runsOf(items, isBold)
        .map((run) =>
          run.key ? `<strong>${run.items.map(oneHtml).join('')}</strong>` : run.items.map(oneHtml).join(''),
        )
        .join('');
      return key === null ? inner : `<a href="${hrefHtml(key)}" style="${OWN_STYLES.a}">${inner}</a>`;
    })
    .join('');

/** Keeps the spaces that HTML would collapse: repeated ones, and those at the ends of a line. */
function withSpaces(inlines: readonly Inline[]): readonly Inline[] {
  const isEdge = (inline: Inline | undefined) => inline === undefined || inline.type === 'hardBreak';
  const endsInSpace = (inline: Inline | undefined) => inline?.type === 'text' && inline.text.endsWith(' ');
  return inlines.map((inline, place) => {
    if (inline.type !== 'text') return inline;
    let text = inline.text.replace(/ (?= )/g, NO_BREAK);
    const before = inlines[place - 1];
    if (isEdge(before) || endsInSpace(before)) text = text.replace(/^ /, NO_BREAK);
    if (isEdge(inlines[place + 1])) text = text.replace(/ $/, NO_BREAK);
    return { ...inline, text };
  });
}

/** Replaces double quotes within the Liquid of a link by single ones, because they would end the attribute. */
const hrefHtml = (href: string): string =>
  splitLiquid({ type: 'text', text: href })
    .map((piece) => (piece.type === 'liquid' ? piece.attrs.source.replace(/"([^"']*)"/g, "'$1'") : oneHtml(piece)))
    .join('');

function oneHtml(inline: Inline): string {
  switch (inline.type) {
    case 'text':
      return escapeHtml(inline.text);
    case 'hardBreak':
      return '<br>';
    case 'liquid':
      return inline.attrs.source === DATES_CHIP ? DATES_LOOP : inline.attrs.source;
  }
}

const NO_BREAK = '\u00a0';
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  [NO_BREAK]: '&nbsp;',
};

const escapeHtml = (text: string): string => text.replace(/[&<>"\u00a0]/g, (found) => ENTITIES[found] ?? found);
