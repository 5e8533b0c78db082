import type { Refusal } from '../../platform/refusal.ts';
import { workbookFaults } from '../prospect-import/workbook/workbook-faults.ts';

/** Looks at workbooks that a process has at once. They take turns, so that the last one waits for all others. */
const MAX_LOOKS = 6;
/** One is read, and one waits: a person who chooses another sheet gives the first one up. */
const MAX_LOOKS_OF_ACCOUNT = 2;

/** The accounts of the present looks. */
const looks: number[] = [];

/** Runs `work`, which looks at a workbook. @returns a Refusal while the account or the process has too many looks */
export async function withLookPlace<T>(accountId: number, work: () => Promise<T>): Promise<T | Refusal> {
  const own = looks.filter((account) => account === accountId);
  if (looks.length >= MAX_LOOKS || own.length >= MAX_LOOKS_OF_ACCOUNT) return workbookFaults.busy;
  looks.push(accountId);
  try {
    return await work();
  } finally {
    looks.splice(looks.indexOf(accountId), 1);
  }
}
