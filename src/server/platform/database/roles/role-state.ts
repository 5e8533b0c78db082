import type pg from 'pg';
import { ROLES, roleName } from './database-roles.ts';
import { ROLE_SETTINGS } from './role-settings.ts';

/** A role as the server stores it, and whether the connected user may act as it. */
export interface RoleState {
  readonly name: string;
  readonly canLogIn: boolean;
  /** `name=value`, as `ALTER ROLE … SET` stores them. */
  readonly settings: readonly string[];
  /** Attributes and memberships that would let it see rows of other accounts. */
  readonly excess: readonly string[];
  readonly mayConnect: boolean;
  /** Whether the connected user has its rights. */
  readonly isHeld: boolean;
}

const STATE = `
  SELECT r.rolname AS name, r.rolcanlogin AS "canLogIn", coalesce(r.rolconfig, '{}') AS settings,
    array_remove(ARRAY[
      CASE WHEN r.rolsuper THEN 'SUPERUSER' END, CASE WHEN r.rolbypassrls THEN 'BYPASSRLS' END,
      CASE WHEN r.rolcreaterole THEN 'CREATEROLE' END, CASE WHEN r.rolreplication THEN 'REPLICATION' END
    ] || ARRAY(SELECT roleid::regrole::text FROM pg_auth_members WHERE member = r.oid ORDER BY 1), NULL) AS excess,
    has_database_privilege(r.oid, current_database(), 'CONNECT') AS "mayConnect",
    pg_has_role(r.oid, 'USAGE') AS "isHeld"
  FROM pg_roles AS r WHERE r.rolname = ANY ($1)`;

/** Reads the roles of the prefix that exist on the server. */
export async function readRoles(db: Pick<pg.Pool, 'query'>, prefix: string): Promise<ReadonlyMap<string, RoleState>> {
  const names = ROLES.map((role) => roleName(prefix, role));
  const { rows } = await db.query<RoleState>(STATE, [names]);
  return new Map(rows.map((row) => [row.name, row]));
}

/** Returns the settings of a role that differ from ours, as `[name, value]` to set. */
export const settingsToSet = ({ settings }: Pick<RoleState, 'settings'>): [string, string][] =>
  Object.entries(ROLE_SETTINGS).filter(
    ([name, value]) => !settings.some((one) => one.toLowerCase() === `${name}=${value}`.toLowerCase()),
  );
