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
