/** Estimates the server's clock by the Date header of its answers. The rules of reservations use it. */

/** Smaller differences are noise: the header has whole seconds, and answers take time. */
const MIN_DIFFERENCE_MS = 2000;

let aheadMs = 0;

/**
 * Computes the difference between the clocks from one answer.
 *
 * @param date its Date header; null: use the browser's clock
 * @param askedAt the time of the request by the browser's clock, epoch milliseconds
 */
export function noteServerTime(date: string | null, askedAt: number): void {
  const serverTime = Date.parse(date ?? '') + 500;
  const ahead = serverTime - (askedAt + Date.now()) / 2;
  aheadMs = Math.abs(ahead) > MIN_DIFFERENCE_MS ? ahead : 0;
}

/** Returns the server's time in epoch milliseconds. */
export const serverNow = (): number => Date.now() + aheadMs;
