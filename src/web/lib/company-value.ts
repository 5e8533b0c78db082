import { formatNumber } from '#domain/formats.ts';

/** Writes a value of a company as forms and histories show it. A year has no separators. */
export function writtenValue(field: string, value: string | number | null): string {
  if (typeof value !== 'number') return value ?? '';
  return field === 'year_of_establishment' ? String(value) : formatNumber(value);
}
