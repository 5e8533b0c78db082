import pg from 'pg';
import { StartupError } from '../platform/startup-error.ts';

/** The key of an advisory lock (any fixed number), held by the only Kaitaku that uses an embedded database. */
const INSTANCE_LOCK = 4_202_613;

/**
 * Takes the lock of an embedded database on its own connection.
 * PostgreSQL releases it at any end of this process.
 * @returns a function that releases it
 * @throws StartupError if another Kaitaku holds it
 */
export async function refuseSecondInstance(url: string, dataDir: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url, application_name: 'kaitaku instance lock' });
  // The server ends before this process only by a failure, which the queries that need it report.
  client.on('error', () => {});
  await client.connect();
  const { rows } = await client.query<{ ours: boolean }>('SELECT pg_try_advisory_lock($1) AS ours', [INSTANCE_LOCK]);
  if (!rows[0]?.ours) {
    await client.end();
    throw new StartupError(
      `${dataDir} のデータを使って、別のKaitakuがすでに動いています。そちらを使うか、終えてから起動してください（DATA_DIR で別のデータも選べます）。`,
    );
  }
  return () => client.end();
}
