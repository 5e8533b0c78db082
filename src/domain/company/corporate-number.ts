/** The corporate number (法人番号) of the National Tax Agency: a check digit and twelve digits. */

export type CorporateNumberFault = 'scientific' | 'length' | 'characters' | 'check_digit';

export type ParsedCorporateNumber = { ok: true; number: string } | { ok: false; reason: CorporateNumberFault };

const DIGITS = 13;
/** The longest text that is read, to bound the work on hostile input. */
const MAX_WRITTEN_LENGTH = 64;
/** White space and every dash that an input method or a spreadsheet writes. */
const SEPARATORS = /[\s\-‐‑‒–—―−ー]/gu;

/** Computes the check digit: sums the digits after it, every second from the right doubled (Ministry of Finance). */
function checkDigitOf(number: string): number {
  let sum = 0;
  for (let place = 1; place < DIGITS; place += 1) sum += Number(number[DIGITS - place]) * (place % 2 === 1 ? 1 : 2);
  return 9 - (sum % 9);
}

/**
 * Reads a corporate number of any width, with or without hyphens.
 * Refuses `1.01E+12` as `scientific`: Excel's notation has lost the last digits.
 */
export function parseCorporateNumber(written: string): ParsedCorporateNumber {
  if (written.length > MAX_WRITTEN_LENGTH) return { ok: false, reason: 'length' };
  const folded = written.normalize('NFKC');
  if (/^\d(?:\.\d+)?E\+?\d+$/i.test(folded.trim())) return { ok: false, reason: 'scientific' };
  const number = folded.replace(SEPARATORS, '');
  if (!/^\d*$/.test(number)) return { ok: false, reason: 'characters' };
  if (number.length !== DIGITS) return { ok: false, reason: 'length' };
  return checkDigitOf(number) === Number(number[0]) ? { ok: true, number } : { ok: false, reason: 'check_digit' };
}
