import { LABEL_MESSAGES, labelKey, parseLabel } from '#domain/company/own-label.ts';
import { MAX_OWN_VALUE_LENGTH } from '#domain/limits.ts';
import { meansBlank } from '#domain/text/blank-text.ts';
import { cleanCell } from '../cells/cell-text.ts';
import { parseListDay } from '../cells/list-day.ts';
import { parseListNumber } from '../cells/list-number.ts';
import { parseWebAddress } from '../cells/web-address.ts';
import type { OwnField } from './own-fields.queries.ts';

/* Values of own fields: read from cells, and written as texts of mails and of exports. */

/** A text or URL as written, a number, `YYYY-MM-DD`, true or false; of a choice the option's id. */
export type OwnValue = string | number | boolean;

/** Why a cell is no value of its field: a message for the user. */
export interface Fault {
  readonly fault: string;
}

export const isFault = (read: OwnValue | null | Fault): read is Fault => read !== null && typeof read === 'object';

/** Days of an own field: foundations of companies, and ends of contracts. */
const EARLIEST_YEAR = 1800;
const LATEST_YEAR = 2199;

/** A number with a fraction. With up to 15 digits, its text and the number are the same. */
const DECIMAL = /^([-−△▲]?)(\d{1,3}(?:,\d{3})+|\d{1,15})\.(\d{1,6})$/;
const MAX_DIGITS = 15;

const YES = new Set('○ 〇 ◯ ● ◎ ✓ ✔ 1 はい yes y true 有 あり 有り'.split(' '));
const NO = new Set('× ✕ ✖ ✗ x 0 いいえ no n false 無 なし 無し'.split(' '));

/**
 * Reads a value from a call, as an import reads its columns. Of a choice only a known option is a value.
 * @returns null for a blank
 */
export function readOwnValue(field: OwnField, cell: string | number | null): OwnValue | null | Fault {
  const read = readOwnCell(field, cell);
  if (field.type !== 'choice' || typeof read !== 'string') return read;
  return optionOf(field, read)?.id ?? { fault: '選択肢にありません。' };
}

/**
 * Reads a cell of a file. Of a choice it is the option's text: an import makes a missing option.
 * @returns null for a blank
 */
export function readOwnCell(field: OwnField, cell: string | number | null): OwnValue | null | Fault {
  if (cell === null || cell === '') return null;
  const text = cleanText(String(cell));
  if (text === null) return { fault: '使えない文字（制御文字など）が含まれています。' };
  if (text === '') return null;
  return READERS[field.type](text, field);
}

/** Cleans a cell until nothing changes: an exported `="…"` is read again as the same text. */
function cleanText(cell: string): string | null {
  let text: string | null = cell;
  for (let before: string | null = null; text !== null && text !== before; ) {
    before = text;
    text = cleanCell(text);
  }
  return text;
}

type Reader = (text: string, field: OwnField) => OwnValue | null | Fault;

const READERS: Readonly<Record<OwnField['type'], Reader>> = {
  text: (text) => ifAny(text, () => (text.length <= MAX_OWN_VALUE_LENGTH ? text : tooLong())),
  number: (text) =>
    ifAny(text, () => parseNumber(text) ?? { fault: '数値として読めません（例: 1,200、1.5、1.2億）。' }),
  date: (text) =>
    ifAny(
      text,
      () =>
        parseListDay(text, LATEST_YEAR, EARLIEST_YEAR) ?? {
          fault: '日付として読めません（例: 2026/10/15、R8.10.15）。',
        },
    ),
  url: (text) =>
    ifAny(text, () => {
      const address = parseWebAddress(text);
      if (address === null) return { fault: 'URLとして読めません（例: https://example.jp/）。' };
      return address.length <= MAX_OWN_VALUE_LENGTH ? address : tooLong();
    }),
  // なし is no blank where it is one of two answers, or an option.
  flag: (text) => {
    const word = labelKey(text);
    if (YES.has(word)) return true;
    if (NO.has(word)) return false;
    return ifAny(text, () => ({ fault: '「はい」か「いいえ」として読めません（例: はい、○、×）。' }));
  },
  choice: (text, field) => optionOf(field, text)?.label ?? ifAny(text, () => newOption(text)),
};

function optionOf({ options }: OwnField, text: string) {
  const key = labelKey(text);
  return options.find(({ label }) => labelKey(label) === key);
}

/** Full-width letters and digits alone, as ranks and classes are typed: names keep their spelling. */
const FULL_WIDTH = /^[０-９Ａ-Ｚａ-ｚ]+$/;

function newOption(text: string): string | Fault {
  const parsed = parseLabel(FULL_WIDTH.test(text) ? text.normalize('NFKC') : text);
  return parsed.ok ? parsed.label : { fault: `${LABEL_MESSAGES[parsed.fault]}。` };
}

const ifAny = (text: string, read: () => OwnValue | Fault): OwnValue | null | Fault =>
  meansBlank(text) ? null : read();

const tooLong = (): Fault => ({ fault: `長すぎます（上限${MAX_OWN_VALUE_LENGTH}文字）。` });

function parseNumber(text: string): number | null {
  const whole = parseListNumber(text, '');
  if (typeof whole === 'number') return whole;
  const [, sign = '', digits = '', fraction = ''] = DECIMAL.exec(text.normalize('NFKC').trim()) ?? [];
  const plain = digits.replaceAll(',', '');
  if (plain === '' || plain.length + fraction.length > MAX_DIGITS) return null;
  const value = Number(`${plain}.${fraction}`);
  // 0 - 0 is 0: a unary minus would give -0.
  return sign === '' ? value : 0 - value;
}

const GROUPED = new Intl.NumberFormat('ja-JP', { maximumFractionDigits: 6 });

/** Writes a value as mails show it: one line, never empty where there is a value. */
export function ownText(field: OwnField, value: OwnValue): string {
  if (typeof value === 'boolean') return yesOrNo(value);
  if (field.type === 'choice') return labelOf(field, value);
  if (typeof value === 'number') return GROUPED.format(value);
  return field.type === 'date' ? writtenDay(value) : value;
}

/** Writes a value as readOwnValue reads it again. */
export function exportText(field: OwnField, value: OwnValue): string {
  if (typeof value === 'boolean') return yesOrNo(value);
  return field.type === 'choice' ? labelOf(field, value) : String(value);
}

const yesOrNo = (value: boolean): string => (value ? 'はい' : 'いいえ');

const labelOf = ({ options }: OwnField, value: OwnValue): string => options.find(({ id }) => id === value)?.label ?? '';

function writtenDay(day: string): string {
  return `${Number(day.slice(0, 4))}年${Number(day.slice(5, 7))}月${Number(day.slice(8))}日`;
}

/** The characters of a value that count for MAX_OWN_LENGTH. */
export const lengthOf = (value: OwnValue): number => String(value).length;
