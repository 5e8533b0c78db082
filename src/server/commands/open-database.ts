import { setTimeout as sleep } from 'node:timers/promises';
import { setCell } from '../platform/database/cell.ts';
import { checkConnection } from '../platform/database/check-connection.ts';
import { type Database, openDatabase } from '../platform/database/db.ts';
import {
  checkVersion,
  knownMigrations,
  migrate,
  newestVersion,
  readApplied,
  refuseOtherFiles,
} from '../platform/database/migrate.ts';
import { closeRights, type OpenRights } from '../platform/database/roles/close-rights.ts';
import { type DatabaseAccess, roleSetting } from '../platform/database/roles/database-access.ts';
import { type Role, roleName } from '../platform/database/roles/database-roles.ts';
import { ensureRoles, resetPassword } from '../platform/database/roles/ensure-roles.ts';
import { moveRights, prefixOfRights } from '../platform/database/roles/move-rights.ts';
import {
  isRefused,
  readForeign,
  resetStatement,
  type StoredSetting,
} from '../platform/database/roles/stored-settings.ts';
import { COMMAND } from '../platform/package.ts';
import { StartupError } from '../platform/startup-error.ts';
import { explainFault, refuseFault } from './database-fault.ts';

interface Options {
  /** Called once if another process's migration takes longer than a moment. */
  readonly onWait?: () => void;
  /** Called with the rights that only an administrator can change; the start continues. */
  readonly onOpenRights?: (open: OpenRights) => void;
  /** Called with each foreign setting that was removed from a role. */
  readonly onReset?: (setting: StoredSetting) => void;
  /**
   * Whether the command is `migrate`.
   * It then moves the rights to other roles if the prefix has changed, and prints SQL for an administrator.
   */
  readonly isMigrate?: boolean;
  /** The version to migrate to; 'as it is': no migration. Default: the newest. */
  readonly schema?: number | 'as it is';
  readonly schemaWaitMs?: number;
}

function printWaiting(): void {
  process.stderr.write('ほかのKaitakuがデータベースを新しい形にするのを待っています。終わりしだい続けます…\n');
}

/** Prints a removed setting. The value is any text, so JSON escapes terminal sequences. */
function printReset({ role, name, value }: StoredSetting): void {
  process.stderr.write(`ロール ${role} の設定 ${name} = ${JSON.stringify(value)} を取り消しました。\n`);
}

/** How long a process without the owner's password waits for `migrate`. */
const SCHEMA_WAIT_MS = 60_000;

/**
 * Prepares a database for use.
 * With the owner's URL it creates the roles and migrates the schema. Without it, it waits until `migrate` has done so.
 * Then removes unneeded rights and settings of the roles, as far as the connected user may.
 * @throws StartupError if the database does not answer, is too old or too new, a migration fails, or a role is unusable
 * or has settings that make it read or write something else
 */
export async function prepareDatabase(access: DatabaseAccess, options: Options = {}): Promise<void> {
  const { onWait = printWaiting, schemaWaitMs = SCHEMA_WAIT_MS } = options;
  if (access.owner !== null) return prepareAsOwner(access, access.owner, { ...options, onWait });
  for (const role of access.roles) refuseFault(await check(access, role), sourceOf(access, role));
  // `api` may not read the schema's version.
  const role = access.roles.find((one) => one !== 'api') ?? 'service';
  const database = openDatabase(access.urlOf(role), { connections: 1 });
  try {
    await refuseSettings(database, access);
    if (options.schema !== 'as it is') await waitForSchema(database, schemaWaitMs, onWait);
    await closeOrReport(database, access, options);
  } finally {
    await database.close();
  }
}

async function closeOrReport({ pool }: Database, access: DatabaseAccess, options: Options): Promise<void> {
  // A newer program that permits this one has given the roles what it needs.
  if (((await readApplied(pool)).at(-1)?.version ?? 0) > (await newestVersion())) return;
  const { onOpenRights, onReset = printReset } = options;
  const { reset, open } = await closeRights(pool, access);
  for (const setting of reset) onReset(setting);
  if (open !== null) onOpenRights?.(open);
}

/** Refuses foreign settings of the roles that change what processes read. @throws StartupError */
export async function refuseSettings({ pool }: Database, access: DatabaseAccess): Promise<void> {
  const left = (await readForeign(pool, access)).filter(isRefused);
  if (left.length === 0) return;
  const what = left.map(({ role, name }) => `${role} の ${name}`).join('、');
  const remedy =
    access.owner === null
      ? `所有者の DATABASE_URL で ${COMMAND} migrate を実行してください。`
      : `DATABASE_URL のユーザーには変えられないため、管理者がこのデータベースで次のSQLを実行してください: ${left.map(resetStatement).join('; ')};`;
  throw new StartupError(`データベースのロールに、読み書きの対象を変える設定があります（${what}）。${remedy}`);
}

async function prepareAsOwner(access: DatabaseAccess, url: string, options: Options): Promise<void> {
  const { onWait, isMigrate = false, schema } = options;
  refuseFault(await checkConnection(url, null), { setting: 'DATABASE_URL' });
  const database = openDatabase(url, { connections: 1 });
  try {
    await refuseOldServer(database);
    const prefix = await refuseOtherPrefix(database, access, isMigrate);
    await ensureRoles(database.pool, access);
    if (prefix !== access.rolePrefix) await moveRights(database.pool, prefix, access.rolePrefix);
    const to = typeof schema === 'number' ? { to: schema } : {};
    if (schema !== 'as it is') await migrate(database.pool, { rolePrefix: access.rolePrefix, onWait, ...to });
    if (schema === undefined && typeof access.cell === 'number') await setCell(database.pool, access.cell);
    await closeOrReport(database, access, options);
    await refuseSettings(database, access);
    for (const role of access.roles) await logInAs(database, access, role);
  } catch (error) {
    throw explainFault(error, isMigrate);
  } finally {
    await database.close();
  }
}

const check = (access: DatabaseAccess, role: Role) =>
  checkConnection(access.urlOf(role), { role, prefix: access.rolePrefix });

/**
 * Logs in as a role, and resets its password once if it is refused.
 * The password is derived from the owner's, which may have changed.
 */
async function logInAs({ pool }: Database, access: DatabaseAccess, role: Role): Promise<void> {
  let fault = await check(access, role);
  if (fault?.kind === 'unusable' && isWrongPassword(fault.error)) {
    await resetPassword(pool, access, role);
    fault = await check(access, role);
  }
  refuseFault(fault, sourceOf(access, role));
}

/** Checks for SQLSTATE class 28. PgBouncer answers 08P01 instead. */
const isWrongPassword = (error: Error) =>
  (error as { code?: string }).code?.startsWith('28') === true ||
  /authentication failed|no such user/.test(error.message);

const sourceOf = (access: DatabaseAccess, role: Role) => ({
  setting: roleSetting(role),
  name: roleName(access.rolePrefix, role),
});

/**
 * Returns the prefix of the roles that have the rights now.
 * @throws StartupError if it differs and the command is not `migrate`
 */
async function refuseOtherPrefix({ pool }: Database, access: DatabaseAccess, isMigrate: boolean): Promise<string> {
  const prefix = (await prefixOfRights(pool)) ?? access.rolePrefix;
  if (prefix === access.rolePrefix || isMigrate) return prefix;
  throw new StartupError(
    `このデータベースは DATABASE_ROLE_PREFIX=${prefix} で作られています（今の設定は ${access.rolePrefix}）。` +
      `設定を戻すか、変えるときはすべてのKaitakuを止めてから ${COMMAND} migrate を実行してください。`,
  );
}

const OLDEST_MAJOR = 15;

/** @throws StartupError */
export async function refuseOldServer({ pool }: Pick<Database, 'pool'>): Promise<void> {
  const { rows } = await pool.query<{ version: number }>(
    `SELECT current_setting('server_version_num')::integer / 10000 AS version`,
  );
  const version = rows[0]?.version ?? 0;
  if (version >= OLDEST_MAJOR) return;
  throw new StartupError(
    `データベースはPostgreSQL ${version} です。PostgreSQL ${OLDEST_MAJOR} 以上を DATABASE_URL で指定してください。`,
  );
}

/** Polls the schema's version while another process migrates. @param database of a role that may read the version */
async function waitForSchema({ db, pool }: Database, waitMs: number, onWait: () => void): Promise<void> {
  const known = await knownMigrations();
  const program = known.at(-1)?.version ?? 0;
  const end = Date.now() + waitMs;
  for (let n = 0; ; n += 1) {
    const applied = await readApplied(pool);
    const version = await checkVersion(db, applied, program);
    refuseOtherFiles('このデータベース', applied, known);
    if (version >= program) return;
    if (Date.now() >= end) {
      throw new StartupError(
        `データベースの形が古いままです（データベース ${version}、プログラム ${program}）。` +
          `所有者の DATABASE_URL で ${COMMAND} migrate を実行してください。`,
      );
    }
    if (n === 0) onWait();
    await sleep(Math.min(1000, waitMs));
  }
}
