import type pg from 'pg';
import { ROLES, roleName } from './database-roles.ts';

/**
 * Settings stored with each role (`ALTER ROLE … SET`), so that they hold behind a pooler too.
 * jit: compiling costs up to half of a wide sort's time, and gains nothing here.
 * TimeZone: UTC, so that no default of the server shifts an instant.
 * random_page_cost: the default fits a spinning disk, and makes the planner scan where a few look-ups would do.
 * work_mem: large enough to hash the companies that were mailed.
 * Parallel costs: a scan of 100,000 companies in memory gains from a second core.
 * idle_in_transaction_session_timeout: a process that is cut off in a transaction holds its locks, such as that of a
 * sender's row, no longer than a lease (an import, which reads a file meanwhile: 5 minutes). Without it they stay until
 * the server's kernel detects the dead peer, which can take hours.
 * tcp_keepalives: 25 s for locks held outside a transaction (a reservation being rendered).
 */
export const ROLE_SETTINGS: Readonly<Record<string, string>> = {
  jit: 'off',
  timezone: 'UTC',
  random_page_cost: '1.1',
  work_mem: '16MB',
  parallel_setup_cost: '100',
  parallel_tuple_cost: '0.01',
  idle_in_transaction_session_timeout: '10s',
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
};

/** A role as the server stores it, and whether the connected user may act as it. */
export interface RoleState {
  readonly name: string;
  readonly canLogIn: boolean;
  /** `name=value`, as `ALTER ROLE … SET` stores them. */
  readonly settings: readonly string[];
  /** Attributes and memberships with which it could read other accounts' rows. */
  readonly excess: readonly string[];
  readonly mayConnect: boolean;
  /** Whether the connected user has the role's rights. */
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

/** Returns the settings to store for a role, as `[name, value]`, where they differ from ours. */
export const settingsToSet = ({ settings }: Pick<RoleState, 'settings'>): [string, string][] =>
  Object.entries(ROLE_SETTINGS).filter(
    ([name, value]) => !settings.some((one) => one.toLowerCase() === `${name}=${value}`.toLowerCase()),
  );
