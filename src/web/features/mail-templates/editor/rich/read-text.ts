import { foldDates } from './read-inlines.ts';
import { type Block, type Inline, isTag, type RichDocument, splitLiquid } from './rich-document.ts';

/** Reads plain text, or the text part of a mail. A blank line ends a paragraph, and a line of tags is one. */
export function readText(text: string): RichDocument {
  const blocks: Block[] = [];
  let inlines: Inline[] = [];
  const flush = () => {
    if (inlines.length > 0) blocks.push({ type: 'paragraph', content: inlines });
    inlines = [];
  };
  /** Counts blank lines since the last other line. The first one separates, the others are empty paragraphs. */
  let blank = 0;
  for (const line of text.replace(/\r\n?/g, '\n').trimEnd().split('\n')) {
    const read = inlinesOf(line);
    if (read.length === 0) {
      flush();
      blank += 1;
      if (blank > 1) blocks.push({ type: 'paragraph' });
      continue;
    }
    blank = 0;
    const isTagLine = read.every(isTag);
    if (isTagLine) flush();
    inlines.push(...(inlines.length === 0 ? read : [{ type: 'hardBreak' as const }, ...read]));
    if (isTagLine) flush();
  }
  flush();
  const content = foldDates(blocks);
  return { type: 'doc', content: content.length === 0 ? [{ type: 'paragraph' }] : content };
}

const inlinesOf = (line: string): Inline[] => splitLiquid({ type: 'text', text: line });
