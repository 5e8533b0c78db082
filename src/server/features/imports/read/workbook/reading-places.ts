import type { Refusal } from '../../../../platform/problem.ts';
import { workbookFaults } from './workbook-faults.ts';

/*
 * Limits the requests of an account that read workbooks in a process. Each holds its file in memory while it waits for
 * its turn (account-turns.ts). Jobs need no limit: an account has one at a time.
 */

/** One is read and one waits: a person who chooses another sheet abandons the first. */
const MAX_OF_ACCOUNT = 2;
/** Above this, accounts get one place only. The first is always free: no account is refused because of others. */
const MAX_SECOND_PLACES = 6;

/** The accounts of the running requests. */
const places: number[] = [];

/** Runs `work`, which reads a workbook for a request. @returns a Problem while the account has too many requests */
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
