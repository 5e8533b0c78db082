import type { ClosingDay, HoursOfGroup } from '#domain/sending/rules/closing-days.ts';
import { type Calendar, OPEN_DAYS_MAX, OUTSIDE_HOURS, type Period } from '#domain/sending/sending-hours.ts';
import { addDays, WEEKDAYS, weekdayOf } from '#domain/time/calendar.ts';
import { dayOf, instantOf } from '#domain/time/tokyo-time.ts';

/** A group's calendar in its simplest form, without an index of closing days. The oracle for the program's. */

/** Returns month and day, which compare as strings, like days. */
const withinYear = (day: string): string => day.slice(5);

/** Whether a closing day includes a day. */
export function covers({ firstDay, lastDay, yearly }: ClosingDay, day: string): boolean {
  if (!yearly || day < firstDay) return day >= firstDay && day <= lastDay;
  const [first, last, on] = [firstDay, lastDay, day].map(withinYear) as [string, string, string];
  return first <= last ? on >= first && on <= last : on >= first || on <= last;
}

export const plainCalendar = (
  { periods, outside, onHolidays }: HoursOfGroup,
  closingDays: readonly ClosingDay[],
  holidayOf: (day: string) => string | null,
): Calendar => ({
  periods,
  outside,
  closedBy: (day) => {
    const found = closingDays.filter((one) => covers(one, day));
    if (found.some(({ working }) => working)) return null;
    return found[0]?.name ?? (onHolidays ? null : holidayOf(day));
  },
  isWorking: (day) => closingDays.some((one) => one.working && covers(one, day)),
});

function periodsOf(day: string, calendar: Calendar): readonly Period[] {
  if (calendar.closedBy(day) !== null) return [];
  const sorted = (weekday: number) =>
    calendar.periods.filter((period) => period.weekday === weekday).toSorted((one, other) => one.opens - other.opens);
  const backTo = calendar.isWorking(day) ? 6 : 0;
  for (let back = 0; back <= backTo; back += 1) {
    const found = sorted((weekdayOf(day) + 7 - back) % 7);
    if (found.length > 0) return found;
  }
  return [];
}

function nextOpening(instant: number, calendar: Calendar): { opens: number; closes: number } | null {
  for (let day = dayOf(instant), n = 0; n <= OPEN_DAYS_MAX; day = addDays(day, 1), n += 1) {
    for (const period of periodsOf(day, calendar)) {
      const closes = instantOf(day, period.closes);
      if (instant < closes) return { opens: instantOf(day, period.opens), closes };
    }
  }
  return null;
}

/** Returns all answers about an instant. */
export function plainAnswers(instant: number, calendar: Calendar) {
  const opening = nextOpening(instant, calendar);
  const openUntil = opening && opening.opens <= instant ? opening.closes : null;
  const day = dayOf(instant);
  const reason =
    calendar.closedBy(day) ??
    (periodsOf(day, calendar).length === 0 ? `${WEEKDAYS[weekdayOf(day)]}曜日` : OUTSIDE_HOURS);
  return {
    openUntil,
    nextOpenTime: opening && Math.max(instant, opening.opens),
    closedReason: openUntil === null ? reason : null,
  };
}
