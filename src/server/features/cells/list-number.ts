import { parseJapaneseNumber } from '#domain/text/japanese-number.ts';

/** Digits with or without a sign: most numbers, and by far the fastest to read. */
const PLAIN = /^([-−△▲]?)(\d{1,15})$/;
const YEN_SIGN = /[¥\\]/;
const DIGITS_ONLY = /^[-−△▲]?[\d,.]+$/;

/** A large number as Excel writes it: `1.2E+08`. A person's `1e5` is ambiguous, so it does not match. */
const SCIENTIFIC = /^([-−△▲]?)(\d)(?:\.(\d{1,14}))?E\+(\d{2})$/;
const APPROXIMATELY = /^(?:約|およそ|おおよそ)\s*(?=.)|(?<=.)\s*(?:程度|前後|ほど)$/gu;
/** A note after a number: `1000万(2023年)`. A note with a unit does not match: it may be the number's unit. */
const NOTE = /(?<=[^\s(])\s*\((?![^)]*[円千百十万億兆])[^()]*\)$/u;

/** The longest cell that is read. NOTE looks at each bracket up to the end: 200,000 of them took a minute. */
const MAX_LENGTH = 200;

/** Folds the width, and removes words for "about" and the year of the number. A longer text stays, and is no number. */
const foldNumber = (text: string): string =>
  text.length > MAX_LENGTH ? text : text.normalize('NFKC').trim().replace(NOTE, '').replace(APPROXIMATELY, '');

/** Writes `1.2E+08` as digits. A number with a fraction stays as it is, and is refused later. */
function withoutExponent(folded: string): string {
  const [, sign, first, rest = '', exponent] = SCIENTIFIC.exec(folded) ?? [];
  if (first === undefined || rest.length > Number(exponent)) return folded;
  return sign + first + rest.padEnd(Number(exponent), '0');
}

/**
 * Reads a number of yen or people from a cell.
 * @param unit the heading's unit, such as `百万円`, or ''. A cell with its own unit (`1億`) ignores it
 * @returns undefined if the cell is not a whole number within the safe integers
 */
export function parseListNumber(text: string, unit: string): number | null | undefined {
  const plain = unit === '' ? PLAIN.exec(text) : null;
  // 0 - 0 is 0: a unary minus would give -0.
  if (plain !== null) return plain[1] === '' ? Number(plain[2]) : 0 - Number(plain[2]);
  return parseFolded(foldNumber(text), unit);
}

function parseFolded(written: string, unit: string): number | null | undefined {
  const folded = withoutExponent(written);
  // Under a heading in 百万円, `¥1,200` may mean 1,200 yen or 1,200 million.
  if (unit !== '' && YEN_SIGN.test(folded)) return undefined;
  const parsed = parseJapaneseNumber(DIGITS_ONLY.test(folded) ? folded + unit : folded);
  return parsed.ok ? parsed.value : undefined;
}

/** Reads a number of people, which may end in 名 or 人. @returns undefined also for a negative number */
export function parseCount(text: string): number | null | undefined {
  const value = PLAIN.test(text) ? parseListNumber(text, '') : parseFolded(withoutPeople(foldNumber(text)), '');
  return typeof value === 'number' && value < 0 ? undefined : value;
}

const withoutPeople = (folded: string): string => folded.replace(/(?<=[\d万千百])[名人]$/u, '');
