/** Reads whole numbers as Japanese business lists write them. */

export type ParsedNumber = { ok: true; value: number | null } | { ok: false; isTooLarge: boolean };

const UNREADABLE: ParsedNumber = { ok: false, isTooLarge: false };

/** The longest cell that is read, which bounds the work on hostile input. Any safe integer is shorter. */
const MAX_LENGTH = 64;

const NUMBER = String.raw`(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?`;
const SECTION = `(?:${NUMBER}千)?(?:${NUMBER}百)?(?:${NUMBER}十)?(?:${NUMBER})?`;
const WHOLE = new RegExp(`^([-−△▲]?)(?:(${SECTION})兆)?(?:(${SECTION})億)?(?:(${SECTION})万)?(${SECTION})円?$`, 'u');
const PART = new RegExp(`(${NUMBER})([千百十]?)`, 'gu');

const LARGE_UNITS = [10n ** 12n, 10n ** 8n, 10n ** 4n, 1n];
const SMALL_UNITS: Readonly<Record<string, bigint>> = { 千: 1000n, 百: 100n, 十: 10n, '': 1n };

/** Removes the yen sign before the digits. A Japanese keyboard may write it as a backslash. */
const withoutYenSign = (text: string): string => text.replace(/^([-−△▲]?)[¥\\]([-−△▲]?)(?=\d)/u, '$1$2');

/** Returns whether a cell states no number: blank, one dash of any kind, or 非公開 (not disclosed). */
const isNothing = (text: string): boolean => /^(?:[-‐‑‒–—―−ー]?|非公開)$/u.test(text);

/** Returns `decimal` × `unit` exactly; null if a fraction would remain. */
function multiply(decimal: string, unit: bigint): bigint | null {
  const [whole = '', fraction = ''] = decimal.replaceAll(',', '').split('.');
  const scale = 10n ** BigInt(fraction.length);
  const product = BigInt(whole + fraction) * unit;
  return product % scale === 0n ? product / scale : null;
}

function sectionValue(section: string, unit: bigint): bigint | null {
  let sum = 0n;
  for (const [, decimal = '', small = ''] of section.matchAll(PART)) {
    const product = multiply(decimal, unit * (SMALL_UNITS[small] ?? 1n));
    if (product === null) return null;
    sum += product;
  }
  return sum;
}

/**
 * Reads a whole number: `1234`, `1,234`, `１２３４`, `1億2千万`, `1.5億`, each with or without ¥ or 円. `△1,234` and
 * `▲500` are negative. Blank, a dash or 非公開 is null. Everything else is refused, including fractions (`1.5`) and
 * numbers above the safe integers.
 */
export function parseJapaneseNumber(text: string): ParsedNumber {
  if (text.length > MAX_LENGTH) return UNREADABLE;
  const folded = withoutYenSign(text.normalize('NFKC').trim());
  if (isNothing(folded)) return { ok: true, value: null };
  const match = WHOLE.exec(folded);
  if (match === null) return UNREADABLE;
  const [, sign = '', ...sections] = match;
  if (sections.every((section) => section === undefined || section === '')) return UNREADABLE;
  let sum = 0n;
  for (const [index, unit] of LARGE_UNITS.entries()) {
    const section = sections[index];
    if (section === undefined) continue;
    // Refuses `億` and `1億万`: a unit without its number.
    if (section === '' && unit !== 1n) return UNREADABLE;
    const value = sectionValue(section, unit);
    if (value === null) return UNREADABLE;
    sum += value;
  }
  const value = Number(sign === '' || sum === 0n ? sum : -sum);
  return Number.isSafeInteger(value) ? { ok: true, value } : { ok: false, isTooLarge: true };
}
