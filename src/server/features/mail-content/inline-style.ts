import type { DefaultTreeAdapterTypes } from 'parse5';
import { canonicalColor } from './css-color.ts';
import { ROOT_FONT_SIZE, sizeOf } from './css-size.ts';

type Element = DefaultTreeAdapterTypes.Element;

/** What an element hands on to the text inside it. */
export interface Look {
  readonly isHidden: boolean;
  /** CSS pixels. */
  readonly fontSize: number;
  readonly color: string;
  readonly background: string;
}

export const ROOT_LOOK: Look = { isHidden: false, fontSize: ROOT_FONT_SIZE, color: 'black', background: 'white' };

/** Text below this size does not count as shown. */
const MIN_FONT_SIZE = 10;

/** Elements that show no text of their own in a mail, whatever their style says. */
const NEVER_SHOWN: ReadonlySet<string> = new Set(
  (
    'head title style script template noscript iframe object textarea select datalist audio video canvas svg math ' +
    'details dialog noembed noframes'
  ).split(' '),
);

/** Returns how the text of an element looks, by its name, attributes and own style. Style sheets are not read. */
export function lookOf({ tagName, attrs }: Element, outer: Look): Look {
  if (attrs.length === 0 && tagName !== 'small') return NEVER_SHOWN.has(tagName) ? { ...outer, isHidden: true } : outer;
  const attributes = new Map(attrs.map(({ name, value }) => [name, value]));
  const style = declarationsOf(attributes.get('style') ?? '');
  return {
    isHidden: outer.isHidden || NEVER_SHOWN.has(tagName) || attributes.has('hidden') || isHiddenBy(style),
    fontSize: fontSizeOf(tagName, attributes, style, outer.fontSize),
    color: colorOf(style.get('color') ?? (tagName === 'font' ? attributes.get('color') : undefined), outer.color),
    background: colorOf(
      style.get('background-color') ?? style.get('background') ?? attributes.get('bgcolor'),
      outer.background,
    ),
  };
}

const colorOf = (written: string | undefined, outer: string): string =>
  written === undefined ? outer : canonicalColor(written);

export const isShown = ({ isHidden, fontSize }: Look): boolean => !isHidden && fontSize >= MIN_FONT_SIZE;

type Style = ReadonlyMap<string, string>;

const NO_STYLE: Style = new Map();

/** One that is not closed lasts to the end. */
const COMMENT = /\/\*.*?(?:\*\/|$)/gs;

/** Reads the declarations of a style attribute. Of equal names the last one holds, or the last `!important` one. */
function declarationsOf(style: string): Style {
  if (style === '') return NO_STYLE;
  const plain = new Map<string, string>();
  const important = new Map<string, string>();
  for (const declaration of style.replace(COMMENT, '').split(';')) {
    const colon = declaration.indexOf(':');
    if (colon < 0) continue;
    const name = declaration.slice(0, colon).trim().toLowerCase();
    const value = declaration
      .slice(colon + 1)
      .trim()
      .toLowerCase();
    const mark = value.indexOf('!');
    if (mark < 0) plain.set(name, value);
    else important.set(name, value.slice(0, mark).trimEnd());
  }
  return new Map([...plain, ...important]);
}

const isZero = (value: string | undefined): boolean =>
  value !== undefined && /^(?:0+(?:\.0+)?|\.0+)(?:px|pt|em|rem|%)?$/.test(value);
const isFarAway = (value: string): boolean => /^-\d{3,}(?:\.\d+)?px$/.test(value);

/** Declarations that hide an element: the name, and which of its values do. */
const HIDING: readonly (readonly [name: string, hides: (value: string) => boolean])[] = [
  ['display', (value) => value === 'none'],
  ['visibility', (value) => /^(?:hidden|collapse)$/.test(value)],
  ['mso-hide', (value) => value === 'all'],
  ['opacity', (value) => Number(value) < 0.1],
  ['transform', (value) => value.startsWith('scale(0')],
  ...['text-indent', 'left', 'top', 'margin-left', 'margin-top'].map((name) => [name, isFarAway] as const),
];
const SIZES = ['height', 'max-height', 'width', 'max-width'];

function isHiddenBy(style: Style): boolean {
  if (style.size === 0) return false;
  const isClipped = /hidden|clip/.test(style.get('overflow') ?? '');
  if (isClipped && SIZES.some((name) => isZero(style.get(name)))) return true;
  return HIDING.some(([name, hides]) => {
    const value = style.get(name);
    return value !== undefined && hides(value);
  });
}

/** Of `<font size>` 1 to 7. */
const FONT_SIZES = [10, 13, 16, 18, 24, 32, 48];

function fontSizeOf(tagName: string, attributes: ReadonlyMap<string, string>, style: Style, outer: number): number {
  const written = style.get('font-size') ?? /(?:^|\s)([\d.]+[a-z%]+)/.exec(style.get('font') ?? '')?.[1];
  if (written !== undefined) return sizeOf(written, outer);
  if (tagName === 'font') return FONT_SIZES[Number(attributes.get('size')) - 1] ?? outer;
  return tagName === 'small' ? outer * (5 / 6) : outer;
}
