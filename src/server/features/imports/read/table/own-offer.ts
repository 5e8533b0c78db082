import type { OwnFieldType } from '#contract/companies/own-fields-names.ts';
import { isReservedKey, OWN_KEY, parseLabel } from '#domain/company/own-label.ts';
import { MAX_NAME_LENGTH, MAX_OWN_VALUE_LENGTH } from '#domain/limits.ts';
import { meansBlank } from '#domain/text/blank-text.ts';
import { foldHeading } from '#domain/text/fold-heading.ts';
import { cleanCell } from '../../../cells/cell-text.ts';
import { parseListDay } from '../../../cells/list-day.ts';
import { parseListNumber } from '../../../cells/list-number.ts';
import type { NewField } from './columns.ts';
import { isKnownHeading } from './extra-headings.ts';

/* What is proposed for a column with an unknown heading: a new own field with a guessed type, or tags. */

const MAX_OPTIONS = 20;
const MAX_OPTION_LENGTH = 30;

const FLAG = /^(?:[○〇◯×✕✖]|はい|いいえ|true|false)$/i;
const PAGE = /^(?:https?:\/\/|www\.)[^\s/]+\.[^\s]+$/i;
const DIGITS = /^\d+$/;
/** Labels are joined by these in files. */
const SEPARATOR = /[、,，]/;

/** Returns the values of a column's cells, without blanks. */
export const valuesOf = (cells: readonly string[]): string[] =>
  cells.flatMap((cell) => {
    const text = cleanCell(cell);
    return text === null || text === '' || meansBlank(text) ? [] : [text];
  });

/** Few short texts, as the options of a choice and tags are. */
const areLabels = (values: readonly string[]): boolean =>
  new Set(values).size <= MAX_OPTIONS &&
  values.every((text) => text.length <= MAX_OPTION_LENGTH && !SEPARATOR.test(text));

/**
 * Guesses the type of an own field from the values of its column. A value that only a text can have, by its length,
 * is not read: the patterns are made for short cells.
 * @param latestYear of a day
 */
export function guessType(values: readonly string[], latestYear: number): OwnFieldType {
  if (values.some((text) => text.length > MAX_OWN_VALUE_LENGTH)) return 'text';
  const all = (is: (text: string) => boolean) => values.length > 0 && values.every(is);
  // Digits alone are a day where they have eight places; Excel's days look as numbers do.
  if (all((text) => (!DIGITS.test(text) || text.length === 8) && parseListDay(text, latestYear) !== null))
    return 'date';
  if (all((text) => !/^0\d/.test(text) && typeof parseListNumber(text, '') === 'number')) return 'number';
  if (all((text) => FLAG.test(text.normalize('NFKC')))) return 'flag';
  if (all((text) => PAGE.test(text.normalize('NFKC')))) return 'url';
  return all(() => true) && areLabels(values) && new Set(values).size * 2 <= values.length ? 'choice' : 'text';
}

/**
 * Checks whether the values of a column differ among rows of one company, and are short enough for tags.
 * @param companies the company's name of each row
 */
export function areTags(cells: readonly string[], companies: readonly string[]): boolean {
  const first = new Map<string, string>();
  let isDiffering = false;
  for (const [at, cell] of cells.entries()) {
    const [value] = valuesOf([cell]);
    const company = companies[at] ?? '';
    if (value === undefined || company === '') continue;
    isDiffering ||= first.has(company) && first.get(company) !== value;
    if (!first.has(company)) first.set(company, value);
  }
  return isDiffering && areLabels(valuesOf(cells));
}

/** Headings of columns that hardly anybody wants: what a program counts and dates, other spellings, fax, post codes. */
const UNWANTED = [
  /^(?:no\.?|#|id|〒|zip.*|postal.*|created.*|modified.*|updated.*|last.*|.*を含んだデータ|eightで.*|再データ化.*|tel\S*|電話.*)$/,
  /fax|郵便番号|フリガナ|ふりがな|かな|カナ|よみ|読み|ローマ字|英語|番号\)?$/,
  /(?:id|コード)$|(?:更新|作成|登録|変更|入力)(?:日|日時|年月日|者|者名)?$/,
];

export const isUnwanted = (heading: string): boolean => {
  const folded = foldHeading(heading);
  return UNWANTED.some((pattern) => pattern.test(folded));
};

/** Keys for usual headings, by which templates name the field. A map: a heading may be any word, `constructor` too. */
const KEYS: ReadonlyMap<string, string> = new Map([
  ['ランク', 'rank'],
  ['顧客ランク', 'rank'],
  ['展示会名', 'event'],
  ['展示会', 'event'],
  ['イベント名', 'event'],
  ['イベント', 'event'],
  ['エリア', 'area'],
  ['地域', 'area'],
  ['製品名', 'product'],
  ['商品名', 'product'],
]);

/** Invisible marks of direction, which programs put before headings. No name may have them. */
const MARKS_OF_DIRECTION = /\p{Bidi_Control}/gu;

/**
 * Offers a new own field for a column.
 * @returns null for a heading that no field can have as its name: blank, too long, or one of ours
 */
export function offerField(heading: string, values: readonly string[], latestYear: number): NewField | null {
  const parsed = parseLabel((cleanCell(heading) ?? '').replace(/[、,，]/g, '・').replace(MARKS_OF_DIRECTION, ''));
  if (!parsed.ok || parsed.label.length > MAX_NAME_LENGTH || isKnownHeading(parsed.label)) return null;
  const { label } = parsed;
  const folded = foldHeading(heading);
  const key = KEYS.get(folded) ?? (OWN_KEY.test(folded) && !isReservedKey(folded) ? folded : undefined);
  return { label, type: guessType(values, latestYear), ...(key !== undefined && { key }) };
}
