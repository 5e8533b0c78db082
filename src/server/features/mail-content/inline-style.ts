import type { DefaultTreeAdapterTypes } from 'parse5';

/** The font size of unstyled text, in CSS pixels. */
const ROOT_FONT_SIZE = 16;

const UNITS: Readonly<Record<string, number>> = {
  px: 1,
  pt: 4 / 3,
  pc: 16,
  in: 96,
  cm: 96 / 2.54,
  mm: 96 / 25.4,
  rem: ROOT_FONT_SIZE,
};

const SIZE_NAMES: Readonly<Record<string, number>> = {
  'xx-small': 9,
  'x-small': 10,
  small: 13,
  medium: 16,
  large: 18,
  'x-large': 24,
  'xx-large': 32,
};

/** Returns a CSS font size in pixels; the outer size for an unknown value. */
function sizeOf(written: string, outer: number): number {
  const [, number = '', unit = ''] = /^([\d.]+)([a-z%]*)$/.exec(written) ?? [];
  if (number === '') return SIZE_NAMES[written] ?? (written === 'smaller' ? outer * (5 / 6) : outer);
  const relative: Readonly<Record<string, number>> = { '%': outer / 100, em: outer };
  return Number(number) * (relative[unit] ?? UNITS[unit] ?? 1);
}

type Element = DefaultTreeAdapterTypes.Element;

/** The style that an element passes on to its text. */
export interface Look {
  readonly isHidden: boolean;
  /** CSS pixels. */
  readonly fontSize: number;
  readonly color: string;
  readonly background: string;
}

export const ROOT_LOOK: Look = { isHidden: false, fontSize: ROOT_FONT_SIZE, color: 'black', background: 'white' };

/** Elements whose text a mail never shows, whatever their style. */
const NEVER_SHOWN: ReadonlySet<string> = new Set(
  (
    'head title style script template noscript iframe object textarea select datalist audio video canvas svg math ' +
    'details dialog noembed noframes'
  ).split(' '),
);

/** Returns the look of an element's text from its name, attributes and inline style. Style sheets are not read. */
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

/** Text below this size, in pixels, does not count as shown. */
const MIN_FONT_SIZE = 10;

export const isShown = ({ isHidden, fontSize }: Look): boolean => !isHidden && fontSize >= MIN_FONT_SIZE;

type Style = ReadonlyMap<string, string>;

const NO_STYLE: Style = new Map();

/** An unclosed comment extends to the end. */
const COMMENT = /\/\*.*?(?:\*\/|$)/gs;

/** Reads the declarations of a style attribute. Of equal names the last one applies, or the last `!important` one. */
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

/** Declarations that hide an element: the property with its hiding values. */
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

/** The pixels of `<font size>` 1 to 7. */
const FONT_SIZES = [10, 13, 16, 18, 24, 32, 48];

function fontSizeOf(tagName: string, attributes: ReadonlyMap<string, string>, style: Style, outer: number): number {
  const written = style.get('font-size') ?? /(?:^|\s)([\d.]+[a-z%]+)/.exec(style.get('font') ?? '')?.[1];
  if (written !== undefined) return sizeOf(written, outer);
  if (tagName === 'font') return FONT_SIZES[Number(attributes.get('size')) - 1] ?? outer;
  return tagName === 'small' ? outer * (5 / 6) : outer;
}

const COLOR_NAMES: Readonly<Record<string, string>> = {
  '#fff': 'white',
  '#ffffff': 'white',
  '#000': 'black',
  '#000000': 'black',
};

/** Normalises a colour, in the notations that mails use. */
function canonicalColor(written: string): string {
  const color = written.trim().toLowerCase().replace(/\s+/g, '');
  const [, ...parts] = /^rgba?\((\d{1,3}),(\d{1,3}),(\d{1,3})(?:,1)?\)$/.exec(color) ?? [];
  const hex =
    parts.length === 3 ? `#${parts.map((part) => Number(part).toString(16).padStart(2, '0')).join('')}` : color;
  const long = /^#([\da-f])([\da-f])([\da-f])$/.exec(hex);
  const full = long
    ? `#${long
        .slice(1)
        .map((digit) => digit + digit)
        .join('')}`
    : hex;
  return COLOR_NAMES[full] ?? full;
}
