// The package's functions use the machine's time zone; its table does not.
import table from '@holiday-jp/holiday_jp/lib/holidays.js';

/** The Japanese holidays by day ('YYYY-MM-DD'). */
export const HOLIDAYS: Readonly<Record<string, { readonly name: string }>> = table;
