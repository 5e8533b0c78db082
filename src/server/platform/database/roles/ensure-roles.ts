import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import pg from 'pg';
import type { DatabaseAccess } from './database-access.ts';
import { passwordOf, ROLES, type Role, roleName } from './database-roles.ts';
import { type RoleState, readRoles, settingsToSet } from './role-state.ts';

/** The owner may not create or change the roles. The statements contain verifiers, no passwords. */
export class RolesDenied extends Error {
  override readonly name = 'RolesDenied';
  readonly statements: readonly string[];

  constructor(statements: readonly string[]) {
    super('the owner may not make or change the roles');
    this.statements = statements;
  }
}

/** A role with this name belongs to another installation on the server. */
export class RoleTaken extends Error {
  override readonly name = 'RoleTaken';
}

const MAX_TRIES = 10;

/**
 * SQLSTATEs of a race with another process that changes the same role.
 * Roles are shared by all databases of a server. XX000 is "tuple concurrently updated".
 */
const RACES = ['42710', '23505', '40P01', 'XX000'];

export const isLostRace = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && RACES.includes(error.code ?? '');

/**
 * Creates the three roles, lets them log in and stores their settings; skips existing ones.
 * @param pool of the owner role
 * @throws RolesDenied, RoleTaken
 */
export async function ensureRoles(pool: pg.Pool, access: DatabaseAccess): Promise<void> {
  let statements: string[] = [];
  for (let n = 0; n < MAX_TRIES; n += 1) {
    statements = await missingStatements(pool, access);
    if (statements.length === 0) return;
    await runTogether(pool, statements);
  }
  throw new RolesDenied(statements);
}

/** Resets a role's password to the one of its URL. @throws RolesDenied, RoleTaken */
export async function resetPassword(pool: pg.Pool, access: DatabaseAccess, role: Role): Promise<void> {
  const name = roleName(access.rolePrefix, role);
  if (await isUsedByOthers(pool, access.rolePrefix, role)) throw new RoleTaken(name);
  const statement = `ALTER ROLE ${pg.escapeIdentifier(name)}${passwordClause(access.urlOf(role))}`;
  for (let n = 0; n < MAX_TRIES; n += 1) if (await runTogether(pool, [statement])) return;
  throw new RolesDenied([statement]);
}

async function missingStatements(pool: pg.Pool, access: DatabaseAccess): Promise<string[]> {
  const known = await readRoles(pool, access.rolePrefix);
  const { rows } = await pool.query<{ database: string; owner: string }>(
    'SELECT current_database() AS database, current_user AS owner',
  );
  const [database, owner] = [rows[0]?.database ?? '', rows[0]?.owner ?? ''].map(pg.escapeIdentifier);
  const statements = ROLES.flatMap((role) => {
    const name = roleName(access.rolePrefix, role);
    return missingOf(known.get(name), pg.escapeIdentifier(name), access.urlOf(role), database ?? '');
  });
  // Row level security applies to the owner too. As a member of `service` its migrations see all rows.
  const service = roleName(access.rolePrefix, 'service');
  if (known.get(service)?.isHeld !== true) statements.push(`GRANT ${pg.escapeIdentifier(service)} TO ${owner}`);
  return statements;
}

function missingOf(state: RoleState | undefined, name: string, url: string, database: string): string[] {
  const statements: string[] = [];
  if (state === undefined) statements.push(`CREATE ROLE ${name} LOGIN${passwordClause(url)}`);
  else if (!state.canLogIn) statements.push(`ALTER ROLE ${name} LOGIN${passwordClause(url)}`);
  for (const [key, value] of settingsToSet(state ?? { settings: [] }))
    statements.push(`ALTER ROLE ${name} SET ${key} = ${pg.escapeLiteral(value)}`);
  if (state?.mayConnect === false) statements.push(`GRANT CONNECT ON DATABASE ${database} TO ${name}`);
  return statements;
}

function passwordClause(url: string): string {
  const password = passwordOf(url);
  return password === null ? '' : ` PASSWORD ${pg.escapeLiteral(scramVerifier(password))}`;
}

const DENIED = '42501';

/** Runs all statements or none. @returns false if another process interfered @throws RolesDenied */
async function runTogether(pool: pg.Pool, statements: readonly string[]): Promise<boolean> {
  try {
    // One simple-query message is one transaction.
    await pool.query(statements.join(';\n'));
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === DENIED) throw new RolesDenied(statements);
    if (isLostRace(error)) return false;
    throw error;
  }
}

const ITERATIONS = 4096;

/**
 * Returns the SCRAM-SHA-256 verifier of a password, as PostgreSQL stores it.
 * The verifier keeps the password itself out of statements and the server's log.
 */
function scramVerifier(password: string, salt: Buffer = randomBytes(16)): string {
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, ITERATIONS, 32, 'sha256');
  const keyOf = (name: string) => createHmac('sha256', salted).update(name).digest();
  const storedKey = createHash('sha256').update(keyOf('Client Key')).digest('base64');
  const serverKey = keyOf('Server Key').toString('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}

/**
 * Checks whether a database of another owner grants rights to a role.
 * A new password would lock that installation out. pg_shdepend lists the grants and policies of all databases.
 */
async function isUsedByOthers(db: Pick<pg.Pool, 'query'>, prefix: string, role: Role): Promise<boolean> {
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
