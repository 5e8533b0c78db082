import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, openDatabase } from '../platform/database/db.ts';
import type { DatabaseAccess } from '../platform/database/roles/database-access.ts';
import type { Role } from '../platform/database/roles/database-roles.ts';
import type { Run } from './run-until-stopped.ts';

/** Time for the connections in use. */
const CLOSE_POOL_MS = 2000;

/** Opens the pool of a role, with its metrics. It is closed when the process stops. */
export function openPool({ metrics, running }: Run, access: DatabaseAccess, role: Role): Database {
  const database = openDatabase(access.urlOf(role), { role });
  metrics?.watchPool(database.pool, role);
  // close() waits for every connection in use, and forever where the server is silent.
  running.push(() => Promise.race([database.close(), sleep(CLOSE_POOL_MS, undefined, { ref: false })]));
  return database;
}
