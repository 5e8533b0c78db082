import { MAIL_MESSAGES } from '#contract/wire.ts';
import { type CorporateNumberFault, parseCorporateNumber } from '#domain/company/corporate-number.ts';
import { type PhoneFault, parsePhone } from '#domain/company/phone.ts';
import { MAX_PHONE_LENGTH } from '#domain/limits.ts';
import { parseMailAddress } from '#domain/mail/address.ts';
import { meansBlank } from '#domain/text/blank-text.ts';
import { industryText } from '#domain/text/text-filter.ts';
import type { Column, ColumnKind } from '../table/columns.ts';
import { cleanCell } from './cell-text.ts';
import { parseEstablishmentYear } from './establishment-year.ts';
import { parseListDay } from './list-day.ts';
import { parseCount, parseListNumber } from './list-number.ts';
import { parseNotice } from './publication-notice.ts';
import { parseWebAddress } from './web-address.ts';

export interface CellFault {
  /** A message for the user. */
  fault: string;
  /** It refuses its row even where a cell of this kind may be left blank. */
  refusesRow?: true;
}

const CORPORATE_NUMBER_MESSAGES: Record<CorporateNumberFault, string> = {
  scientific: 'Excelで下の桁が失われています。セルの書式を「文字列」にして、13桁の数字を入れ直してください。',
  length: '法人番号は13桁の数字です。',
  characters: '法人番号は13桁の数字です。',
  check_digit: '法人番号の検査用数字（1桁目）が合いません。数字を確認してください。',
};

const PHONE_FAULTS: Record<PhoneFault, CellFault> = {
  length: { fault: `長すぎます（上限${MAX_PHONE_LENGTH}文字）。`, refusesRow: true },
  no_number: { fault: '電話番号として読めません（例: 03-1234-5678）。' },
  scientific: { fault: 'Excelで下の桁が失われています。セルの書式を「文字列」にして、番号を入れ直してください。' },
};

/** The most characters that NFKC makes of one. */
const NFKC_EXPANSION_MAX = 18;

/**
 * Reads the value of a cell: yen, a number of people, a year or a text. A corporate number is a text of 13 digits, a
 * day one of the form YYYY-MM-DD.
 * @returns null for a blank cell
 */
export function readCell(
  cell: string,
  column: Column,
  unit: string,
  latestYear: number,
): string | number | null | CellFault {
  if (cell === '') return null;
  const text = cleanCell(cell, column.kind === 'remarks');
  if (text === null) return { fault: '使えない文字（制御文字など）が含まれています。' };
  // The API writes `none` for a company that was looked at and declines nothing.
  const isNotice = column.kind === 'notice' && parseNotice(text) !== null;
  if (meansBlank(text) && !isNotice) return null;
  return READERS[column.kind](text, { column, unit, latestYear });
}

interface Place {
  readonly column: Column;
  /** Of amounts of money, as the heading gives it. */
  readonly unit: string;
  readonly latestYear: number;
}

/** The most characters of a text. Columns of other kinds have limits of their own. */
const maxLengthOf = (column: Column): number => ('maxLength' in column ? column.maxLength : Number.POSITIVE_INFINITY);

type Reader = (text: string, place: Place) => string | number | null | CellFault;

const NO_URL = 'URLとして読めません。http:// または https:// で始まるURLを書いてください。';
const NO_DAY = '日付として読めません（例: 2026/11/20、2026年11月20日、令和8年11月20日）。';
const NO_NOTICE = '「○」か空で書いてください（営業メールをお断りする表示のある会社が「○」）。';

/** The readers of texts that are not blank. */
const READERS: Readonly<Record<ColumnKind, Reader>> = {
  text: (text, { column }) => withinLength(text, maxLengthOf(column)),
  industry: (text, { column }) => readIndustry(text, maxLengthOf(column)),
  email: readEmail,
  corporate_number: readCorporateNumber,
  phone: readPhone,
  remarks: (text, { column }) => withinLength(text, maxLengthOf(column)),
  url: (text) => parseWebAddress(text) ?? { fault: NO_URL },
  money: (text, { unit }) =>
    orFault(parseListNumber(text, unit), '金額として読めません（例: 12000000、1,200万、△500）。'),
  count: (text) => orFault(parseCount(text), '人数として読めません（例: 120、120名）。'),
  year: (text, { latestYear }) =>
    parseEstablishmentYear(text, latestYear) ?? {
      fault: `設立年として読めません（1000年から${latestYear}年まで。例: 1991、1991/4、平成3年）。`,
    },
  day: (text, { latestYear }) => parseListDay(text, latestYear) ?? { fault: NO_DAY },
  notice: (text) => parseNotice(text) ?? { fault: NO_NOTICE },
};

const orFault = (value: number | null | undefined, fault: string): number | null | CellFault =>
  value === undefined ? { fault } : value;

const withinLength = (text: string, max: number): string | CellFault =>
  text.length <= max ? text : { fault: `長すぎます（上限${max}文字）。` };

/** Refuses an industry that is too long for an index, as written or as normalised for the search. */
function readIndustry(text: string, max: number): string | CellFault {
  // A text that is short enough after the longest expansion need not be normalised.
  const searched = withinLength(text.length * NFKC_EXPANSION_MAX <= max ? text : industryText(text), max);
  return typeof searched === 'string' ? withinLength(text, max) : searched;
}

function readEmail(text: string): string | CellFault {
  const parsed = parseMailAddress(text);
  return parsed.ok ? parsed.address : { fault: MAIL_MESSAGES[parsed.reason] };
}

function readPhone(text: string): string | CellFault {
  const parsed = parsePhone(text);
  return parsed.ok ? parsed.phone : PHONE_FAULTS[parsed.reason];
}

function readCorporateNumber(text: string): string | CellFault {
  const parsed = parseCorporateNumber(text);
  return parsed.ok ? parsed.number : { fault: CORPORATE_NUMBER_MESSAGES[parsed.reason] };
}
