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
    const within =
      (begin: string) =>
      <Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> =>
        api.connection().execute(async (connection) => {
          try {
            // One message to the server. Kysely's own transaction() takes two, a fifth of a short request.
            await sql.raw(`${begin}; SET LOCAL app.account_id = ${BigInt(accountId)}`).execute(connection);
            const result = await work(connection as Tx);
            await sql`COMMIT`.execute(connection);
            return result;
          } catch (error) {
            await sql`ROLLBACK`.execute(connection);
            throw error;
          }
        });
    return {
      id: accountId,
      transaction: within('BEGIN'),
      snapshot: within('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'),
    };
  };
