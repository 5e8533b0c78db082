import { sql } from 'kysely';
import type { TestFinding } from '#domain/dns/test-mail.ts';
import type { Db, Tx } from '../../platform/database/db.ts';

/** Stores that a test mail is about to be sent. The earlier result is kept until the new one arrives. */
export async function expectTest(
  tx: Tx,
  { accountId, domain, key, now }: { accountId: number; domain: string; key: string; now: number },
): Promise<void> {
  const sent = { key, sent_at: new Date(now), waits: true };
  await tx
    .insertInto('domain_test')
    .values({ account_id: accountId, domain, ...sent })
    .onConflict((conflict) => conflict.columns(['account_id', 'domain']).doUpdateSet(sent))
    .execute();
}

/** Stores that a test mail was not sent. */
export async function giveUpTest(tx: Tx, accountId: number, key: string): Promise<void> {
  await tx
    .updateTable('domain_test')
    .set({ waits: false })
    .where('account_id', '=', accountId)
    .where('key', '=', key)
    .execute();
}

/** The last test mail of a domain. */
interface ExpectedTest {
  readonly accountId: number;
  readonly domain: string;
  readonly key: string;
  /** Whether the mail has not arrived yet. */
  readonly waits: boolean;
}

/** Finds the test mail with one of the keys, of any account. @param db of the role kaitaku_service */
export async function findTest(db: Db, keys: readonly string[]): Promise<ExpectedTest | null> {
  const { rows } = await sql<ExpectedTest>`
    SELECT account_id AS "accountId", domain, key, waits FROM domain_test
    WHERE key = ANY (${keys}::uuid[])
    LIMIT 1`.execute(db);
  return rows[0] ?? null;
}

/** Stores the result of a test mail, unless another one was sent since. */
export async function storeTestResult(
  tx: Tx,
  { accountId, domain, key }: ExpectedTest,
  result: readonly TestFinding[],
  now: number,
): Promise<void> {
  await tx
    .updateTable('domain_test')
    .set({ result: JSON.stringify(result), arrived_at: new Date(now), waits: false })
    .where('account_id', '=', accountId)
    .where('domain', '=', domain)
    .where('key', '=', key)
    .where('waits', '=', true)
    .execute();
}
