/**
 * The document of the simple editor, in ProseMirror's JSON form.
 * read-html.ts, write-html.ts and write-text.ts convert it; rich-schema.ts describes the same nodes to the editor.
 */
export interface RichDocument {
  readonly type: 'doc';
  readonly content: readonly Block[];
}

export type Block = Paragraph | List | Dates;
export const contentOf = ({ content = [] }: Paragraph): readonly Inline[] => content;

export interface Paragraph {
  readonly type: 'paragraph';
  readonly content?: readonly Inline[];
}

export interface List {
  readonly type: 'bulletList' | 'orderedList';
  readonly content: readonly ListItem[];
}

export interface ListItem {
  readonly type: 'listItem';
  readonly content: readonly Block[];
}

/** Blocks that only a mail with candidate dates shows. */
export interface Dates {
  readonly type: 'dates';
  readonly content: readonly Block[];
}

export type Inline = Text | LineBreak | Liquid;

interface Marked {
  readonly marks?: readonly Mark[];
}

export interface Text extends Marked {
  readonly type: 'text';
  readonly text: string;
}

export interface LineBreak extends Marked {
  readonly type: 'hardBreak';
}

/** A merge field, or a tag such as `{% if … %}`, which is shown as a chip. */
export interface Liquid extends Marked {
  readonly type: 'liquid';
  readonly attrs: { readonly source: string };
}

export type Mark = { readonly type: 'bold' } | { readonly type: 'link'; readonly attrs: { readonly href: string } };

export const BOLD: Mark = { type: 'bold' };
export const linkTo = (href: string): Mark => ({ type: 'link', attrs: { href } });

export const hrefOf = ({ marks = [] }: Marked): string | null =>
  marks.flatMap((mark) => (mark.type === 'link' ? [mark.attrs.href] : []))[0] ?? null;
export const isBold = ({ marks = [] }: Marked): boolean => marks.some(({ type }) => type === 'bold');

/** Splits a text at its Liquid; every second piece is Liquid. */
const LIQUID = /(\{\{.*?\}\}|\{%.*?%\})/s;
const ONE_LIQUID = /^(?:\{\{(?:(?!\}\}).)*\}\}|\{%(?:(?!%\}).)*%\})$/s;
/** Whether a text is exactly one output or tag: it is written into the mail unescaped. */
export const isLiquid = (source: string): boolean => ONE_LIQUID.test(source);

/** Returns the document with typed Liquid converted to Liquid nodes, as read-html.ts and read-text.ts make them. */
export const withLiquid = ({ content }: RichDocument): RichDocument => ({
  type: 'doc',
  content: content.map(blockWithLiquid),
});

function blockWithLiquid(block: Block): Block {
  switch (block.type) {
    case 'paragraph':
      return block.content === undefined ? block : { ...block, content: block.content.flatMap(splitLiquid) };
    case 'bulletList':
    case 'orderedList':
      return {
        ...block,
        content: block.content.map((item) => ({ ...item, content: item.content.map(blockWithLiquid) })),
      };
    case 'dates':
      return { ...block, content: block.content.map(blockWithLiquid) };
  }
}

/** Splits a text at its Liquid. */
export function splitLiquid(inline: Inline): Inline[] {
  if (inline.type !== 'text') return [inline];
  return inline.text
    .split(LIQUID)
    .filter((piece) => piece !== '')
    .map((piece) => (isLiquid(piece) ? liquid(piece, inline.marks) : { ...inline, text: piece }));
}

/**
 * The chip of the candidate dates. HTML has a loop instead, because a text of several lines would lose its breaks.
 */
export const DATES_CHIP = '{{ candidate_dates }}';
export const DATES_IF = '{% if candidate_dates != "" %}';
export const DATES_END = '{% endif %}';
export const DATES_LOOP = '{% for line in candidate_date_lines %}{{ line }}<br>{% endfor %}';

export const liquid = (source: string, marks: readonly Mark[] = []): Liquid => ({
  type: 'liquid',
  attrs: { source },
  ...(marks.length > 0 && { marks }),
});

/** Whether an inline is a tag, which itself writes nothing into the mail. */
export const isTag = (inline: Inline): boolean => inline.type === 'liquid' && inline.attrs.source.startsWith('{%');

/** Whether a paragraph consists of tags: the mail gets no paragraph for it. */
export const isTagLine = ({ content = [] }: Paragraph): boolean => content.length > 0 && content.every(isTag);

/** Protocols that a link may have. */
const LINK = /^(?:https?:\/\/|mailto:|tel:)\S/i;
/** Returns a link without spaces around it, or null if a mail may not have it. */
export function usableLink(href: string): string | null {
  const trimmed = href.trim();
  return LINK.test(trimmed) ? trimmed : null;
}

/** Groups neighbours with equal keys. */
export function runsOf<T, Key>(items: readonly T[], keyOf: (item: T) => Key): { key: Key; items: T[] }[] {
  const runs: { key: Key; items: T[] }[] = [];
  for (const item of items) {
    const key = keyOf(item);
    const last = runs.at(-1);
    if (last?.key === key && runs.length > 0) last?.items.push(item);
    else runs.push({ key, items: [item] });
  }
  return runs;
}
