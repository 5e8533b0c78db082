import { statfs } from 'node:fs/promises';
import { sql } from 'kysely';
import type { Db } from './database/db.ts';
import { onlyRow } from './database/only-row.ts';

/** Returns the free bytes of a folder's file system that this user may use. */
export async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/**
 * Returns the free bytes of a database's file system.
 * @returns null if its folder is not on this machine, or its role may not read the folder's path
 */
export async function freeBytesOfServer(db: Db): Promise<number | null> {
  try {
    const { rows } = await sql<{ isHere: boolean; folder: string }>`
      SELECT coalesce(inet_server_addr() <<= '127.0.0.0/8' OR inet_server_addr() = '::1', true) AS "isHere",
        current_setting('data_directory') AS folder`.execute(db);
    const { isHere, folder } = onlyRow(rows);
    return isHere ? await freeBytesOf(folder) : null;
  } catch {
    return null;
  }
}
