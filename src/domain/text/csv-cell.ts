const NEEDS_QUOTES = /[",\r\n]/;

/** Returns a text as a cell of a CSV file (RFC 4180): in quotes where it needs them. */
export const csvCell = (text: string): string => (NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
