import { parseJapaneseNumber } from '#domain/text/japanese-number.ts';
import { addDays, isDay } from '#domain/time/calendar.ts';

/* The conditions on own fields as typed. The filter's draft holds them as JSON, as the address does. */

/** The bounds of a number or a day, as typed. */
export interface TypedBounds {
  readonly from?: string;
  readonly to?: string;
}
/** By the keys of the fields. Blank ones are no conditions yet. */
export type TypedOwn = Readonly<Record<string, string | TypedBounds>>;

export type BoundFault = 'not_a_number' | 'too_large' | 'nothing_between';

/** Stands for a day that is typed only in part, which the browser does not tell. No bound reads it. */
export const PART_OF_DAY = '?';

export const readTyped = (custom: string | undefined): TypedOwn => (custom ? (JSON.parse(custom) as TypedOwn) : {});

export const writeTyped = (typed: TypedOwn): string => (Object.keys(typed).length === 0 ? '' : JSON.stringify(typed));

/** Returns a bound as it is typed: a number with separators. */
export function boundText(bound: string | undefined = ''): string {
  return bound === '' || isDay(bound) || !Number.isFinite(Number(bound)) ? bound : NUMBERS.format(Number(bound));
}

const NUMBERS = new Intl.NumberFormat('ja-JP', { maximumFractionDigits: 12 });

/** A number with a fraction, which no other number of a company has. */
const DECIMAL = /^[-−△▲]?(?:\d{1,3}(?:,\d{3})+|\d{1,15})\.\d{1,12}$/;

interface ReadBound {
  /** As the server reads it; undefined: blank or faulty. */
  readonly value?: string;
  readonly fault?: BoundFault;
}

function readBound(text: string | undefined = ''): ReadBound {
  if (isDay(text)) return { value: text };
  const folded = text.normalize('NFKC').trim();
  if (DECIMAL.test(folded)) return { value: String(Number(folded.replaceAll(',', '').replace(/^[−△▲]/, '-'))) };
  const parsed = parseJapaneseNumber(text);
  if (!parsed.ok) return { fault: parsed.isTooLarge ? 'too_large' : 'not_a_number' };
  return parsed.value === null ? {} : { value: String(parsed.value) };
}

/** Whether nothing lies between two exclusive bounds. */
const isEmptyRange = (from: string, to: string): boolean =>
  isDay(from) && isDay(to) ? to <= addDays(from, 1) : Number(to) <= Number(from);

/** Reads two bounds, and what is wrong with each. */
export function readOwnBounds({ from, to }: TypedBounds): { from: ReadBound; to: ReadBound } {
  const read = { from: readBound(from), to: readBound(to) };
  const isEmpty =
    read.from.value !== undefined && read.to.value !== undefined && isEmptyRange(read.from.value, read.to.value);
  return isEmpty ? { ...read, to: { ...read.to, fault: 'nothing_between' } } : read;
}
