import { parseJapaneseNumber } from '#domain/japanese-number.ts';

/** Digits with or without a sign: most numbers, and by far the fastest to read. */
const PLAIN = /^([-−△▲]?)(\d{1,15})$/;
const YEN_SIGN = /[¥\\]/;
const DIGITS_ONLY = /^[-−△▲]?[\d,.]+$/;

/**
 * Reads a number of yen or people from a cell.
 * @param unit the unit of the heading, such as `百万円`, or ''. A cell with a unit of its own (`1億`) does not take it
 * @returns undefined where the cell is not a whole number within the safe integers
 */
export function parseListNumber(text: string, unit: string): number | null | undefined {
  const plain = unit === '' ? PLAIN.exec(text) : null;
  // 0 - 0 is 0, where -0 would be a second form of it.
  if (plain !== null) return plain[1] === '' ? Number(plain[2]) : 0 - Number(plain[2]);
  const folded = text.normalize('NFKC');
  // Under a heading in 百万円, `¥1,200` may mean 1,200 yen or 1,200 million.
  if (unit !== '' && YEN_SIGN.test(folded)) return undefined;
  const parsed = parseJapaneseNumber(DIGITS_ONLY.test(folded) ? folded + unit : folded);
  return parsed.ok ? parsed.value : undefined;
}

/** Reads a number of people, which may end in 名 or 人. @returns undefined also for a negative one */
export function parseCount(text: string): number | null | undefined {
  const value = parseListNumber(text.replace(/(?<=\p{Nd})[名人]$/u, ''), '');
  return typeof value === 'number' && value < 0 ? undefined : value;
}
