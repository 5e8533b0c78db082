import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

export interface OtherClient {
  readonly role: string;
  /** null: through a socket file, or this user may not see it. */
  readonly address: string | null;
}

/** A connection that was closed, by us or by a process that ended, is gone on the server by then. */
const CLOSING_MS = 2000;

/** Finds the programs of ours that use a database, but for the connection of `pool`. */
export async function otherClients(pool: pg.Pool): Promise<readonly OtherClient[]> {
  const end = Date.now() + CLOSING_MS;
  let found = await readClients(pool);
  while (found.length > 0 && Date.now() < end) {
    await sleep(50);
    found = await readClients(pool);
  }
  return found;
}

async function readClients(pool: pg.Pool): Promise<readonly OtherClient[]> {
  const { rows } = await pool.query<OtherClient>(
    `SELECT DISTINCT usename AS role, host(client_addr) AS address FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name LIKE 'kaitaku%' ORDER BY 1, 2`,
  );
  return rows;
}
