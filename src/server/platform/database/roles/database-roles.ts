import { hkdfSync } from 'node:crypto';

/**
 * The roles that processes log in as; none owns a table.
 * `api`: requests of one account. `login`: members by address, sessions by token. `service`: workers and commands.
 */
export const ROLES = ['api', 'login', 'service'] as const;
export type Role = (typeof ROLES)[number];

/** Roles belong to a whole server, so each installation has its own prefix. */
export const roleName = (prefix: string, role: Role): string => `${prefix}_${role}`;

/** Replaces the names of the roles in a migration (`kaitaku_api` …) by those of the installation. */
export const withRolePrefix = (sql: string, prefix: string): string =>
  sql.replaceAll(/\bkaitaku_(api|login|service)\b/g, `${prefix}_$1`);

/**
 * Returns the password that a connection by this URL uses, or null.
 * A `password=` in the query takes precedence, as in pg.
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
 * The derivation is HKDF-SHA-256, so that it does not reveal the owner's password. Keeps host, database, TLS and all
 * other parameters.
 * @returns null if the owner's URL has no password
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
