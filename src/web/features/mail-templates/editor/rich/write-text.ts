import { withNote } from '#web/lib/phrases.ts';
import {
  type Block,
  contentOf,
  DATES_END,
  DATES_IF,
  hrefOf,
  type Inline,
  isTagLine,
  type List,
  type RichDocument,
  runsOf,
  withLiquid,
} from './rich-document.ts';

/**
 * Writes the document as the text part of a mail: a template, for mail programs that show no HTML.
 * A blank line separates paragraphs. A link is written as `言葉（URL）`, list items as `・` and `1. `.
 */
export const writeText = (document: RichDocument): string => `${joined(withLiquid(document).content)}\n`;

/** A piece of the text. A line of tags has no blank lines around it, because it disappears from the mail. */
interface Piece {
  readonly text: string;
  readonly isTag: boolean;
}

function joined(blocks: readonly Block[]): string {
  const pieces = blocks.map(pieceOf);
  return pieces.reduce((text, { text: next, isTag }, place) => {
    const before = pieces[place - 1];
    if (before === undefined) return next;
    // An empty paragraph is one line.
    return text + (isTag || before.isTag || before.text === '' ? '\n' : '\n\n') + next;
  }, '');
}

function pieceOf(block: Block): Piece {
  switch (block.type) {
    case 'paragraph':
      return { text: lines(contentOf(block)), isTag: isTagLine(block) };
    case 'bulletList':
    case 'orderedList':
      return { text: listText(block), isTag: false };
    case 'dates':
      return { text: [DATES_IF, joined(block.content), DATES_END].join('\n'), isTag: true };
  }
}

const FULL_WIDTH_SPACE = '\u3000';

const listText = ({ type, content }: List): string =>
  content
    .map((item, place) => {
      const head = type === 'orderedList' ? `${place + 1}. ` : '・';
      const indent = type === 'orderedList' ? ' '.repeat(head.length) : FULL_WIDTH_SPACE;
      return (
        head +
        item.content
          .map((block) => pieceOf(block).text)
          .join('\n')
          .replaceAll('\n', `\n${indent}`)
      );
    })
    .join('\n');

const lines = (inlines: readonly Inline[]): string =>
  runsOf(inlines, hrefOf)
    .map(({ key, items }) => linked(items.map(oneText).join(''), key))
    .join('');

function linked(words: string, href: string | null): string {
  if (href === null) return words;
  const target = href.replace(/^(?:mailto|tel):/i, '');
  // A link whose words are its address is written once.
  return [href, target].includes(words.trim()) ? words : withNote(words, target);
}

function oneText(inline: Inline): string {
  switch (inline.type) {
    case 'text':
      return inline.text.replaceAll('\u00a0', ' ');
    case 'hardBreak':
      return '\n';
    case 'liquid':
      return inline.attrs.source;
  }
}
