import { OWN_STYLES } from './write-html.ts';

/** What the simple editor cannot keep of an HTML mail. The texts are in words.ts. */
export type Loss = 'image' | 'table' | 'heading' | 'rule' | 'look' | 'comment' | 'list' | 'numbers' | 'link' | 'other';

/** Elements whose content is kept and which leave nothing else. */
const PLAIN = new Set(
  'html head meta title body main section article header footer div center p br span b strong a ul ol li o:p'.split(
    ' ',
  ),
);
const BY_TAG: Readonly<Record<string, Loss>> = {
  ...Object.fromEntries('img picture svg video canvas object embed iframe'.split(' ').map((tag) => [tag, 'image'])),
  ...Object.fromEntries(
    'table caption colgroup col thead tbody tfoot tr th td'.split(' ').map((tag) => [tag, 'table']),
  ),
  ...Object.fromEntries('h1 h2 h3 h4 h5 h6'.split(' ').map((tag) => [tag, 'heading'])),
  ...Object.fromEntries(
    'i em u s del ins mark sub sup font small big code pre tt blockquote style'.split(' ').map((tag) => [tag, 'look']),
  ),
  hr: 'rule',
};
/** Attributes that change the look of an element. */
const LOOKS = ['class', 'align', 'valign', 'bgcolor', 'background', 'color', 'width', 'height', 'dir'];

/** Attributes of a numbered list with other numbers than 1, 2, 3. */
const NUMBERS = ['start', 'type', 'reversed'];

const ownStyles: ReadonlySet<string> = new Set(Object.values(OWN_STYLES));

/** Returns what is lost of one element, without its content. */
export function lossesOf(element: Element): Loss[] {
  const tag = element.localName;
  const losses: Loss[] = PLAIN.has(tag) ? [] : [BY_TAG[tag] ?? 'other'];
  const style = element.getAttribute('style')?.trim() ?? '';
  const isOwn = style === '' || ownStyles.has(style);
  if (!isOwn || LOOKS.some((name) => element.hasAttribute(name))) losses.push('look');
  if (tag === 'ol' && NUMBERS.some((name) => element.hasAttribute(name))) losses.push('numbers');
  return losses;
}
