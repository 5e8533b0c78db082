import holidays from '@holiday-jp/holiday_jp/lib/holidays.js';
import { holidayName } from '#domain/time/holiday.ts';

/** Uses only the package's table, because its functions use the machine's time zone. */
const NAMES: Readonly<Record<string, { readonly name: string } | undefined>> = holidays;

/**
 * Returns the name of the Japanese holiday on a day ('YYYY-MM-DD'); null: no holiday, or after 2050.
 * @param today names of equinoxes after the next year are marked as planned
 */
export function holidayOf(day: string, today: string): string | null {
  const name = NAMES[day]?.name;
  return name === undefined ? null : holidayName(name, day, today);
}
