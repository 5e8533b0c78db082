import { type OffHours, offHours } from '#domain/sending/off-hours.ts';
import { dayOf, formatTimeOfDay, minuteOfDay } from '#domain/time/tokyo-time.ts';
import type { Check } from '#web/components/check-list.tsx';
import { dayWithWeekday } from '#web/lib/with-weekday.ts';
import type { SendOrder } from './send-mail.ts';
import { SENDING_MESSAGES } from './words.ts';

const { checks: messages } = SENDING_MESSAGES;

/** Names of holidays by day ('YYYY-MM-DD'). */
export type HolidayNames = Readonly<Record<string, { readonly name: string }>>;

const warning = (text: string): Check => ({ kind: 'warning', text });

/**
 * Checks an order before companies get mail.
 *
 * @param now epoch milliseconds
 */
export function orderChecks(order: SendOrder, now: number, holidays: HolidayNames | undefined): readonly Check[] {
  const unnamed = order.targets.filter(({ person_in_charge }) => person_in_charge.trim() === '').length;
  return [
    ...(order.origin.isConfirmed === false ? [warning(messages.unconfirmed)] : []),
    ...(order.days === 0 ? [warning(messages.noInterval)] : []),
    ...timeChecks(order.sendAt, now, holidays),
    unnamed === 0 ? { kind: 'fine', text: messages.named } : warning(messages.unnamed(unnamed)),
  ];
}

/** Warns of mail that arrives outside of office hours, with a remedy after the causes. */
function timeChecks(sendAt: number | null, now: number, holidays: HolidayNames = {}): readonly Check[] {
  const at = sendAt ?? now;
  const day = dayOf(at);
  const dayText = sendAt === null ? messages.today : dayWithWeekday(day);
  const time = formatTimeOfDay(minuteOfDay(at));
  const texts: Readonly<Record<OffHours, string>> = {
    holiday: messages.holiday(dayText, holidays[day]?.name ?? ''),
    weekend: messages.weekend(dayText),
    early_morning: messages.earlyMorning(time),
    night: messages.night(time),
  };
  const causes = offHours(at, holidays).map((cause) => texts[cause]);
  if (causes.length === 0) return [];
  return [warning(messages.offHours(causes, sendAt === null ? messages.sendLater : messages.reserveOther))];
}
