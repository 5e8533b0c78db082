import { type Loss, lossesOf } from './html-losses.ts';
import { foldDates, tidy } from './read-inlines.ts';
import {
  type Block,
  BOLD,
  hrefOf,
  type Inline,
  isTag,
  type List,
  type ListItem,
  linkTo,
  type Mark,
  type RichDocument,
  splitLiquid,
  usableLink,
} from './rich-document.ts';

type Marks = readonly Mark[];

interface TrustedTypes {
  createPolicy(name: string, rules: { createHTML: (html: string) => string }): { createHTML(html: string): unknown };
}

const { trustedTypes } = window as { readonly trustedTypes?: TrustedTypes };

export interface ReadHtml {
  readonly document: RichDocument;
  /** What the document cannot keep, each kind once. */
  readonly lost: readonly Loss[];
  /** The number of pictures left out. */
  readonly images: number;
  /** The number of tables whose rows became lines. */
  readonly tables: number;
}

/**
 * Reads an HTML mail, or pasted HTML, into a document: text, bold, links, lists, Liquid. All else is dropped.
 * Lines of preformatted text and rows of a table stay lines.
 * @param plain the pasted plain text. Firefox does not copy styles that make line ends visible, so this shows them
 */
export function readHtml(html: string, plain = ''): ReadHtml {
  const lines = plain.replace(LINE_END, '\n');
  const found = { lost: new Set<Loss>(), images: 0, tables: 0, keepsLines: false, plain: lines };
  const blocks = readBlocks(parseHtml(html), [], found);
  const content: readonly Block[] = blocks.length === 0 ? [{ type: 'paragraph' }] : blocks;
  return { document: { type: 'doc', content }, lost: [...found.lost], images: found.images, tables: found.tables };
}

interface Found {
  readonly lost: Set<Loss>;
  images: number;
  tables: number;
  /** Whether the current element shows line ends of its source. */
  keepsLines: boolean;
  /** The pasted text, with \n at the end of each shown line. */
  readonly plain: string;
}

const LINE_END = /\r\n?|\n/g;

/** The blocks of an element that have been read, and the current paragraph. */
interface Reader {
  readonly blocks: Block[];
  inlines: Inline[];
  readonly found: Found;
}

function readBlocks(parent: ParentNode, marks: Marks, found: Found): readonly Block[] {
  const reader: Reader = { blocks: [], inlines: [], found };
  readChildren(reader, parent, marks);
  endParagraph(reader);
  return foldDates(reader.blocks);
}

function readChildren(reader: Reader, parent: ParentNode, marks: Marks): void {
  for (const node of parent.childNodes) {
    if (node.nodeType === node.TEXT_NODE) {
      if (!isBetweenBlocks(node)) readText(reader, node.nodeValue ?? '', marks);
    } else if (node.nodeType === node.ELEMENT_NODE) readElement(reader, node as Element, marks);
    else if (node.nodeType === node.COMMENT_NODE) reader.found.lost.add('comment');
  }
}

function readText({ inlines, found }: Reader, text: string, marks: Marks): void {
  for (const inline of splitLiquid({ type: 'text', text, ...(marks.length > 0 && { marks }) })) {
    if (inline.type !== 'text' || !(found.keepsLines || wasShownIn(found.plain, inline.text))) inlines.push(inline);
    else {
      const shown = inline.text.replace(/\t/g, CELL_GAP);
      const lines = shown.split(LINE_END).map((line) => ({ ...inline, text: line }));
      inlines.push(...lines.flatMap((line, at): Inline[] => (at === 0 ? [line] : [{ type: 'hardBreak' }, line])));
    }
  }
}

/** Whether the pasted plain text shows the line ends of a text. */
function wasShownIn(plain: string, text: string): boolean {
  const written = text.trim().replace(LINE_END, '\n');
  return written.includes('\n') && plain.includes(written);
}

/** Elements whose content is never a mail's text. */
const DROPPED = new Set('script style template noscript title iframe object select textarea'.split(' '));

const BLOCKS = new Set(
  (
    'p div center section article main header footer aside nav address blockquote pre form fieldset table caption ' +
    'thead tbody tfoot tr td th h1 h2 h3 h4 h5 h6 ul ol li dl dt dd hr body html figure'
  ).split(' '),
);

const isBlock = (node: Node | null): boolean => node instanceof Element && BLOCKS.has(node.localName);

/** Whether a text is white space between two block elements, which is never shown, even in preformatted text. */
const isBetweenBlocks = ({ nodeValue, previousSibling, nextSibling }: Node): boolean =>
  nodeValue?.trim() === '' && (isBlock(previousSibling) || isBlock(nextSibling));

function readElement(reader: Reader, element: Element, marks: Marks): void {
  const { found } = reader;
  const { keepsLines } = found;
  found.keepsLines = showsLines(element, keepsLines);
  readShown(reader, element, marks);
  found.keepsLines = keepsLines;
}

function readShown(reader: Reader, element: Element, marks: Marks): void {
  const { found } = reader;
  const tag = element.localName;
  if (isListMarker(element)) return;
  for (const loss of lossesOf(element)) found.lost.add(loss);
  if (tag === 'img') found.images += 1;
  if (DROPPED.has(tag)) return;
  if (BLOCKS.has(tag)) readBlock(reader, element, marks);
  else if (tag === 'br') reader.inlines.push({ type: 'hardBreak' });
  else readChildren(reader, element, marksOf(element, marks, found.lost));
}

/** Separates the cells of a row: a space that no mail program collapses. */
export const CELL_GAP = '\u3000';
const RULE = '─'.repeat(20);

function readBlock(reader: Reader, element: Element, marks: Marks): void {
  const tag = element.localName;
  const wordList = wordListOf(element);
  endParagraph(reader);
  if (tag === 'ul' || tag === 'ol') readList(reader, element, marks);
  else if (tag === 'hr') reader.blocks.push({ type: 'paragraph', content: [{ type: 'text', text: RULE }] });
  else if (tag === 'table' && isDataTable(element)) readTable(reader, element, marks);
  else if (wordList !== null) addItem(reader, wordList, readItem(element, marks, reader.found));
  else {
    readChildren(reader, element, /^h[1-6]$/.test(tag) ? withMark(marks, BOLD) : marks);
    endParagraph(reader);
  }
}

/** The longest cell of a data table. Longer cells, and cells with these elements, are layout. */
const MAX_CELL_CHARACTERS = 200;
const LAYOUT = 'table, ul, ol, hr';

const cellsOf = (row: Element) => [...row.children].filter(({ localName }) => localName === 'td' || localName === 'th');

/** Whether a table holds data. Other tables are a mail's layout: their cells are read as paragraphs. */
function isDataTable(table: Element): boolean {
  const cells = [...table.querySelectorAll('tr')].flatMap(cellsOf);
  return (
    cells.length > 1 &&
    table.querySelector(LAYOUT) === null &&
    cells.every(({ textContent }) => textContent.length <= MAX_CELL_CHARACTERS && !textContent.includes('{%'))
  );
}

/** Reads a data table: each row is a line, with a gap between cells. */
function readTable(reader: Reader, table: Element, marks: Marks): void {
  const { found } = reader;
  for (const part of table.querySelectorAll('thead, tbody, tfoot, tr, td, th'))
    for (const loss of lossesOf(part)) found.lost.add(loss);
  const caption = table.querySelector('caption');
  if (caption !== null) readElement(reader, caption, marks);
  for (const row of table.querySelectorAll('tr')) {
    const cells = cellsOf(row).map((cell) => joined(readBlocks(cell, marks, found).map(inlinesOf), ' '));
    const line = joined(cells, CELL_GAP);
    if (line.length > 0) reader.inlines.push(...line, { type: 'hardBreak' });
  }
  found.tables += 1;
  endParagraph(reader);
}

/** Returns the content of a paragraph as one line. */
const inlinesOf = (block: Block): readonly Inline[] =>
  (block.type === 'paragraph' ? (block.content ?? []) : []).map((inline) =>
    inline.type === 'hardBreak' ? { type: 'text', text: ' ' } : inline,
  );

const joined = (parts: readonly (readonly Inline[])[], gap: string): Inline[] =>
  parts
    .filter((part) => part.length > 0)
    .flatMap((part, at): Inline[] => (at === 0 ? [...part] : [{ type: 'text', text: gap }, ...part]));

/** Ends the current paragraph and adds it to the blocks. Tags outside of all text become lines of their own. */
function endParagraph(reader: Reader): void {
  const read = tidy(reader.inlines);
  reader.inlines = [];
  if (read === null) return;
  const shown = read.filter((one) => one.type !== 'text' || one.text.trim() !== '');
  const areTags = shown.length > 0 && shown.every(isTag);
  if (areTags) reader.blocks.push(...shown.map((one): Block => ({ type: 'paragraph', content: [one] })));
  else reader.blocks.push(read.length === 0 ? { type: 'paragraph' } : { type: 'paragraph', content: read });
}

function readList(reader: Reader, element: Element, marks: Marks): void {
  const items = [...element.children].filter(({ localName }) => localName === 'li');
  const others = [...element.childNodes].filter((node) => !items.includes(node as Element));
  // Tags between the items would lose their position.
  if (items.length === 0 || others.some(({ textContent }) => textContent?.trim() !== '')) {
    reader.found.lost.add('list');
    readChildren(reader, element, marks);
    endParagraph(reader);
    return;
  }
  reader.blocks.push({
    type: element.localName === 'ol' ? 'orderedList' : 'bulletList',
    content: items.map((item) => readItem(item, marks, reader.found)),
  });
}

function readItem(element: Element, marks: Marks, found: Found): ListItem {
  const content = readBlocks(element, marks, found);
  return {
    type: 'listItem',
    content: content[0]?.type === 'paragraph' ? content : [{ type: 'paragraph' }, ...content],
  };
}

/** Adds an item to the preceding list if it has the same type, or else to a new list. */
function addItem({ blocks }: Reader, type: List['type'], item: ListItem): void {
  const last = blocks.at(-1);
  if (last?.type === type) blocks.splice(-1, 1, { type, content: [...last.content, item] });
  else blocks.push({ type, content: [item] });
}

/** The Trusted Types policy for parsed HTML. Its document has no window, so nothing runs or loads. */
const policy = trustedTypes?.createPolicy('template-html', { createHTML: (html) => html });

const STYLE_SHEET = /<style\b[^>]*>[\s\S]*?<\/style>/gi;
const TAG = /<[a-z][^>]*>/gi;
const HANDLER = /\son\w+\s*=/gi;

/**
 * Parses HTML without showing it. The element is an `html`, so that `body` keeps its attributes.
 * It is in no document tree, so that its styles are not applied. Style sheets and event handlers are removed first:
 * the browser would report each as a violation of the page's policy.
 */
function parseHtml(html: string): ParentNode {
  const root = document.implementation.createHTMLDocument('').createElement('html');
  const quiet = html
    .replace(STYLE_SHEET, '<style></style>')
    .replace(TAG, (tag) => tag.replace(HANDLER, ' data-handler='));
  root.innerHTML = (policy?.createHTML(quiet) ?? quiet) as string;
  return root;
}

/** Returns the marks inside an inline element. A link inside a link is ignored. */
function marksOf(element: Element, marks: Marks, lost: Set<Loss>): Marks {
  const href = element.localName === 'a' && hrefOf({ marks }) === null ? element.getAttribute('href') : null;
  const link = href === null ? null : usableLink(href);
  if (href !== null && link === null) lost.add('link');
  const linked = link === null ? marks : withMark(marks, linkTo(link));
  return isBoldElement(element) ? withMark(linked, BOLD) : linked;
}

const withMark = (marks: Marks, mark: Mark): Marks =>
  marks.some(({ type }) => type === mark.type) ? marks : [...marks, mark];

const styleOf = (element: Element): string => element.getAttribute('style') ?? '';

const WHITE_SPACE = /(?:^|;)\s*white-space(?:-collapse)?:\s*([\w-]+)/i;

/** Whether an element shows line ends of its source. */
function showsLines(element: Element, inherited: boolean): boolean {
  const style = WHITE_SPACE.exec(styleOf(element))?.[1];
  if (style === undefined) return inherited || element.localName === 'pre';
  return /^(?:pre(?:-wrap|-line)?|preserve(?:-breaks)?|break-spaces)$/i.test(style);
}

/** Whether an element is bold. Styles override its name: Google Docs wraps all text in a `<b>` of normal weight. */
function isBoldElement(element: Element): boolean {
  const weight = /font-weight:\s*(\w+)/.exec(styleOf(element))?.[1];
  if (weight === undefined) return element.localName === 'b' || element.localName === 'strong';
  return weight === 'bold' || Number(weight) >= 600;
}

/** Whether an element is a bullet or a number that Word writes as text. */
const isListMarker = (element: Element): boolean => /mso-list:\s*ignore/i.test(styleOf(element));

/** Returns the list type of a paragraph that Word writes for a list item, or null. */
function wordListOf(element: Element): List['type'] | null {
  if (!/mso-list:\s*l\d/i.test(styleOf(element))) return null;
  const marker = [...element.querySelectorAll('[style]')].find(isListMarker)?.textContent ?? '';
  return /\d/.test(marker) ? 'orderedList' : 'bulletList';
}
