import type { Loss } from './html-losses.ts';
import { BOLD, hrefOf, type List, linkTo, type Mark, usableLink } from './rich-document.ts';

export type Marks = readonly Mark[];

/** Returns the marks within an inline element. A link within a link is none. */
export function marksOf(element: Element, marks: Marks, lost: Set<Loss>): Marks {
  const href = element.localName === 'a' && hrefOf({ marks }) === null ? element.getAttribute('href') : null;
  const link = href === null ? null : usableLink(href);
  if (href !== null && link === null) lost.add('link');
  const linked = link === null ? marks : withMark(marks, linkTo(link));
  return isBoldElement(element) ? withMark(linked, BOLD) : linked;
}

export const withMark = (marks: Marks, mark: Mark): Marks =>
  marks.some(({ type }) => type === mark.type) ? marks : [...marks, mark];

const styleOf = (element: Element): string => element.getAttribute('style') ?? '';

/** A style wins over the element's name: Google Docs wraps all of its text in a `<b>` of normal weight. */
function isBoldElement(element: Element): boolean {
  const weight = /font-weight:\s*(\w+)/.exec(styleOf(element))?.[1];
  if (weight === undefined) return element.localName === 'b' || element.localName === 'strong';
  return weight === 'bold' || Number(weight) >= 600;
}

/** Whether an element has a bullet or a number that Word writes as text. */
export const isListMarker = (element: Element): boolean => /mso-list:\s*ignore/i.test(styleOf(element));

/** Word writes items of lists as paragraphs. @returns the list of such a paragraph, or null */
export function wordListOf(element: Element): List['type'] | null {
  if (!/mso-list:\s*l\d/i.test(styleOf(element))) return null;
  const marker = [...element.querySelectorAll('[style]')].find(isListMarker)?.textContent ?? '';
  return /\d/.test(marker) ? 'orderedList' : 'bulletList';
}
