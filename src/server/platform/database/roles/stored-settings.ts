import pg from 'pg';
import type { DatabaseAccess } from './database-access.ts';
import { ROLES, roleName } from './database-roles.ts';
import { ROLE_SETTINGS } from './role-state.ts';

/** A foreign setting stored with one of our roles: each role may store any for itself. */
export interface StoredSetting {
  readonly role: string;
  readonly name: string;
  readonly value: string;
}

interface StoredRow extends StoredSetting {
  /** Whether it applies only to this database, not the whole server. */
  readonly isHere: boolean;
  readonly database: string;
  /** Whether the connected user may change the settings of the role. */
  readonly isOurs: boolean;
  /** The schemas that have our tables; none before the first migration. */
  readonly homes: readonly string[];
}

/** Settings that an administrator may choose: our statements do not depend on them. */
const KEPT = /^(log_.*|temp_file_limit|lock_timeout)$/;

/**
 * Settings with which processes would read other tables or rows, or could not write: they stop a start. `app.…` names
 * the account whose rows a connection sees.
 */
const REFUSED = /^(search_path|role|row_security|default_transaction_read_only|session_replication_role|app\..*)$/;

/** SQL: whether the connected user (`asking` of pg_roles) may change a role's settings. @param role its name */
export const mayAlter = (role: string): string => `(
  current_user = ${role} OR asking.rolsuper OR asking.rolcreaterole AND (
    current_setting('server_version_num')::integer < 160000 OR pg_has_role(${role}, 'MEMBER WITH ADMIN OPTION')
  ))`;

/** `$1`: the names of the roles. */
const STORED = `
  SELECT stored.rolname AS role, setdatabase <> 0 AS "isHere", current_database() AS database,
    split_part(setting, '=', 1) AS name, substr(setting, strpos(setting, '=') + 1) AS value,
    ${mayAlter('stored.rolname')} AS "isOurs",
    ARRAY(
      SELECT nspname::text FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
      WHERE relname = 'schema_migration' AND relkind = 'r'
    ) AS homes
  FROM pg_db_role_setting
  JOIN pg_roles AS stored ON stored.oid = setrole
  JOIN pg_roles AS asking ON asking.rolname = current_user
  CROSS JOIN unnest(setconfig) AS setting
  WHERE stored.rolname = ANY ($1)
    AND setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
  ORDER BY 1, 2, 4`;

/** Reads the foreign settings of a process's roles; of all roles if it knows the owner. */
export async function readForeign(
  db: Pick<pg.Pool, 'query'>,
  { owner, roles, rolePrefix }: DatabaseAccess,
): Promise<readonly StoredRow[]> {
  const names = (owner === null ? roles : ROLES).map((role) => roleName(rolePrefix, role));
  const { rows } = await db.query<StoredRow>(STORED, [names]);
  return rows.filter((row) => isForeign(row, roleName(rolePrefix, 'service')));
}

function isForeign({ role, isHere, name, value, homes }: StoredRow, service: string): boolean {
  const known = name.toLowerCase();
  if (KEPT.test(known)) return false;
  // closeRights() writes this one. It is foreign if it includes other schemas than ours: a process without the owner
  // then stops before closeRights().
  if (isHere && role === service && known === 'search_path')
    return homes.length > 0 && !schemasOf(value).some((schema) => homes.includes(schema));
  const ours = ROLE_SETTINGS[known];
  // ensureRoles() writes these for all databases. One for this database would override it.
  return ours === undefined || (isHere && ours.toLowerCase() !== value.toLowerCase());
}

export const isRefused = ({ name }: StoredSetting): boolean => REFUSED.test(name.toLowerCase());

/** Splits a search path as PostgreSQL does. */
export const schemasOf = (path: string): string[] =>
  [...path.matchAll(/"((?:[^"]|"")*)"|[^\s,]+/g)].map(([name, quoted]) =>
    quoted === undefined ? name.toLowerCase() : quoted.replaceAll('""', '"'),
  );

/** Returns the statement that removes a setting. A name may have several parts, as in extensions. */
export function resetStatement({ role, isHere, database, name }: StoredRow): string {
  const place = isHere ? ` IN DATABASE ${pg.escapeIdentifier(database)}` : '';
  const parts = name.split('.').map((part) => pg.escapeIdentifier(part));
  return `ALTER ROLE ${pg.escapeIdentifier(role)}${place} RESET ${parts.join('.')}`;
}
