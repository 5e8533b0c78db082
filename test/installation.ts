import { inject } from 'vitest';
import { openDatabase } from '#server/platform/database/db.ts';
import type { DatabaseAccess } from '#server/platform/database/roles/database-access.ts';
import { ROLES } from '#server/platform/database/roles/database-roles.ts';
import { accessTo } from './open-as.ts';

let serial = 0;

/** An empty database on a shared server: its owner is no superuser, and its roles have their own prefix. */
export interface Installation {
  /** The owner's URL. The owner's name is also that of the database and the prefix of the roles. */
  readonly owner: string;
  readonly url: string;
  /** A superuser's URL of the same database, who sees all rows. */
  readonly adminUrl: string;
  readonly prefix: string;
  readonly access: DatabaseAccess;
  drop(): Promise<void>;
}

export const asAdmin = (statement: string) => ask<Record<string, string>>(inject('adminUrl'), statement);

export async function makeInstallation(rights: 'CREATEROLE' | 'NOCREATEROLE' = 'CREATEROLE'): Promise<Installation> {
  serial += 1;
  const owner = `roles_${process.pid}_${serial}`;
  await asAdmin(`CREATE ROLE ${owner} LOGIN ${rights} PASSWORD 'secret-of-${owner}'`);
  await asAdmin(`CREATE DATABASE ${owner} OWNER ${owner}`);
  const admin = Object.assign(new URL(inject('adminUrl')), { pathname: `/${owner}` });
  const url = Object.assign(new URL(admin), { username: owner, password: `secret-of-${owner}` });
  const drop = async () => {
    await asAdmin(`DROP DATABASE ${owner} WITH (FORCE)`);
    const roles = await asAdmin(`SELECT rolname FROM pg_roles WHERE rolname ~ '^${owner}(_|$)' ORDER BY rolname DESC`);
    for (const { rolname } of roles) await asAdmin(`DROP OWNED BY ${rolname}; DROP ROLE ${rolname}`);
  };
  return { owner, url: url.href, adminUrl: admin.href, prefix: owner, access: accessTo(url.href, ROLES, owner), drop };
}

/** Runs one statement on a URL. */
export async function ask<Row extends object>(url: string, statement: string): Promise<Row[]> {
  const { pool, close } = openDatabase(url, { connections: 1 });
  try {
    return (await pool.query<Row>(statement)).rows;
  } finally {
    await close();
  }
}
