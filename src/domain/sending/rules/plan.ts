import { dayOf } from '../../time/tokyo-time.ts';
import { DAY_MS, MINUTE_MS } from '../../time-units.ts';
import { type Calendar, endOfSending, mayLeaveAt, nextDayOpening, OPEN_DAYS_MAX } from '../sending-hours.ts';
import { type DailyLimit, limitOf, stepOf } from './daily-limit.ts';

/** Plans the days on which an order's mails are sent, by the limits of the day. Days are 'YYYY-MM-DD' in Tokyo. */

export const PLAN_DAYS_MAX = 14;

export interface PlannedDay {
  readonly day: string;
  readonly mails: number;
}

/** A limit of the day. */
interface Used {
  /** Mails of today. */
  readonly used: number;
  /** Mails that wait before the order. */
  readonly ahead: number;
  /** Mails of reservations that start before the order. */
  readonly reserved: readonly PlannedDay[];
}

export interface PlanFacts {
  /** Mails of the order. */
  readonly mails: number;
  /** Epoch milliseconds. */
  readonly now: number;
  /** The order's planned time, in epoch milliseconds; null: now. */
  readonly reservedFor: number | null;
  /** The calendar of the sender's group. */
  readonly calendar: Calendar;
  /** Its profile's pace; null: none. */
  readonly perMinute: number | null;
  /** The profile's limit; null: none. `usedThen`: mails of its last sending day. */
  readonly profile: (Used & { readonly limit: DailyLimit; readonly usedThen: number }) | null;
  /** The limit of its mailbox over all profiles whose mails leave by it; null: none. */
  readonly mailbox: SharedLimit | null;
  /** The account's limit over all profiles. */
  readonly account: SharedLimit | null;
}

type SharedLimit = Used & { readonly perDay: number };

/** Tracks one limit from day to day. */
interface Followed {
  /** Returns what remains of it for the order on a day, after the mails that wait before. */
  readonly leftOn: (day: string) => { readonly left: number; readonly before: number };
  /** Records the mails sent on the day. */
  readonly note: (day: string, mails: number) => void;
}

const NO_LIMIT: Followed = { leftOn: () => ({ left: Infinity, before: 0 }), note: () => undefined };

function follow({ used, ahead, reserved }: Used, today: string, limitOn: (day: string) => number): Followed['leftOn'] {
  let waiting = ahead;
  let coming = reserved;
  return (day) => {
    // Mails of days on which the group is closed wait for this day too.
    for (const { mails } of coming.filter((planned) => planned.day <= day)) waiting += mails;
    coming = coming.filter((planned) => planned.day > day);
    const most = Math.max(0, limitOn(day) - (day === today ? used : 0));
    const before = Math.min(waiting, most);
    waiting -= before;
    return { left: most - before, before };
  };
}

/** Tracks the limit of a profile, with its ramp. */
function followProfile(profile: PlanFacts['profile'], today: string): Followed {
  if (profile === null) return NO_LIMIT;
  let { limit, usedThen } = profile;
  const stepOn = (day: string) => stepOf(limit, day, usedThen);
  return {
    leftOn: follow(profile, today, (day) => limitOf(limit, day, stepOn(day))),
    note(day, mails) {
      const sent = mails + (day === today ? profile.used : 0);
      if (sent === 0) return;
      limit = { ...limit, step: stepOn(day), rampDay: day };
      usedThen = sent;
    },
  };
}

function followShared(limit: SharedLimit | null, today: string): Followed {
  return limit === null ? NO_LIMIT : { ...NO_LIMIT, leftOn: follow(limit, today, () => limit.perDay) };
}

/** Yields when each sending day begins, and whether the order may leave on it, up to PLAN_DAYS_MAX such days. */
function* sendingDays({ now, reservedFor, calendar }: PlanFacts): Generator<{ start: number; hasBegun: boolean }> {
  const begins = mayLeaveAt(Math.max(now, reservedFor ?? now), reservedFor, calendar);
  // Of a later order the days before are followed, too.
  let start: number | null = reservedFor === null ? begins : Math.min(begins, mayLeaveAt(now, null, calendar));
  for (let days = 0; start !== null && days < PLAN_DAYS_MAX; ) {
    const hasBegun: boolean = dayOf(start) >= dayOf(begins);
    if (hasBegun) days += 1;
    yield { start, hasBegun };
    const next = nextDayOpening(start, calendar);
    // On a day on which its group is closed it may leave nevertheless.
    start = next !== null && !hasBegun && dayOf(next) > dayOf(begins) ? begins : next;
  }
}

/**
 * Plans an order: what waits already, and what is reserved for before, leaves before it, and what a limit leaves over
 * goes on when its group opens on the next day. It says nothing of what its pace may carry over to another day, nor of
 * what follows.
 * @returns the days on which its mails leave, of the first PLAN_DAYS_MAX; null: no limit holds
 */
export function planOrder(order: PlanFacts): readonly PlannedDay[] | null {
  const { now, reservedFor, calendar, perMinute } = order;
  if (order.profile === null && order.mailbox === null && order.account === null) return null;
  // Nobody reserves for so late a time, and each day before it is followed.
  if (reservedFor !== null && reservedFor - now > OPEN_DAYS_MAX * DAY_MS) return [];
  const profile = followProfile(order.profile, dayOf(now));
  const mailbox = followShared(order.mailbox, dayOf(now));
  const account = followShared(order.account, dayOf(now));
  const plan: PlannedDay[] = [];
  let { mails: left } = order;
  for (const { start, hasBegun } of sendingDays(order)) {
    if (left === 0) break;
    const day = dayOf(start);
    const own = profile.leftOn(day);
    const ofBox = mailbox.leftOn(day);
    const all = account.leftOn(day);
    const mails = hasBegun ? Math.min(left, own.left, ofBox.left, all.left) : 0;
    // Without a limit of its own, all that waits in the account may be of this profile. A mailbox has one pace for all.
    const { before } = order.mailbox !== null ? ofBox : order.profile !== null ? own : all;
    const takes = perMinute === null ? 0 : ((before + mails) / perMinute) * MINUTE_MS;
    const end = endOfSending(start, takes, null, calendar);
    if (end === null || dayOf(end) !== day) break;
    if (mails > 0) plan.push({ day, mails });
    left -= mails;
    profile.note(day, own.before + mails);
  }
  return plan;
}
