import type pg from 'pg';

/**
 * Starts a transaction in which a file is read. PostgreSQL counts it as idle while the file yields no rows, as at blank
 * lines, for seconds or longer on a busy machine.
 */
export const BEGIN_READING = "BEGIN; SET LOCAL idle_in_transaction_session_timeout = '5min'";

/** Starts a transaction whose queries all see one snapshot. Its rows are written to a disk, which may be slow. */
export const BEGIN_SNAPSHOT =
  "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL idle_in_transaction_session_timeout = '5min'";

/**
 * Runs `work` in a transaction of a client that can COPY.
 * @param work resolves with its result, and whether to commit
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
    // Closing the connection ends an open COPY and rolls the transaction back.
    client.release(error as Error);
    throw error;
  }
}
