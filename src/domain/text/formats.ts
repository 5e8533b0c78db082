const GROUPED = new Intl.NumberFormat('ja-JP');

/** Formats a number as `1,234,567`, and null as an empty text. */
export const formatNumber = (value: number | null): string => (value === null ? '' : GROUPED.format(value));

const MAN = 10_000;
const UNITS = ['万', '億', '兆', '京'] as const;
const SHORT = new Intl.NumberFormat('ja-JP', { maximumSignificantDigits: 3 });

/** Shortens an amount to three significant digits: `1.23億`. Amounts below 1万 stay whole; null is an empty text. */
export function formatShortNumber(value: number | null): string {
  if (value === null || Math.abs(value) < MAN) return formatNumber(value);
  // Rounded first: 99,995,000 is 1億, not 10,000万.
  const rounded = Number(value.toPrecision(3));
  const unit = Math.min(Math.floor(Math.log10(Math.abs(rounded)) / 4), UNITS.length);
  return `${SHORT.format(rounded / MAN ** unit)}${UNITS[unit - 1]}`;
}
