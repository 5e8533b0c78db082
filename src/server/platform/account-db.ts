import { sql } from 'kysely';
import type { Db, Tx } from './db.ts';

/** The database as one account sees it: all that a request gets. Every query ANDs `id` itself; row level security is the second belt. */
export interface AccountDb {
  readonly id: number;
  /** Runs `work` in one transaction; it is rolled back when `work` throws. */
  transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
  /** The same for reading alone: all its queries see one moment. */
  snapshot<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
}

/** @param api a pool of the role kaitaku_api, which sees no row of any account until one is set */
export const accountDbOf =
  (api: Db) =>
  (accountId: number): AccountDb => {
    const asAccount =
      <Result>(work: (tx: Tx) => Promise<Result>) =>
      async (tx: Tx): Promise<Result> => {
        await sql`SELECT set_config('app.account_id', ${String(accountId)}, true)`.execute(tx);
        return work(tx);
      };
    return {
      id: accountId,
      transaction: (work) => api.transaction().execute(asAccount(work)),
      snapshot: (work) =>
        api.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(asAccount(work)),
    };
  };
