import { parseJapaneseNumber } from '#domain/japanese-number.ts';

/** Most of all, and so much quicker: digits with or without a sign. */
const PLAIN = /^([-−△▲]?)(\d{1,15})$/;
const YEN_SIGN = /[¥\\]/;
const DIGITS_ONLY = /^[-−△▲]?[\d,.]+$/;

/**
 * A number of a list in yen or heads. `unit` (of the heading, `百万円` or '') counts for plain numbers: a cell with its own unit
 * (`1億`) says what it means. undefined: not a whole number that a safe integer holds.
 */
export function parseListNumber(text: string, unit: string): number | null | undefined {
  const plain = unit === '' ? PLAIN.exec(text) : null;
  if (plain !== null) return plain[1] === '' ? Number(plain[2]) : 0 - Number(plain[2]);
  const folded = text.normalize('NFKC');
  // `¥1,200` below 百万円 may be meant either way.
  if (unit !== '' && YEN_SIGN.test(folded)) return undefined;
  const parsed = parseJapaneseNumber(DIGITS_ONLY.test(folded) ? folded + unit : folded);
  return parsed.ok ? parsed.value : undefined;
}

/** Heads: as above, and `50名`, `50人`. Never negative. */
export function parseCount(text: string): number | null | undefined {
  const value = parseListNumber(text.replace(/(?<=\p{Nd})[名人]$/u, ''), '');
  return typeof value === 'number' && value < 0 ? undefined : value;
}
