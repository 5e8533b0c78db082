import { formatNumber } from '#domain/text/formats.ts';
import { plainDay } from '#domain/time/shown-time.ts';
import { DATA_MESSAGES } from './words.ts';

/** Days of companies and, in histories as `person.5.met_on`, of people. */
const DAYS = /^published_seen_on$|^(person\.\d+\.)?met_on$/;

/** Formats a value of a company for a form. A year has no separators. */
export function writtenValue(field: string, value: string | number | null): string {
  if (typeof value === 'number') return field === 'year_of_establishment' ? String(value) : formatNumber(value);
  const text = value ?? '';
  return DAYS.test(field) ? plainDay(text) : text;
}

const NOTICES: Readonly<Record<string, string>> = DATA_MESSAGES.prospects.notices;

/** Formats a value of a company, or of one of its people, for details and histories. */
export function shownValue(field: string, value: string | number | null): string {
  const text = writtenValue(field, value);
  return field === 'publication_notice' ? (NOTICES[text] ?? text) : text;
}
