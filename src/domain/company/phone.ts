import { MAX_PHONE_LENGTH } from '../limits.ts';

/** Telephone numbers of companies, as people and lists write them. */

export type PhoneFault = 'length' | 'no_number' | 'scientific';

type ParsedPhone = { readonly ok: true; readonly phone: string } | { readonly ok: false; readonly reason: PhoneFault };

const DASHES = /[‐‑‒–—―⁃−─━˗]/g;
/** ー is a letter in words such as コールセンター. Beside digits it is a dash. */
const LONG_VOWEL = /(?<=[\d)] ?)ー(?= ?[\d(])/g;
/** Matches a number that a spreadsheet has rounded. */
const SCIENTIFIC = /^\d(?:\.\d+)?e\+?\d+$/i;

/** Matches the decimals that a spreadsheet appends to a number: `312345678.0`. */
const DECIMALS = /(?<=^\d+)\.0+$/;
const THOUSANDS = /^\d{1,3}(?:,\d{3}){2,}(?:\.0+)?$/;

/**
 * Reads a telephone number leniently: unifies widths, dashes and spaces, and keeps words (代表, 内線 12).
 * A text without a digit is no number.
 */
export function parsePhone(text: string): ParsedPhone {
  const phone = text
    .normalize('NFKC')
    .replace(DASHES, '-')
    .replace(LONG_VOWEL, '-')
    .replace(/\s+/g, ' ')
    .replace(/(?<=\d) ?- ?(?=\d)/g, '-')
    .trim()
    .replace(THOUSANDS, (number) => number.replaceAll(',', ''))
    .replace(DECIMALS, '');
  if (phone.length > MAX_PHONE_LENGTH) return { ok: false, reason: 'length' };
  if (SCIENTIFIC.test(phone)) return { ok: false, reason: 'scientific' };
  return /\d/.test(phone) ? { ok: true, phone } : { ok: false, reason: 'no_number' };
}

/**
 * Matches Japanese numbers without their first 0: area numbers, 0120, 0570 and 0800, and the 11 digits of 050, 070, 080
 * and 090.
 */
const WITHOUT_ZERO = /^(?:(?:[136][1-9]|[245789][2-9])\d{7}|(?:120|570|800)\d{6}|[5789]0\d{8})$/;

/** Restores the first 0 that a spreadsheet removed from a number. @returns null if no 0 is missing */
export const withFirstZero = (phone: string): string | null => (WITHOUT_ZERO.test(phone) ? `0${phone}` : null);

/** The digits of a number that can be dialled. E.164 allows 15. */
const MIN_DIGITS = 5;
const MAX_DIGITS = 15;
const NUMBER = /\+?\(?\d[\d()\-. ]*\d/g;
const UNSPACED_NUMBER = /\+?\(?\d[\d()\-.]*\d/;
/** Matches post codes and hours, which lists write beside numbers: 〒100-0001, 9:00-17:00. */
const BESIDE_NUMBERS = /〒 ?\d{3}-?\d{4}|\d{1,2}:\d{2}(?:-\d{1,2}:\d{2})?(?![\d-])/g;

/** Returns the number that a `tel:` link dials: the first one in a text. @returns null if none can be dialled */
export function dialledNumber(phone: string): string | null {
  const texts = [...phone.replace(BESIDE_NUMBERS, '、').matchAll(NUMBER)].map(([text]) => text);
  // Two numbers may be separated only by a space.
  for (const written of texts.flatMap((text) => [text, UNSPACED_NUMBER.exec(text)?.[0] ?? ''])) {
    // +81(0)3-…: the 0 is dialled only within the country.
    const number = written.replace(/^(\+\d+) ?\(0\)/, '$1').replace(/[^\d+]/g, '');
    const digits = number.replace('+', '').length;
    if (digits >= MIN_DIGITS && digits <= MAX_DIGITS) return number;
  }
  return null;
}
