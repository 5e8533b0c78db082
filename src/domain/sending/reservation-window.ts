import { addDays } from '../time/calendar.ts';
import { dayOf, instantOf, minuteOfDay, parseTimeOfDay } from '../time/tokyo-time.ts';
import { HOUR_MS, MINUTE_MS } from '../time-units.ts';
import {
  type DayFault,
  dayFault,
  PICKER_TIMES,
  pickerFaultTexts,
  pickerWindow,
  type TimeFault,
  timeFault,
} from './picker-window.ts';

/** Decides when a reservation may be sent. Instants are epoch milliseconds. */

/**
 * Returns one hour ahead, rounded down to the hour: at 10:40 it is 11:00. It is always in the future, and valid
 * although the picker starts tomorrow.
 */
export const defaultSendAt = (now: number): number => Math.floor((now + HOUR_MS) / HOUR_MS) * HOUR_MS;

export type ReservationFault = 'past' | DayFault | TimeFault;

export const RESERVATION_FAULT_MESSAGES: Readonly<Record<ReservationFault, string>> = {
  past: '予約日時を過ぎています。これからの日時を選んでください',
  ...pickerFaultTexts('予約日時'),
};

/** Returns the fault of a reserved time, or null. The server passes its own clock. */
export function reservationFault(sendAt: number, now: number): ReservationFault | null {
  if (sendAt === defaultSendAt(now)) return null;
  if (sendAt <= now) return 'past';
  const window = pickerWindow(now);
  if (sendAt < window.start || sendAt > window.end) return 'out_of_window';
  const fault = dayFault(dayOf(sendAt), window) ?? timeFault(minuteOfDay(sendAt));
  return fault ?? (sendAt % MINUTE_MS === 0 ? null : 'step');
}

const DAY_FAULTS: readonly unknown[] = ['past', 'out_of_window', 'weekend'];

/** Returns the same time of another day. */
export const onDay = (sendAt: number, day: string): number => instantOf(day, minuteOfDay(sendAt));

/** Returns why a reservation cannot be moved to a day, or null. Its time of day may still be a fault. */
export function moveFault(sendAt: number, day: string, now: number): ReservationFault | null {
  const fault = reservationFault(onDay(sendAt, day), now);
  return DAY_FAULTS.includes(fault) ? fault : null;
}

/** Returns the next or previous day to which a reservation can be moved; null: none. */
export function nextMove(sendAt: number, step: 1 | -1, now: number): string | null {
  const { lastDay } = pickerWindow(now);
  const today = dayOf(now);
  for (let day = addDays(dayOf(sendAt), step); step > 0 ? day <= lastDay : day >= today; day = addDays(day, step)) {
    if (moveFault(sendAt, day, now) === null) return day;
  }
  return null;
}

/**
 * Returns the times that the picker offers on a day ('YYYY-MM-DD'): `8:00` to `20:45`; on the window's last day only
 * 8:00.
 */
export const slotsOfDay = (day: string, now: number): string[] =>
  PICKER_TIMES.filter((time) => {
    const window = pickerWindow(now);
    return dayFault(day, window) === null && instantOf(day, parseTimeOfDay(time) ?? 0) <= window.end;
  });
