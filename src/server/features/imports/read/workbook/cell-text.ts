import { unescaped } from './shared-strings.ts';
import { WorkbookFault, workbookFaults } from './workbook-faults.ts';

/** The data of a workbook that reading its cells needs. */
export interface CellContext {
  readonly strings: readonly string[];
  /** Whether each style shows a date, by the style's position. */
  readonly dateStyles: readonly boolean[];
  readonly from1904: boolean;
}

/** A cell as in the file. */
export interface WorkbookCell {
  readonly type: string;
  readonly style: number;
  /** The text of `<v>`; undefined if there is none. */
  readonly value: string | undefined;
  /** The text of an inline string. */
  readonly inline: string;
}

/** Returns the text of a cell as Excel would write it into a CSV file. */
export function cellText({ type, style, value, inline }: WorkbookCell, context: CellContext): string {
  if (type === 'inlineStr') return inline;
  if (value === undefined || value === '') return '';
  switch (type) {
    case 's':
      return context.strings[Number(value)] ?? missingString();
    case 'b':
      return value === '1' ? 'TRUE' : 'FALSE';
    case 'd':
      return dayText(Date.parse(/[zZ]$/.test(value) ? value : `${value}Z`)) ?? value;
    case 'str':
    case 'e':
      return unescaped(value);
    default:
      return (context.dateStyles[style] ? serialText(value, context.from1904) : null) ?? numberText(value);
  }
}

const missingString = (): never => {
  throw new WorkbookFault(workbookFaults.broken);
};

/** Excel shows 15 digits; files hold the nearest binary number, such as 0.30000000000000004. */
const SHOWN_DIGITS = 15;

/** Writes a number with all digits of a whole number: a corporate number has 13. */
function numberText(value: string): string {
  const number = Number(value);
  if (!Number.isFinite(number)) return value;
  return String(Number.isSafeInteger(number) ? number : Number(number.toPrecision(SHOWN_DIGITS)));
}

const DAY_SECONDS = 86_400;
const EPOCH_MS = Date.UTC(1899, 11, 30);
const DAYS_TO_1904 = 1462;
/** Excel's day 60 is 29 February 1900, which did not exist. */
const FIRST_TRUE_DAY = 61;
/** 31 December 9999. */
const LAST_DAY = 2_958_465;

/** Writes Excel's day number as a date. @returns null for a number that is no day, such as a time alone */
function serialText(value: string, from1904: boolean): string | null {
  const serial = Number(value) + (from1904 ? DAYS_TO_1904 : 0);
  if (!(serial >= 1 && serial < LAST_DAY + 1)) return null;
  const day = serial < FIRST_TRUE_DAY ? serial + 1 : serial;
  return dayText(EPOCH_MS + Math.round(day * DAY_SECONDS) * 1000);
}

/** Writes `1991/04/01`, with the time of day unless it is midnight. @param ms in the zone of the cell */
function dayText(ms: number): string | null {
  if (Number.isNaN(ms)) return null;
  const [day = '', time = ''] = new Date(ms).toISOString().slice(0, 19).split('T');
  return day.replaceAll('-', '/') + (time === '00:00:00' ? '' : ` ${time}`);
}
