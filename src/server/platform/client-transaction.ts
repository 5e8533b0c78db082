import type pg from 'pg';

/**
 * Runs `work` in a transaction of a client that can COPY.
 * @param work resolves with whether the transaction is committed, and its result
 */
export async function inClientTransaction<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<{ commit: boolean; result: Result }>,
): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
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
