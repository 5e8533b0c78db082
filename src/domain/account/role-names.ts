import type { Role } from './role.ts';

/** The names of the roles on screens and in commands. The log-in loads role.ts, and shows no names. */
export const ROLE_NAMES: Readonly<Record<Role, string>> = { admin: '管理者', sales: '営業', viewer: '閲覧のみ' };
