import type pg from 'pg';
import { ROLES, roleName } from './database-roles.ts';

/** Returns the prefix of the roles that have rights in this database, or null. */
export async function prefixOfRights(db: Pick<pg.Pool, 'query'>): Promise<string | null> {
  const { rows } = await db.query<{ role: string }>(
    `SELECT roles[1]::text AS role FROM pg_policies
     WHERE schemaname = 'public' AND tablename = 'account' AND policyname = 'own'`,
  );
  const role = rows[0]?.role;
  return role?.endsWith('_api') ? role.slice(0, -'_api'.length) : null;
}

const POLICIES = `
  SELECT format('ALTER POLICY %I ON %I TO %I', policyname, tablename, $2::text) AS statement
  FROM pg_policies WHERE schemaname = 'public' AND roles = ARRAY[$1::name]`;

const GRANTS = `
  SELECT format('%s %s%s ON %s %s %I', verb, privilege_type, columns, object, preposition, role) AS statement
  FROM (
    SELECT format('%I', relname) AS object, '' AS columns, granted.grantee, granted.privilege_type
    FROM pg_class, aclexplode(relacl) AS granted
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'S')
    UNION ALL
    SELECT format('%I', relname), format(' (%I)', attname), granted.grantee, granted.privilege_type
    FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND NOT attisdropped, aclexplode(attacl) AS granted
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v')
    UNION ALL
    SELECT format('FUNCTION %s', pg_proc.oid::regprocedure), '', granted.grantee, granted.privilege_type
    FROM pg_proc, aclexplode(proacl) AS granted WHERE pronamespace = 'public'::regnamespace
    UNION ALL
    SELECT format('DATABASE %I', datname), '', granted.grantee, granted.privilege_type
    FROM pg_database, aclexplode(datacl) AS granted WHERE datname = current_database()
  ) AS granted
  JOIN pg_roles ON pg_roles.oid = granted.grantee AND rolname = $1::name
  CROSS JOIN (VALUES ('GRANT', 'TO', $2::text), ('REVOKE', 'FROM', $1::text)) AS move (verb, preposition, role)`;

/**
 * Moves the rights of one prefix's roles to another's, in one transaction. The old roles are kept: other databases may
 * use them.
 * @param pool of the owner role
 */
export async function moveRights(pool: pg.Pool, from: string, to: string): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    for (const role of ROLES) {
      const names = [roleName(from, role), roleName(to, role)];
      for (const query of [POLICIES, GRANTS]) {
        const { rows } = await client.query<{ statement: string }>(query, names);
        for (const { statement } of rows) await client.query(statement);
      }
    }
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}
