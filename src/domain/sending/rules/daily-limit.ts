/** The limit of mails per day of a sender profile. Days are 'YYYY-MM-DD' in Tokyo. */

export const PER_DAY_MAX = 1_000_000;
export const RAMP_START_MAX = 1000;
export const RAMP_PERCENT_MAX = 200;
/** The days without growth of a ramp after a pause for bounces. */
export const RAMP_HELD_DAYS = 7;

export interface Ramp {
  /** The mails of its first day. */
  readonly start: number;
  /** The growth of the limit with each step. */
  readonly percent: number;
}

export interface DailyLimit {
  readonly perDay: number;
  /** null: the limit does not grow. */
  readonly ramp: Ramp | null;
  /** The ramp's first day. */
  readonly rampFrom: string | null;
  readonly step: number;
  /** The last day with a claim, on which `step` was stored; null: none yet. */
  readonly rampDay: string | null;
  readonly heldUntil: string | null;
}

/** Returns the limit at a step: 20 × 1.3ⁿ is 20, 26, 34, 44, … */
export const limitAt = (perDay: number, ramp: Ramp | null, step: number): number =>
  // A product such as 20 × 1.1 is a little above 22.
  ramp === null ? perDay : Math.min(perDay, Math.ceil(ramp.start * (1 + ramp.percent / 100) ** step - 1e-6));

const holds = ({ ramp, rampFrom }: DailyLimit, today: string): boolean =>
  ramp !== null && rampFrom !== null && today >= rampFrom;

/**
 * Returns the step of a day. It grows once after a sending day on which at least half of the limit was used, however
 * long ago.
 * @param usedThen the mails of `rampDay`
 */
export function stepOf(limit: DailyLimit, today: string, usedThen: number): number {
  const { perDay, ramp, step, rampDay, heldUntil } = limit;
  if (!holds(limit, today) || rampDay === null || today <= rampDay) return step;
  if (heldUntil !== null && today <= heldUntil) return step;
  const then = limitAt(perDay, ramp, step);
  // The step does not grow beyond the full limit, so that it stays small.
  return then < perDay && usedThen * 2 >= then ? step + 1 : step;
}

/** Returns the limit of a day. @param step as stepOf returns it */
export const limitOf = (limit: DailyLimit, today: string, step: number): number =>
  limitAt(limit.perDay, holds(limit, today) ? limit.ramp : null, step);

/** Returns the number of further steps until `perDay`. */
export function stepsLeft({ perDay, ramp }: DailyLimit, step: number): number {
  let steps = 0;
  while (ramp !== null && limitAt(perDay, ramp, step + steps) < perDay) steps += 1;
  return steps;
}
