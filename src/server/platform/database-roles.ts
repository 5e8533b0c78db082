import { createHash, createHmac, hkdfSync, pbkdf2Sync, randomBytes } from 'node:crypto';

/**
 * The roles that processes log in as; none owns a table.
 * `api`: requests of one account. `login`: members by address, sessions by token. `service`: workers and commands.
 */
export const ROLES = ['api', 'login', 'service'] as const;
export type Role = (typeof ROLES)[number];

/** Roles belong to a whole server, so each installation on it has a prefix of its own. */
export const roleName = (prefix: string, role: Role): string => `${prefix}_${role}`;

/** Replaces the names of the roles in a migration (`kaitaku_api` …) by those of the installation. */
export const withRolePrefix = (sql: string, prefix: string): string =>
  sql.replaceAll(/\bkaitaku_(api|login|service)\b/g, `${prefix}_$1`);

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

/**
 * Returns the password that a connection by this URL uses, or null.
 * A `password=` after the `?` wins, as it does in pg.
 */
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
 * Returns the owner's URL with a role's name and a password derived from the owner's.
 * The derivation is HKDF-SHA-256, so that it does not reveal the owner's password. Host, database, TLS and all other
 * parameters stay.
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
 * Returns the SCRAM-SHA-256 verifier of a password, as PostgreSQL stores it.
 * A statement with the verifier keeps the password itself out of statements and the server's log.
 */
export function scramVerifier(password: string, salt: Buffer = randomBytes(16)): string {
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, ITERATIONS, 32, 'sha256');
  const keyOf = (name: string) => createHmac('sha256', salted).update(name).digest();
  const storedKey = createHash('sha256').update(keyOf('Client Key')).digest('base64');
  const serverKey = keyOf('Server Key').toString('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}
