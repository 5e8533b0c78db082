const GROUPED = new Intl.NumberFormat('ja-JP');

/** Formats a number as `1,234,567`, and a missing one as an empty text. */
export const formatNumber = (value: number | null): string => (value === null ? '' : GROUPED.format(value));
