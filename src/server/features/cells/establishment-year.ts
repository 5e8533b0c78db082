import { DAY_MS } from '#domain/time-units.ts';

/** `before`: the year before the era's first. `years`: the last accepted year of the era. */
const ERAS: readonly { names: readonly string[]; before: number; years: number }[] = [
  { names: ['明治', 'm'], before: 1867, years: 45 },
  { names: ['大正', 't'], before: 1911, years: 15 },
  { names: ['昭和', 's'], before: 1925, years: 64 },
  { names: ['平成', 'h'], before: 1988, years: 31 },
  { names: ['令和', 'r'], before: 2018, years: 99 },
];

/** What may follow a year: `/4`, `-04-01`, `.4`, `年4月`, `年4月1日`, `年`, `年度` or nothing, then a time of day (Excel). */
const DATE_REST = String.raw`年度?|[/.-](\d{1,2})(?:[/.-](\d{1,2}))?|年(\d{1,2})月(?:(\d{1,2})日)?`;
const REST = String.raw`(?:${DATE_REST})?(?: \d{1,2}:\d{2}(?::\d{2})?)?`;
const WESTERN = new RegExp(`^(\\d{4})${REST}$`);
const COMPACT = /^(\d{4})(\d{2})(\d{2})$/;
const ERA = new RegExp(`^(明治|大正|昭和|平成|令和|[mtshr])\\.?(元|\\d{1,2})${REST}$`);

/** A day as Excel's day number, with or without a time of day. Four digits are a year. */
const EXCEL_DAY = /^(\d{5})(?:\.\d+)?$/;
const EXCEL_EPOCH_MS = Date.UTC(1899, 11, 30);
/** Returns midnight in UTC of Excel's day number. */
export const instantOfExcelDay = (day: number): Date => new Date(EXCEL_EPOCH_MS + day * DAY_MS);

const EARLIEST = 1000;

/**
 * Reads the year of `1991`, `1991年`, `1991/4`, `1991-04-01`, `19910401`, `1991年4月1日`, `平成3年`, `H3` or `昭和元年` (any
 * width, with or without 設立 after it), or of Excel's day number (`33329`).
 * @returns null for another text, an impossible month or day, or a year outside 1000 … `latest`
 */
export function parseEstablishmentYear(text: string, latest: number): number | null {
  if (text.length > 40) return null;
  const folded = text
    .normalize('NFKC')
    .trim()
    .toLowerCase()
    .replace(/\(.*\)$/, '')
    .replace(/\s*設立$/, '');
  const excelDay = EXCEL_DAY.exec(folded)?.[1];
  if (excelDay !== undefined) return acceptedYear(instantOfExcelDay(Number(excelDay)).getUTCFullYear(), latest);
  const western = WESTERN.exec(folded) ?? COMPACT.exec(folded);
  const era = western === null ? ERA.exec(folded) : null;
  const match = western ?? era;
  if (match === null) return null;
  const [month, day] = match.slice(era === null ? 2 : 3).filter((part) => part !== undefined);
  if (!within(month, 12) || !within(day, 31)) return null;
  const year = era === null ? Number(match[1]) : eraYear(era[1] ?? '', era[2] ?? '');
  return acceptedYear(year, latest);
}

const acceptedYear = (year: number | null, latest: number): number | null =>
  year !== null && year >= EARLIEST && year <= latest ? year : null;

const within = (part: string | undefined, max: number): boolean =>
  part === undefined || (Number(part) >= 1 && Number(part) <= max);

/** Returns the year of `令和` and `8`, or of `r` and `元`; null if the era has no such year. */
export function eraYear(name: string, count: string): number | null {
  const era = ERAS.find(({ names }) => names.includes(name));
  const year = count === '元' ? 1 : Number(count);
  return era === undefined || year < 1 || year > era.years ? null : era.before + year;
}
