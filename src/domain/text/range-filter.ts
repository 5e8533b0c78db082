/** A numeric range of the prospect list; a missing bound is open. */
export interface Range {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** Returns whether a value lies in a range. Both bounds are exclusive. With a bound, a missing value is outside. */
export function inRange(value: number | null, { from = -Infinity, to = Infinity }: Range): boolean {
  if (value === null) return from === -Infinity && to === Infinity;
  return value > from && value < to;
}
