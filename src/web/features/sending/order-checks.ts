import { type OffHours, offHours } from '#domain/off-hours.ts';
import { dayOf, formatTimeOfDay, minuteOfDay } from '#domain/tokyo-time.ts';
import type { Check } from '#web/components/check-list.tsx';
import { SENDING_WORDS } from '#web/lib/sending-words.ts';
import { dayWithWeekday } from '#web/lib/with-weekday.ts';
import type { SendOrder } from './send-mail.ts';

const { checks: words } = SENDING_WORDS;

/** Names of holidays by day ('YYYY-MM-DD'). */
export type HolidayNames = Readonly<Record<string, { readonly name: string }>>;

const warning = (text: string): Check => ({ kind: 'warning', text });

/** What the order itself shows before companies are mailed. @param now epoch milliseconds */
export function orderChecks(order: SendOrder, now: number, holidays: HolidayNames | undefined): readonly Check[] {
  const unnamed = order.targets.filter(({ person_in_charge }) => person_in_charge.trim() === '').length;
  return [
    ...(order.days === 0 ? [warning(words.noInterval)] : []),
    ...timeChecks(order.sendAt, now, holidays),
    unnamed === 0 ? { kind: 'fine', text: words.named } : warning(words.unnamed(unnamed)),
  ];
}

/** Mail that arrives while offices are closed, with the remedy after the causes. */
function timeChecks(sendAt: number | null, now: number, holidays: HolidayNames = {}): readonly Check[] {
  const at = sendAt ?? now;
  const day = dayOf(at);
  const dayText = sendAt === null ? words.today : dayWithWeekday(day);
  const time = formatTimeOfDay(minuteOfDay(at));
  const texts: Readonly<Record<OffHours, string>> = {
    holiday: words.holiday(dayText, holidays[day]?.name ?? ''),
    weekend: words.weekend(dayText),
    early_morning: words.earlyMorning(time),
    night: words.night(time),
  };
  const causes = offHours(at, holidays).map((cause) => texts[cause]);
  if (causes.length === 0) return [];
  return [warning(words.offHours(causes, sendAt === null ? words.sendLater : words.reserveOther))];
}
