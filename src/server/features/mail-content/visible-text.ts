import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parse } from 'parse5';
import type { VisibleText } from '#domain/law/mail.ts';
import { isShown, type Look, lookOf, ROOT_LOOK } from './inline-style.ts';

type Node = DefaultTreeAdapterTypes.ChildNode;
type Element = DefaultTreeAdapterTypes.Element;

/** A parser takes too long for more or deeper elements. Mails of people have far fewer. */
const MAX_ELEMENTS = 10_000;
const MAX_DEPTH = 256;

/** Elements that do not begin a new line. */
const INLINE: ReadonlySet<string> = new Set(
  'a abbr b bdi big cite code em font i label mark q s small span strong sub sup u wbr'.split(' '),
);

const NOTHING: VisibleText = { text: '', links: [], unreadable: [] };

/** Returns a plain text as its reader sees it. */
export const visibleOfText = (text: string): VisibleText => ({ ...NOTHING, text });

/**
 * Returns what the reader of an HTML body sees, with its links.
 * It reads elements, attributes and their own styles as a browser does, but no style sheets.
 * A body above the limits counts as showing nothing.
 */
export function visibleOfHtml(html: string): VisibleText {
  const root = parseWithin(html);
  if (root === null) return NOTHING;
  const found = { text: '', links: [] as { href: string; start: number; end: number }[], unreadable: [] as Span[] };
  const addText = (text: string, { color, background }: Look): void => {
    const start = found.text.length;
    found.text += text;
    if (color === background) found.unreadable.push({ start, end: found.text.length });
  };
  const visit = (node: Node, outer: Look, depth = 0): void => {
    // The parser may nest elements deeper than its own stack of open ones.
    if (depth > 2 * MAX_DEPTH) return;
    if ('value' in node) {
      if (isShown(outer)) addText(node.value, outer);
      return;
    }
    if (!isElement(node)) return;
    const look = lookOf(node, outer);
    if (look.isHidden) return;
    const isInline = INLINE.has(node.tagName);
    if (!isInline) found.text += '\n';
    const start = found.text.length;
    for (const child of node.childNodes) visit(child, look, depth + 1);
    const href = hrefOf(node);
    if (href !== undefined) found.links.push({ href, start, end: found.text.length });
    if (!isInline) found.text += '\n';
  };
  for (const child of root.childNodes) visit(child, ROOT_LOOK);
  return found;
}

const hrefOf = ({ tagName, attrs }: Element): string | undefined =>
  tagName === 'a' ? attrs.find(({ name }) => name === 'href')?.value : undefined;

interface Span {
  readonly start: number;
  readonly end: number;
}

const isElement = (node: Node): node is Element => 'tagName' in node;

class TooLarge extends Error {}

/** Parses HTML within the limits, so that no template blocks a worker. @returns null above them */
function parseWithin(html: string, sourceCodeLocationInfo = false): DefaultTreeAdapterTypes.Document | null {
  let elements = 0;
  let depth = 0;
  try {
    return parse(html, {
      sourceCodeLocationInfo,
      treeAdapter: {
        ...defaultTreeAdapter,
        createElement(...args) {
          elements += 1;
          if (elements > MAX_ELEMENTS) throw new TooLarge();
          return defaultTreeAdapter.createElement(...args);
        },
        onItemPush() {
          depth += 1;
          if (depth > MAX_DEPTH) throw new TooLarge();
        },
        onItemPop() {
          depth -= 1;
        },
      },
    });
  } catch (error) {
    if (error instanceof TooLarge) return null;
    throw error;
  }
}

/**
 * Returns where a footer goes into the source of an HTML template: before the end tag of its body, or at its end.
 * Tags and outputs of Liquid are blanked for the parser, because an operator in them may look like HTML.
 */
export function footerPlace(source: string): number {
  const plain = source.replace(/\{\{.*?\}\}|\{%.*?%\}/gs, (tag) => ' '.repeat(tag.length));
  // The parser reports the end of a body only if its start tag is written.
  const html = childElement(parseWithin(BODY + plain, true), 'html');
  const end = childElement(html, 'body')?.sourceCodeLocation?.endTag;
  return end ? end.startOffset - BODY.length : source.length;
}

const childElement = (parent: DefaultTreeAdapterTypes.ParentNode | null | undefined, tagName: string) =>
  parent?.childNodes.filter(isElement).find((element) => element.tagName === tagName);

const BODY = '<body>';
