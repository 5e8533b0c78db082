import { createHash, createHmac, hkdfSync, pbkdf2Sync, randomBytes } from 'node:crypto';

/**
 * The roles that processes log in as; none owns anything. `api`: requests of one account. `login`: members by address,
 * sessions by token. `service`: workers and commands.
 */
export const ROLES = ['api', 'login', 'service'] as const;
export type Role = (typeof ROLES)[number];

/** Roles belong to a whole server, so each installation on it has a prefix of its own. */
export const roleName = (prefix: string, role: Role): string => `${prefix}_${role}`;

/** The names of the roles in a migration (`kaitaku_api` …), replaced by those of the installation. */
export const withRolePrefix = (sql: string, prefix: string): string =>
  sql.replaceAll(/\bkaitaku_(api|login|service)\b/g, `${prefix}_$1`);

/**
 * Stored with each role (`ALTER ROLE … SET`), so that they hold behind a pooler too. jit only costs here (up to half of
 * a wide sort's time). UTC, so that no default of the server shifts an instant. random_page_cost: the default is that
 * of a spinning disk, and makes the planner scan where some look-ups would do. work_mem: who was mailed may be hashed.
 * The parallel costs: a scan of 100,000 companies, in memory, is worth sharing between two cores.
 * idle_in_transaction_session_timeout: a process that is cut off in the middle of a transaction holds its locks, a
 * sender's row among them, no longer than a lease; without it until the kernel of the server misses it, which can take
 * hours. tcp_keepalives: the same for locks held outside a transaction (a reservation being rendered): 25 s.
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

/** The password that a connection by this URL uses; null: none. A `password=` after the `?` wins, as it does in pg. */
export function passwordOf(url: string): string | null {
  const { password, searchParams } = new URL(url);
  return searchParams.get('password') || decoded(password) || null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * The owner's URL with a role's name and a password derived from the owner's: HKDF-SHA-256, so that it does not give
 * the owner's away. Host, database, TLS and all other parameters stay.
 * @returns null where the owner's URL has no password
 */
export function derivedRoleUrl(ownerUrl: string, role: Role, prefix: string): string | null {
  const secret = passwordOf(ownerUrl);
  if (secret === null) return null;
  const name = roleName(prefix, role);
  const key = hkdfSync('sha256', secret, '', `kaitaku database role ${name}`, 32);
  const url = new URL(ownerUrl);
  url.searchParams.delete('user');
  url.searchParams.delete('password');
  url.username = name;
  url.password = Buffer.from(key).toString('base64url');
  return url.href;
}

const ITERATIONS = 4096;

/**
 * What PostgreSQL stores of a password: given in its place, no statement and no log of the server holds the password
 * itself.
 */
export function scramVerifier(password: string, salt: Buffer = randomBytes(16)): string {
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, ITERATIONS, 32, 'sha256');
  const keyOf = (name: string) => createHmac('sha256', salted).update(name).digest();
  const storedKey = createHash('sha256').update(keyOf('Client Key')).digest('base64');
  const serverKey = keyOf('Server Key').toString('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}
