/** The server's clock, by the Date header of its answers: the rules of reservations go by it, whatever the browser's clock says. */

/** The header tells whole seconds, and answers take their time. */
const NOISE_MS = 2000;

let aheadMs = 0;

/** @param date the Date header; null: the browser's clock counts. @param askedAt when it was asked for, by the browser's clock */
export function noteServerTime(date: string | null, askedAt: number): void {
  const told = Date.parse(date ?? '') + 500;
  const ahead = told - (askedAt + Date.now()) / 2;
  aheadMs = Math.abs(ahead) > NOISE_MS ? ahead : 0;
}

/** Epoch milliseconds. */
export const serverNow = (): number => Date.now() + aheadMs;
