import { isDay, startOfWeek } from '#domain/time/calendar.ts';
import { dayOf, formatMinute, instantOf } from '#domain/time/tokyo-time.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#domain/time-units.ts';

/* The names of backups in a folder, and which of them are kept. No clock and no disk is used here. */

/** Returns the name of a backup of this minute, by the time in Tokyo. */
export const backupName = (instant: number): string =>
  `kaitaku-${formatMinute(instant).replaceAll(/[/:]/g, '').replace(' ', '-')}.backup`;

/** Returns the time that a name says; null: it is not of this form. */
export function timeOfBackup(name: string): number | null {
  const [, year, month, date, hour, minute] = /^kaitaku-(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)\.backup$/.exec(name) ?? [];
  const day = `${year}-${month}-${date}`;
  if (!isDay(day) || Number(hour) > 23 || Number(minute) > 59) return null;
  return instantOf(day, (Number(hour) * HOUR_MS) / MINUTE_MS + Number(minute));
}

/** How many days and weeks with a backup keep their newest one. */
export interface Keep {
  readonly daily: number;
  readonly weekly: number;
}

/**
 * Returns the backups to delete. Kept are the newest of each of the last `daily` days that have one, and of each of the
 * last `weekly` weeks, up to the one that was just written. What seems newer than that is kept and does not count: the
 * clock went back.
 * @param names of this form, in any order
 */
export function expiredBackups(
  names: readonly string[],
  { daily, weekly, written }: Keep & { readonly written: string },
): string[] {
  const older = names.filter((name) => name <= written).toSorted((a, b) => (a < b ? 1 : -1));
  const kept = new Set([written, ...newestOf(older, daily, dayOf), ...newestOf(older, weekly, weekOf)]);
  return older.filter((name) => !kept.has(name));
}

const weekOf = (instant: number): string => startOfWeek(dayOf(instant));

/** Returns the newest name of each of the first `count` periods. @param names the newest first */
function newestOf(names: readonly string[], count: number, periodOf: (instant: number) => string): string[] {
  const newest = new Map<string, string>();
  for (const name of names) {
    const period = periodOf(timeOfBackup(name) ?? 0);
    if (!newest.has(period)) newest.set(period, name);
  }
  return [...newest.values()].slice(0, count);
}

/**
 * Returns the last time of day `minute` (in Tokyo) that came after `since`, up to now; null: none.
 * A machine that slept through several nights makes up for the last one.
 */
export function dueAt(since: number, now: number, minute: number): number | null {
  const today = instantOf(dayOf(now), minute);
  const last = today <= now ? today : today - DAY_MS;
  return last > since ? last : null;
}
