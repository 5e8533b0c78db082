import { isDay } from '#domain/time/calendar.ts';
import { eraYear, instantOfExcelDay } from './establishment-year.ts';

/** A time of day, which Excel writes after a day. */
const TIME = String.raw`(?:[ t]\d{1,2}:\d{2}(?::\d{2})?)?`;
const MONTH_AND_DAY = String.raw`(?:[/.-](\d{1,2})[/.-](\d{1,2})|年(\d{1,2})月(\d{1,2})日)`;
const WESTERN = new RegExp(`^(\\d{4})${MONTH_AND_DAY}${TIME}$`);
const COMPACT = /^(\d{4})(\d{2})(\d{2})$/;
const ERA = new RegExp(`^(昭和|平成|令和|[shr])\\.?(元|\\d{1,2})${MONTH_AND_DAY}${TIME}$`);
const EXCEL_DAY = /^(\d{5})(?:\.\d+)?$/;

const EARLIEST_YEAR = 1980;
const MAX_LENGTH = 40;

/**
 * Reads the day of `2026/11/20`, `2026-1-5`, `2026.11.20`, `20261120`, `2026年11月20日`, `令和8年11月20日` or `R8.11.20`
 * (any width, with or without a time of day after it), or of Excel's day number (`46346`).
 * @returns `YYYY-MM-DD`; null for another text, a nonexistent day, or a year outside `earliestYear` … `latestYear`
 */
export function parseListDay(text: string, latestYear: number, earliestYear = EARLIEST_YEAR): string | null {
  if (text.length > MAX_LENGTH) return null;
  const folded = text.normalize('NFKC').trim().toLowerCase();
  const excelDay = EXCEL_DAY.exec(folded)?.[1];
  const day =
    excelDay === undefined ? writtenDay(folded) : instantOfExcelDay(Number(excelDay)).toISOString().slice(0, 10);
  if (day === null || !isDay(day)) return null;
  const year = Number(day.slice(0, 4));
  return year >= earliestYear && year <= latestYear ? day : null;
}

function writtenDay(folded: string): string | null {
  const [, year, ...western] = WESTERN.exec(folded) ?? COMPACT.exec(folded) ?? [];
  if (year !== undefined) return dayOf(year, western);
  const [, name = '', count = '', ...parts] = ERA.exec(folded) ?? [];
  const counted = eraYear(name, count);
  return counted === null ? null : dayOf(`${counted}`, parts);
}

/** @param parts month and day of the written alternative; the others are undefined */
function dayOf(year: string, parts: readonly (string | undefined)[]): string {
  const [month = '', day = ''] = parts.filter((part) => part !== undefined);
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
}
