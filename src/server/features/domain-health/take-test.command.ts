import { returnedFinding, type TestFinding } from '#domain/dns/test-mail.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Db } from '../../platform/database/db.ts';
import { findTest, storeTestResult } from './arrived-test.queries.ts';

export interface TestServices {
  /** A pool of the role kaitaku_service. */
  readonly db: Db;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly accountDb: (accountId: number, memberId: null) => AccountDb;
}

/** Judges a test mail of a domain by its header (judge-test-mail.ts), in a thread. No transaction is open meanwhile. */
export type JudgeTest = (domain: string) => Promise<readonly TestFinding[]>;

/** A mail that came to an address with a key of ours. */
interface KeyedMail {
  readonly keys: readonly string[];
  /** The words of the server that sent it back; null: it is the mail itself. */
  readonly returned: string | null;
  readonly judge: JudgeTest;
}

/** Takes a mail that may be a test mail of a domain. Doing it again changes nothing. @returns whether it is one */
export async function takeTestMail(
  { db, now, accountDb }: TestServices,
  { keys, returned, judge }: KeyedMail,
): Promise<boolean> {
  const test = keys.length === 0 ? null : await findTest(db, keys);
  if (!test) return false;
  if (!test.waits) return true;
  const findings = returned === null ? await judge(test.domain) : [returnedFinding(returned)];
  await accountDb(test.accountId, null).transaction((tx) => storeTestResult(tx, test, findings, now()));
  return true;
}
