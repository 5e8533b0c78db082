import type pg from 'pg';

/**
 * Begins a transaction in which a file is read. PostgreSQL counts it as idle during a part without rows, such as blank
 * lines, which takes seconds, and longer on a busy machine.
 */
export const BEGIN_READING = "BEGIN; SET LOCAL idle_in_transaction_session_timeout = '5min'";

/** Begins a transaction whose queries all see one snapshot. Its rows go to a disk, which may be slow. */
export const BEGIN_SNAPSHOT =
  "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL idle_in_transaction_session_timeout = '5min'";

/**
 * Runs `work` in a transaction of a client that can COPY.
 * @param work resolves with whether the transaction is committed, and its result
 */
export async function inClientTransaction<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<{ commit: boolean; result: Result }>,
  begin: 'BEGIN' | typeof BEGIN_READING | typeof BEGIN_SNAPSHOT = 'BEGIN',
): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query(begin);
    const { commit, result } = await work(client);
    await client.query(commit ? 'COMMIT' : 'ROLLBACK');
    client.release();
    return result;
  } catch (error) {
    // Closes the connection, which ends an open COPY and rolls the transaction back.
    client.release(error as Error);
    throw error;
  }
}
