/** How many mails a sender profile may send in a day. Days are 'YYYY-MM-DD' in Tokyo. */

export const PER_DAY_MAX = 1_000_000;
export const RAMP_START_MAX = 1000;
export const RAMP_PERCENT_MAX = 200;
/** So many days after a pause for bounces a ramp does not grow. */
export const RAMP_HELD_DAYS = 7;

export interface Ramp {
  /** Mails of its first day. */
  readonly start: number;
  /** By how much the limit grows with each step. */
  readonly percent: number;
}

export interface DailyLimit {
  readonly perDay: number;
  /** null: the limit does not grow. */
  readonly ramp: Ramp | null;
  /** From this day on the ramp holds. */
  readonly rampFrom: string | null;
  readonly step: number;
  /** The last day with a claim, to which `step` belongs; null: none yet. */
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
 * Returns the step of a day. It grows once after a sending day that used half of its limit or more, however many days
 * ago that was.
 * @param usedThen the mails of `rampDay`
 */
export function stepOf(limit: DailyLimit, today: string, usedThen: number): number {
  const { perDay, ramp, step, rampDay, heldUntil } = limit;
  if (!holds(limit, today) || rampDay === null || today <= rampDay) return step;
  if (heldUntil !== null && today <= heldUntil) return step;
  const then = limitAt(perDay, ramp, step);
  // A limit that is reached grows no more: the step stays small.
  return then < perDay && usedThen * 2 >= then ? step + 1 : step;
}

/** Returns the limit of a day. @param step as stepOf returns it */
export const limitOf = (limit: DailyLimit, today: string, step: number): number =>
  limitAt(limit.perDay, holds(limit, today) ? limit.ramp : null, step);

/** Returns how many more steps reach `perDay`. */
export function stepsLeft({ perDay, ramp }: DailyLimit, step: number): number {
  let steps = 0;
  while (ramp !== null && limitAt(perDay, ramp, step + steps) < perDay) steps += 1;
  return steps;
}
