import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

export interface OtherClient {
  readonly role: string;
  /** null: a socket file, or not visible to this user. */
  readonly address: string | null;
}

/** After this time a closed connection of ours or of an ended process is gone on the server. */
const CLOSING_MS = 2000;

/** Finds programs of ours that use a database, except the connection of `pool`. */
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
