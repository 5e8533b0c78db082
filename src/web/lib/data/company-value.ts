import { formatNumber } from '#domain/text/formats.ts';
import { plainDay } from '#domain/time/shown-time.ts';
import { DATA_MESSAGES } from './words.ts';

/** Formats a value of a company for a form. A year has no separators. */
export function writtenValue(field: string, value: string | number | null): string {
  if (typeof value === 'number') return field === 'year_of_establishment' ? String(value) : formatNumber(value);
  const text = value ?? '';
  return field === 'published_seen_on' ? plainDay(text) : text;
}

const NOTICES: Readonly<Record<string, string>> = DATA_MESSAGES.prospects.notices;

/** Formats a value of a company for details and histories. */
export function shownValue(field: string, value: string | number | null): string {
  const text = writtenValue(field, value);
  return field === 'publication_notice' ? (NOTICES[text] ?? text) : text;
}
