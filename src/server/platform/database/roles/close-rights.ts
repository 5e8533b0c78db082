import pg from 'pg';
import { onlyRow } from '../only-row.ts';
import type { DatabaseAccess } from './database-access.ts';
import { ROLES, roleName } from './database-roles.ts';
import { isLostRace } from './ensure-roles.ts';
import { mayAlter, readForeign, resetStatement, type StoredSetting, schemasOf } from './stored-settings.ts';

/** Rights in a database that only an administrator can change. */
export interface OpenRights {
  /** SQL to run in this database. It can be repeated. */
  readonly statements: readonly string[];
  /** Whether the role `service` cannot create temporary tables, so that imports and undos fail. */
  readonly importsFail: boolean;
  /** The first error of a statement that this user may run by the catalog. */
  readonly error: Error | undefined;
}

/** What a start changed, and what it may not change. */
interface Closed {
  /** Removed settings of the roles. */
  readonly reset: readonly StoredSetting[];
  readonly open: OpenRights | null;
}

interface OpenRight {
  readonly statement: string;
  /** Whether the connected user may run the statement. */
  readonly isOurs: boolean;
  readonly importsFail: boolean;
  /** The setting that the statement removes or replaces. */
  readonly setting?: StoredSetting;
}

const MAX_TRIES = 10;

/**
 * Revokes rights that no query of ours needs and an injected SQL statement could use (decisions/database-roles):
 * - Temporary tables hide tables of the same name from the next requests on the connection. Only the owner of the
 *   tables and `service` keep them, and `service` searches them last.
 * - Large objects belong to no account.
 * - Tables of their own in the schema `public`, and schemas of their own.
 * - Settings that a role has stored with itself apply to every later connection. A process with the owner's URL
 *   resets foreign ones.
 *
 * Writes nothing if nothing is open. Never refuses the start: returns what this user may not change.
 * @param db connections of the owner, or of a role in a process that does not know the owner's password
 */
export async function closeRights(db: Pick<pg.Pool, 'query'>, access: DatabaseAccess): Promise<Closed> {
  const faults = new Map<string, Error>();
  const reset: StoredSetting[] = [];
  const canClose = ({ isOurs, statement }: OpenRight) => isOurs && !faults.has(statement);
  let open = await readOpenRights(db, access);
  for (let n = 0; n < MAX_TRIES && open.some(canClose); n += 1) {
    for (const { statement, setting } of open.filter(canClose)) {
      const fault = await faultOf(db, statement);
      if (fault !== null) faults.set(statement, fault);
      else if (setting !== undefined) reset.push(setting);
    }
    open = await readOpenRights(db, access);
  }
  return { reset, open: open.length === 0 ? null : rightsOf(open, faults.values().next().value) };
}

const rightsOf = (open: readonly OpenRight[], error: Error | undefined): OpenRights => ({
  statements: open.map(({ statement }) => statement),
  importsFail: open.some(({ importsFail }) => importsFail),
  error,
});

/** Runs a statement. @returns null also if another process interfered, whose result the next check shows */
async function faultOf(db: Pick<pg.Pool, 'query'>, statement: string): Promise<Error | null> {
  try {
    await db.query(statement);
    return null;
  } catch (error) {
    if (isLostRace(error)) return null;
    if (error instanceof pg.DatabaseError) return error;
    throw error;
  }
}

async function readOpenRights(db: Pick<pg.Pool, 'query'>, access: DatabaseAccess): Promise<OpenRight[]> {
  const roles = ROLES.map((role) => roleName(access.rolePrefix, role));
  const { rows } = await db.query<OpenRight>(OPEN, [roles]);
  // A `web` process without the owner's password leaves the search path of `service` to the workers.
  const isAsked = access.owner !== null || access.roles.includes('service');
  const service = roleName(access.rolePrefix, 'service');
  const path = isAsked ? await openSearchPath(db, service) : [];
  const foreign = access.owner === null ? [] : await readForeign(db, access);
  // openSearchPath() replaces the path of `service` here.
  const isReplaced = ({ role, isHere, name }: (typeof foreign)[number]) =>
    isHere && role === service && name === 'search_path';
  const settings = foreign
    .filter((setting) => !isReplaced(setting))
    .map((setting) => ({
      statement: resetStatement(setting),
      isOurs: setting.isOurs,
      importsFail: false,
      setting,
    }));
  return [...rows, ...settings, ...path];
}

/**
 * `$1`: the names of the roles, as in ROLES. Rights of PUBLIC count, because each condition asks for the roles.
 * pg_has_role(…, 'USAGE') is PostgreSQL's own check for changing an object's rights.
 */
const OPEN = `
  WITH name AS (
    SELECT roles, roles[3] AS service,
      (SELECT string_agg(quote_ident(one), ', ') FROM unnest(roles) AS one) AS every,
      coalesce((SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = to_regclass('public.schema_migration')),
        current_user) AS owner
    FROM (SELECT $1::name[]) AS given (roles)
  )
  SELECT format('GRANT TEMPORARY ON DATABASE %1$I TO %2$I, %3$I; '
        'REVOKE CREATE, TEMPORARY ON DATABASE %1$I FROM PUBLIC, %4$I, %5$I',
      datname, owner, service, roles[1], roles[2]) AS statement,
    pg_has_role(datdba, 'USAGE') AS "isOurs", NOT has_database_privilege(service, oid, 'TEMPORARY') AS "importsFail"
  FROM name JOIN pg_database ON datname = current_database()
  WHERE NOT has_database_privilege(service, oid, 'TEMPORARY') OR NOT has_database_privilege(owner, oid, 'TEMPORARY')
    OR EXISTS (SELECT FROM unnest(roles[1:2]) AS one WHERE has_database_privilege(one, oid, 'CREATE, TEMPORARY'))
UNION ALL
  SELECT format('GRANT CREATE ON SCHEMA public TO %I; REVOKE CREATE ON SCHEMA public FROM PUBLIC, %s', owner, every),
    pg_has_role(nspowner, 'USAGE'), false
  FROM name JOIN pg_namespace ON nspname = 'public'
  WHERE EXISTS (SELECT FROM unnest(roles) AS one WHERE has_schema_privilege(one, pg_namespace.oid, 'CREATE'))
UNION ALL
  SELECT format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC, %s',
      string_agg(pg_proc.oid::regprocedure::text, ', ' ORDER BY proname, pg_proc.oid), every),
    bool_and(pg_has_role(proowner, 'USAGE')), false
  FROM name JOIN pg_proc ON pronamespace = 'pg_catalog'::regnamespace AND prosrc LIKE 'be\\_lo%'
  WHERE EXISTS (SELECT FROM unnest(roles) AS one WHERE has_function_privilege(one, pg_proc.oid, 'EXECUTE'))
  GROUP BY every`;

/**
 * `$1`: the role. `inherited`: its path without settings of its own: from the database, all roles, or the server. If
 * the connected user has another path, `inherited` is unknown, and PostgreSQL's default is assumed.
 */
const SEARCH_PATH = `
  WITH server AS (
    SELECT CASE WHEN source IN ('default', 'environment variable', 'configuration file', 'command line') THEN setting
      ELSE boot_val END AS path
    FROM pg_settings WHERE name = 'search_path'
  ), stored AS (
    SELECT setrole, setdatabase, substr(setting, length('search_path=') + 1) AS path
    FROM pg_db_role_setting, unnest(setconfig) AS setting
    WHERE setting LIKE 'search\\_path=%'
      AND setrole IN (0, (SELECT oid FROM pg_roles WHERE rolname = $1))
      AND setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
  )
  SELECT current_database() AS database,
    (SELECT path FROM stored WHERE setrole <> 0 AND setdatabase <> 0) AS own,
    coalesce((SELECT path FROM stored WHERE setrole = 0 ORDER BY setdatabase DESC LIMIT 1), server.path) AS inherited,
    ${mayAlter('$1::name')} AS "isOurs"
  FROM server JOIN pg_roles AS asking ON asking.rolname = current_user`;

interface SearchPath {
  readonly database: string;
  /** Each path as PostgreSQL stores it. `own`: the role's in this database. */
  readonly inherited: string;
  readonly own: string | null;
  readonly isOurs: boolean;
}

/**
 * Returns the statement that moves `pg_temp` to the end of a role's search path in this database; none if it is last.
 * The other schemas are the database's, whatever the role has stored.
 */
async function openSearchPath(db: Pick<pg.Pool, 'query'>, role: string): Promise<OpenRight[]> {
  const { rows } = await db.query<SearchPath>(SEARCH_PATH, [role]);
  const { database, inherited, own, isOurs } = onlyRow(rows);
  const wanted = literals(tempLast(inherited));
  if (literals(schemasOf(own ?? inherited)) === wanted) return [];
  const [name, place] = [role, database].map(pg.escapeIdentifier);
  return [
    {
      statement: `ALTER ROLE ${name} IN DATABASE ${place} SET search_path = ${wanted}`,
      isOurs,
      importsFail: false,
      ...(own !== null && { setting: { role, name: 'search_path', value: own } }),
    },
  ];
}

const tempLast = (path: string): string[] => [...schemasOf(path).filter((name) => name !== 'pg_temp'), 'pg_temp'];

/** Quotes every part: a role may store any text as its path, and the owner runs the statement. */
const literals = (schemas: readonly string[]): string => schemas.map((name) => pg.escapeLiteral(name)).join(', ');
