import type { Refusal } from '../../../../platform/problem.ts';
import { workbookFaults } from './workbook-faults.ts';

/*
 * A request that reads a workbook holds its file while it waits for its turn (account-turns.ts). Places limit what an
 * account can make a process hold. Jobs need none: an account has one at a time.
 */

/** One is read, and one waits: a person who chooses another sheet gives the first one up. */
const MAX_OF_ACCOUNT = 2;
/** Beyond it an account has one place. The first one is always free, so that no account is refused for the others. */
const MAX_SECOND_PLACES = 6;

/** The accounts of the present requests. */
const places: number[] = [];

/** Runs `work`, which reads a workbook for a request. @returns a Problem while the account has too many of them */
export async function withReadingPlace<T>(accountId: number, work: () => Promise<T>): Promise<T | Refusal> {
  const own = places.filter((account) => account === accountId).length;
  if (own >= MAX_OF_ACCOUNT || (own > 0 && places.length >= MAX_SECOND_PLACES)) return workbookFaults.busy;
  places.push(accountId);
  try {
    return await work();
  } finally {
    places.splice(places.indexOf(accountId), 1);
  }
}
