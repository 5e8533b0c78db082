/** A law sets these days each February for the next year. Later ones are a forecast. */
const EQUINOXES = ['春分の日', '秋分の日'];

/** Returns the name of a holiday on a day. An equinox after the next year is marked as planned. */
export function holidayName(name: string, day: string, today: string): string {
  const isForecast = EQUINOXES.includes(name) && Number(day.slice(0, 4)) > Number(today.slice(0, 4)) + 1;
  return isForecast ? `${name}（予定）` : name;
}
