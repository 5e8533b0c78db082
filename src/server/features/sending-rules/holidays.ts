import holidays from '@holiday-jp/holiday_jp/lib/holidays.js';

const NAMES: Readonly<Record<string, { readonly name: string } | undefined>> = holidays;

/**
 * The days of these are set by law each February for the year after: later ones are a forecast. Only the table of the
 * package is used, because its functions use the zone of the machine.
 */
const EQUINOXES = ['春分の日', '秋分の日'];

/**
 * Returns the name of the Japanese holiday on a day ('YYYY-MM-DD'); null: it is none, or after 2050.
 * @param today names of equinoxes after the next year are marked as planned
 */
export function holidayOf(day: string, today: string): string | null {
  const name = NAMES[day]?.name;
  if (name === undefined) return null;
  const isForecast = EQUINOXES.includes(name) && Number(day.slice(0, 4)) > Number(today.slice(0, 4)) + 1;
  return isForecast ? `${name}（予定）` : name;
}
