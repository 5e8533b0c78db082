import { type Block, DATES_CHIP, DATES_IF, type Inline, liquid, type Paragraph } from './rich-document.ts';

/** Characters next to which a line end of the source is no space. */
const WIDE = '[\\u2e80-\\u9fff\\uac00-\\ud7af\\uff00-\\uffef]';
const BREAK_IN_JAPANESE = new RegExp(`(?<=${WIDE})[ \\t]*\\r?\\n\\s*(?=${WIDE})`, 'g');

/** Collapses white space as browsers do. No-break and full-width spaces stay. */
const collapsed = (text: string): string => text.replace(BREAK_IN_JAPANESE, '').replace(/[ \t\r\n\f]+/g, ' ');

/**
 * Returns what a paragraph of HTML shows: no white space at the ends of lines, and the dates as one chip.
 * null: it shows nothing, not even an empty line.
 */
export function tidy(read: readonly Inline[]): Inline[] | null {
  const inlines = joinDates(
    read.map((inline) => (inline.type === 'text' ? { ...inline, text: collapsed(inline.text) } : inline)),
  );
  const isEdge = (inline: Inline | undefined) => inline === undefined || inline.type === 'hardBreak';
  const kept = inlines.flatMap((inline, place): Inline[] => {
    if (inline.type !== 'text') return [inline];
    let { text } = inline;
    if (isEdge(inlines[place - 1])) text = text.replace(/^ /, '');
    if (isEdge(inlines[place + 1])) text = text.replace(/ $/, '');
    return text === '' ? [] : [{ ...inline, text }];
  });
  const hasLine = kept.some(({ type }) => type === 'hardBreak') || kept.some((inline) => inline.type === 'text');
  // The last line break of a paragraph shows nothing.
  if (kept.at(-1)?.type === 'hardBreak') kept.pop();
  const isBlank = kept.every((inline) => inline.type === 'text' && inline.text.trim() === '');
  if (isBlank) return hasLine ? [] : null;
  return kept;
}

/** Replaces a Liquid loop over the candidate dates by their chip. */
function joinDates(inlines: readonly Inline[]): Inline[] {
  // White space inside the loop is not shown.
  const shown = (inline: Inline) => inline.type !== 'text' || inline.text.trim() !== '';
  const joined: Inline[] = [];
  for (let place = 0; place < inlines.length; place += 1) {
    const inline = inlines[place] as Inline;
    const end = LOOP.test(sourceOf(inline) ?? '') ? inlines.findIndex((one, at) => at > place && isLoopEnd(one)) : -1;
    if (end > 0 && isDatesLoop(inlines.slice(place, end + 1).filter(shown))) {
      joined.push(liquid(DATES_CHIP, inline.marks));
      place = end;
    } else joined.push(inline);
  }
  return joined;
}

const sourceOf = (inline: Inline | undefined): string | null =>
  inline?.type === 'liquid' ? inline.attrs.source : null;

const LOOP = /^\{%-?\s*for\s+(\w+)\s+in\s+candidate_date_lines\s*-?%\}$/;
const isLoopEnd = (inline: Inline): boolean => /^\{%-?\s*endfor\s*-?%\}$/.test(sourceOf(inline) ?? '');

/** Whether a loop writes each date with a line break, and nothing else. */
function isDatesLoop([first, line, lineBreak, last, ...others]: readonly Inline[]): boolean {
  const variable = LOOP.exec(sourceOf(first) ?? '')?.[1];
  const shown = /^\{\{-?\s*(\w+)\s*-?\}\}$/.exec(sourceOf(line) ?? '')?.[1];
  return (
    variable !== undefined &&
    shown === variable &&
    lineBreak?.type === 'hardBreak' &&
    last !== undefined &&
    others.length === 0
  );
}

/** Combines the blocks from the condition for candidate dates to its end into one. */
export function foldDates(blocks: readonly Block[]): readonly Block[] {
  const start = blocks.findIndex((block) => isDatesIf(tagOf(block)));
  if (start < 0) return blocks;
  const end = endOfDates(blocks, start);
  const content = blocks.slice(start + 1, end);
  const rest = blocks.slice(Math.max(end, start) + 1);
  if (end < 0 || content.length === 0) return [...blocks.slice(0, start + 1), ...foldDates(blocks.slice(start + 1))];
  return [...blocks.slice(0, start), { type: 'dates', content: foldDates(content) }, ...foldDates(rest)];
}

const isDatesIf = (tag: string | null): boolean => tag !== null && normal(tag) === DATES_IF;
const normal = (tag: string): string =>
  tag
    .replace(/\s+/g, ' ')
    .replaceAll("'", '"')
    .replace(/^\{%-? ?/, '{% ')
    .replace(/ ?-?%\}$/, ' %}');

/** Returns the tag that makes up a block, or null. */
function tagOf(block: Block | undefined): string | null {
  const { content = [] } = (block?.type === 'paragraph' ? block : {}) as Partial<Paragraph>;
  return content.length === 1 ? sourceOf(content[0]) : null;
}

/** Returns the index of the `endif`, or -1 if the condition has another branch or does not end among the blocks. */
function endOfDates(blocks: readonly Block[], start: number): number {
  let depth = 0;
  for (let place = start; place < blocks.length; place += 1) {
    const tag = normal(tagOf(blocks[place]) ?? '');
    if (/^\{% (?:if|unless|case|for)\b/.test(tag)) depth += 1;
    if (depth === 1 && /^\{% (?:else|elsif)\b/.test(tag)) return -1;
    if (/^\{% end(?:if|unless|case|for)\b/.test(tag)) depth -= 1;
    if (depth === 0) return place;
  }
  return -1;
}
