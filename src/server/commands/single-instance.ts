import pg from 'pg';
import { StartupError } from '../platform/startup-error.ts';

/** Any fixed number: the right to be the one Kaitaku of an embedded database. */
const LOCK = 4_202_613;

/**
 * Takes the lock of an embedded database on a connection of its own, so that it falls with this process, however that
 * ends.
 * @returns how to let it go
 * @throws StartupError when another Kaitaku holds it
 */
export async function refuseSecondInstance(url: string, dataDir: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url, application_name: 'kaitaku instance lock' });
  // The server ends before us only when it fails; the queries that need it say so.
  client.on('error', () => {});
  await client.connect();
  const { rows } = await client.query<{ ours: boolean }>('SELECT pg_try_advisory_lock($1) AS ours', [LOCK]);
  if (!rows[0]?.ours) {
    await client.end();
    throw new StartupError(
      `${dataDir} のデータを使って、別のKaitakuがすでに動いています。そちらを使うか、終えてから起動してください（DATA_DIR で別のデータも選べます）。`,
    );
  }
  return () => client.end();
}
