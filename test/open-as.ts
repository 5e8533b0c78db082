import { type Database, openDatabase } from '#server/platform/database/db.ts';
import { type DatabaseAccess, databaseAccess } from '#server/platform/database/roles/database-access.ts';
import { ROLES, type Role } from '#server/platform/database/roles/database-roles.ts';

/** Returns the database access of a process that has only the owner's URL. */
export const accessTo = (owner: string, roles = ROLES, rolePrefix = 'kaitaku'): DatabaseAccess =>
  databaseAccess({ owner, rolePrefix, roles: { api: null, login: null, service: null } }, roles);

/** Opens a database as one of its roles. @param owner the owner's URL */
export const openAs = (role: Role, owner: string, connections?: number): Database =>
  openDatabase(accessTo(owner).urlOf(role), { role, ...(connections && { connections }) });
