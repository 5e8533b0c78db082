/** A numeric range of the prospect list; a missing bound is open. */
export interface Range {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** Both bounds are exclusive. A row without the value is left out as soon as there is a bound. */
export function inRange(value: number | null, { from, to }: Range): boolean {
  if (from === undefined && to === undefined) return true;
  if (value === null) return false;
  return (from === undefined || value > from) && (to === undefined || value < to);
}
