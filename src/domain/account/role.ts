/**
 * The roles of members, each with the rights of those before: read (viewer), work with companies and mails (sales), and
 * administer the account (admin).
 */
export const ROLES = ['viewer', 'sales', 'admin'] as const;
export type Role = (typeof ROLES)[number];

export const hasRole = (role: Role, needed: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(needed);

/** Returns the role that a call needs. @param needs the role that the call states; undefined: none */
export const neededRole = (method: 'GET' | 'POST' | 'PUT', needs: Role | undefined): Role =>
  needs ?? (method === 'GET' ? 'viewer' : 'sales');

/**
 * Fields of a body that need a role of their own, by their dotted path. They only raise what the call needs.
 * For example `{'update_info.company': 'admin'}`.
 */
export type FieldNeeds = Readonly<Record<string, Role>>;

/** Returns the highest role that the given fields of a parsed body need; viewer: none needs one. */
export const neededFor = (fieldNeeds: FieldNeeds | undefined, body: unknown): Role =>
  Object.entries(fieldNeeds ?? {}).reduce<Role>(
    (needed, [path, role]) => (isGiven(body, path) && hasRole(role, needed) ? role : needed),
    'viewer',
  );

const isGiven = (body: unknown, path: string): boolean =>
  path.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], body) !==
  undefined;
