import type pg from 'pg';
import { type Role, roleName } from './database-roles.ts';

/**
 * Checks whether a database of another owner grants rights to a role.
 * A new password would lock that installation out. pg_shdepend lists grants and policies of all databases.
 */
export async function isUsedByOthers(db: Pick<pg.Pool, 'query'>, prefix: string, role: Role): Promise<boolean> {
  const { rowCount } = await db.query(
    `SELECT FROM pg_shdepend AS used
     JOIN pg_database AS other ON other.oid = used.dbid
     JOIN pg_database AS own ON own.datname = current_database()
     JOIN pg_roles AS role ON role.oid = used.refobjid
     WHERE used.refclassid = 'pg_authid'::regclass AND role.rolname = $1 AND other.datdba <> own.datdba LIMIT 1`,
    [roleName(prefix, role)],
  );
  return rowCount !== 0;
}
