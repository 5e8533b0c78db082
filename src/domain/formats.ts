const GROUPED = new Intl.NumberFormat('ja-JP');

/** `1,234,567`; a missing number is shown as nothing. */
export const formatNumber = (value: number | null): string => (value === null ? '' : GROUPED.format(value));
