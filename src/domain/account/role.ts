/**
 * What a member may do, each more than the one before: see (viewer), work with companies and mails (sales), and decide
 * for the account (admin).
 */
export const ROLES = ['viewer', 'sales', 'admin'] as const;
export type Role = (typeof ROLES)[number];

export const hasRole = (role: Role, needed: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(needed);

/** Returns the role that a call needs. @param needs what the call says itself; undefined: nothing */
export const neededRole = (method: 'GET' | 'POST' | 'PUT', needs: Role | undefined): Role =>
  needs ?? (method === 'GET' ? 'viewer' : 'sales');
