import type { LegalFault } from '#domain/law/profile.ts';
import { type OffHours, offHours } from '#domain/sending/off-hours.ts';
import { weekdayOf } from '#domain/time/calendar.ts';
import { clockInSentence } from '#domain/time/shown-time.ts';
import { dayOf } from '#domain/time/tokyo-time.ts';
import type { Check } from '#web/components/field/check-list.tsx';
import { asMessage } from '#web/lib/phrases.ts';
import { sentenceDay } from '#web/lib/screen-time.ts';
import type { SendOrder } from './use-send-order.ts';
import { SENDING_MESSAGES } from './words.ts';

const { checks: messages, legal } = SENDING_MESSAGES;

/** Names of holidays by day ('YYYY-MM-DD'). */
type HolidayNames = Readonly<Record<string, { readonly name: string }>>;

/** Returns the path of the screen on which a field's error is fixed; null: there is none. */
export type PlaceOf = (field: string) => string | null;

/** An error in the server's answer. */
export type Fault = Pick<LegalFault, 'path' | 'message'>;

interface Now {
  /** Epoch milliseconds. */
  readonly now: number;
  readonly placeOf: PlaceOf;
}

/** Checks an order before companies get mail: its sender, its interval and, unless its group has hours, the time. */
export function orderChecks(
  order: SendOrder,
  { now, placeOf, hasOwnHours }: Now & { readonly hasOwnHours: boolean },
  holidays?: HolidayNames,
): readonly Check[] {
  const { origin, days, sendAt } = order;
  return [
    days === 0 ? { kind: 'warning', text: messages.noInterval } : { kind: 'fine', text: messages.interval(days) },
    ...(origin.isConfirmed === false
      ? [{ kind: 'bad', text: messages.unconfirmed, ...linkOf('sender.email', placeOf) } as const]
      : []),
    ...(hasOwnHours ? [] : timeChecks(sendAt, now, holidays)),
  ];
}

/** Warns about mail outside of the usual office hours, with a remedy after the causes. */
function timeChecks(sendAt: number | null, now: number, holidays: HolidayNames = {}): readonly Check[] {
  const at = sendAt ?? now;
  const day = dayOf(at);
  const dayText = sendAt === null ? messages.today : sentenceDay(day);
  const time = clockInSentence(at);
  const dayOff = messages.dayOff(weekdayOf(day) === 6);
  const texts: Readonly<Record<OffHours, string>> = {
    holiday: messages.holiday(dayText, holidays[day]?.name ?? ''),
    weekend: messages.weekend(dayText, dayOff),
    early_morning: messages.earlyMorning(time),
    night: messages.night(time),
  };
  const causes = offHours(at, holidays);
  if (causes.length === 0) return [];
  const isNow = sendAt === null;
  const text = messages.offHours(
    causes.map((cause) => texts[cause]),
    isNow ? messages.sendLater : messages.reserveOther,
  );
  const label = messages.tickAt(
    causes.map((cause) => (cause === 'weekend' ? dayOff : messages.times[cause])),
    isNow,
  );
  return [{ kind: 'warning', text, ask: { rule: 'outside_hours', key: 'outside_hours', label } }];
}

/**
 * Returns the legal warnings, each to be ticked. A test shows those about its own address; the others come before real
 * mails. A server without an address (L8) and an unconfirmed sender domain (L10) are asked once a day, because ticking
 * fixes neither.
 */
export function legalChecks(
  faults: readonly LegalFault[],
  { testTo, origin }: Pick<SendOrder, 'testTo' | 'origin'>,
  { now, placeOf }: Now,
): readonly Check[] {
  const today = dayOf(now);
  return faults
    .filter(({ code, level }) => level === 'warning' && (code === 'L14') === (testTo !== null))
    .map(({ code, path, message }) => {
      // Errors have these codes too.
      const rule = code as Exclude<typeof code, 'L1' | 'L2' | 'L3' | 'L4' | 'L6' | 'L7'>;
      const text = asMessage(message);
      if (code === 'L8') {
        const ask = { rule, key: `${code} ${today}`, isOnce: true, isStatement: true };
        return { kind: 'warning', text: legal.noOneClick, note: legal.noOneClickHelp, ask };
      }
      const ask =
        code === 'L10'
          ? { rule, key: `${code} ${origin.from.address} ${today}`, isOnce: true }
          : { rule, key: `${code} ${text}` };
      return { kind: 'warning', text, ask, ...linkOf(path, placeOf) };
    });
}

/** Returns what prevents real mails. */
export const faultChecks = (faults: readonly Fault[], placeOf: PlaceOf): readonly Check[] =>
  faults.map(({ path, message }) => ({ kind: 'bad', text: asMessage(message), ...linkOf(path, placeOf) }));

type Place = keyof typeof legal.places;
const isPlace = (room: string): room is Place => Object.hasOwn(legal.places, room);

/** Returns the link to the screen on which a field's error is fixed. */
function linkOf(field: string, placeOf: PlaceOf): Pick<Check, 'link'> {
  const to = placeOf(field);
  const room = field.split('.')[0] ?? '';
  return to === null || !isPlace(room) ? {} : { link: { to, text: legal.places[room] } };
}
