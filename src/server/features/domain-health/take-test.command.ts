import { returnedFinding } from '#domain/domain-test.ts';
import type { AccountDb } from '../../platform/account-db.ts';
import type { Db } from '../../platform/db.ts';
import { findTest, storeTestResult } from './arrived-test.queries.ts';

export interface TestServices {
  /** A pool of the role kaitaku_service. */
  readonly db: Db;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly accountDb: (accountId: number, memberId: null) => AccountDb;
  /** The resolvers to ask; none: those of the system. */
  readonly dnsServers: readonly string[];
}

/** A mail that came to an address with a key of ours. */
interface KeyedMail {
  readonly keys: readonly string[];
  readonly source: Uint8Array;
  /** The words of the server that sent it back; null: it is the mail itself. */
  readonly returned: string | null;
}

/** Takes a mail that may be a test mail of a domain. Doing it again changes nothing. @returns whether it is one */
export async function takeTestMail(
  { db, now, accountDb, dnsServers }: TestServices,
  { keys, source, returned }: KeyedMail,
): Promise<boolean> {
  const test = keys.length === 0 ? null : await findTest(db, keys);
  if (!test) return false;
  if (!test.waits) return true;
  const findings =
    returned === null ? await judge({ source, domain: test.domain }, dnsServers) : [returnedFinding(returned)];
  await accountDb(test.accountId, null).transaction((tx) => storeTestResult(tx, test, findings, now()));
  return true;
}

/** No transaction is open meanwhile. mailauth is imported with the first test mail, as for the checks of the DNS. */
const judge = async (...parts: Parameters<typeof import('./judge-test-mail.ts')['judgeTestMail']>) =>
  (await import('./judge-test-mail.ts')).judgeTestMail(...parts);
