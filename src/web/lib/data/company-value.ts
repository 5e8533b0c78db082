import { formatNumber } from '#domain/text/formats.ts';
import { DATA_MESSAGES } from './words.ts';

/** Writes a value of a company as a form holds it. A year has no separators. */
export function writtenValue(field: string, value: string | number | null): string {
  if (typeof value === 'number') return field === 'year_of_establishment' ? String(value) : formatNumber(value);
  const text = value ?? '';
  return field === 'published_seen_on' ? text.replaceAll('-', '/') : text;
}

const NOTICES: Readonly<Record<string, string>> = DATA_MESSAGES.prospects.notices;

/** Writes a value of a company as details and histories show it. */
export function shownValue(field: string, value: string | number | null): string {
  const text = writtenValue(field, value);
  return field === 'publication_notice' ? (NOTICES[text] ?? text) : text;
}
