/** The size of text without a style, CSS pixels. */
export const ROOT_FONT_SIZE = 16;

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

/** Returns a CSS font size in pixels; the outer size for a value that is not understood. */
export function sizeOf(written: string, outer: number): number {
  const [, number = '', unit = ''] = /^([\d.]+)([a-z%]*)$/.exec(written) ?? [];
  if (number === '') return SIZE_NAMES[written] ?? (written === 'smaller' ? outer * (5 / 6) : outer);
  const relative: Readonly<Record<string, number>> = { '%': outer / 100, em: outer };
  return Number(number) * (relative[unit] ?? UNITS[unit] ?? 1);
}
