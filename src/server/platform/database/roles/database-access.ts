import { StartupError } from '../../startup-error.ts';
import { derivedRoleUrl, ROLES, type Role } from './database-roles.ts';

export interface DatabaseSettings {
  /** DATABASE_URL: the URL of the owner of the tables. */
  readonly owner: string | null;
  readonly rolePrefix: string;
  /** The setting CELL; null: not set. */
  readonly cell?: number | null;
  /** DATABASE_API_URL, DATABASE_LOGIN_URL and DATABASE_SERVICE_URL. */
  readonly roles: Readonly<Record<Role, string | null>>;
}

/** Checks whether the settings name no database; `all` and the commands then use the bundled one. */
export const isBundled = ({ owner, roles }: DatabaseSettings): boolean =>
  owner === null && ROLES.every((role) => roles[role] === null);

/** How a process reaches its database. */
export interface DatabaseAccess {
  /** null: the process does not know the owner's password, and neither migrates nor creates roles. */
  readonly owner: string | null;
  readonly rolePrefix: string;
  /** The cell for new accounts' ids; null: unchanged. */
  readonly cell?: number | null;
  /** The roles that the process logs in as. */
  readonly roles: readonly Role[];
  readonly urlOf: (role: Role) => string;
}

export const roleSetting = (role: Role): string => `DATABASE_${role.toUpperCase()}_URL`;

/**
 * Returns the URL of each role: its own setting, or derived from the owner's.
 * @param needed the roles of the process; with the owner's URL all of them, because any process may have to create them
 * @throws StartupError that names the missing settings
 */
export function databaseAccess(
  { owner, rolePrefix, cell = null, roles }: DatabaseSettings,
  needed: readonly Role[],
): DatabaseAccess {
  const urls = new Map<Role, string>();
  for (const role of ROLES) {
    const url = roles[role] ?? (owner === null ? null : derivedRoleUrl(owner, role, rolePrefix));
    if (url !== null) urls.set(role, url);
  }
  const missing = (owner === null ? needed : ROLES).filter((role) => !urls.has(role)).map(roleSetting);
  if (missing.length > 0) {
    throw new StartupError(
      owner === null
        ? `データベースの接続先が足りません。${missing.join('、')} か、DATABASE_URL を設定してください。`
        : `DATABASE_URL にパスワードがないため、ロールのパスワードを作れません。${missing.join('、')} も設定してください。`,
    );
  }
  return {
    owner,
    rolePrefix,
    cell,
    roles: needed,
    urlOf: (role) => {
      const url = urls.get(role);
      if (url === undefined) throw new Error(`no URL for the role ${role}`);
      return url;
    },
  };
}
