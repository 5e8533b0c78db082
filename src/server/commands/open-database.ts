import { setTimeout as sleep } from 'node:timers/promises';
import { type ConnectionFault, checkConnection } from '../platform/check-connection.ts';
import { type DatabaseAccess, roleSetting } from '../platform/database-access.ts';
import { type Role, roleName } from '../platform/database-roles.ts';
import { type Database, isDatabaseUnavailable, openDatabase } from '../platform/db.ts';
import { ensureRoles, RolesDenied, RoleTaken, resetPassword } from '../platform/ensure-roles.ts';
import { MigrationFault, migrate, newestVersion, refuseNewer } from '../platform/migrate.ts';
import { moveRights, prefixOfRights } from '../platform/move-rights.ts';
import { StartupError } from '../platform/startup-error.ts';

const OLDEST_MAJOR = 15;
/** How long a process without the owner's password waits for `migrate`. */
const SCHEMA_WAIT_MS = 60_000;

interface Options {
  /** Called once when a migration by another process is awaited for longer than a moment. */
  readonly onWait?: () => void;
  /**
   * Whether the command is `migrate`.
   * It moves the rights to other roles when the prefix has changed, and prints SQL for an administrator.
   */
  readonly isMigrate?: boolean;
  readonly schemaWaitMs?: number;
}

function printWaiting(): void {
  process.stderr.write('ほかのKaitakuがデータベースを新しい形にするのを待っています。終わりしだい続けます…\n');
}

/**
 * Prepares a database for use.
 * With the owner's URL: creates the roles and migrates the schema. Without it: waits until `migrate` has done so.
 * @throws StartupError when the database does not answer, is too old or too new, a migration fails, or a role cannot be
 * used
 */
export async function prepareDatabase(access: DatabaseAccess, options: Options = {}): Promise<void> {
  const { onWait = printWaiting, schemaWaitMs = SCHEMA_WAIT_MS } = options;
  if (access.owner !== null) return prepareAsOwner(access, access.owner, { ...options, onWait });
  for (const role of access.roles) refuseFault(await check(access, role), sourceOf(access, role));
  await waitForSchema(access, schemaWaitMs, onWait);
}

async function prepareAsOwner(
  access: DatabaseAccess,
  url: string,
  { onWait, isMigrate = false }: Options,
): Promise<void> {
  refuseFault(await checkConnection(url, null), { setting: 'DATABASE_URL' });
  const database = openDatabase(url, { connections: 1 });
  try {
    await refuseOldServer(database);
    const prefix = await refuseOtherPrefix(database, access, isMigrate);
    await ensureRoles(database.pool, access);
    if (prefix !== access.rolePrefix) await moveRights(database.pool, prefix, access.rolePrefix);
    await migrate(database.pool, { rolePrefix: access.rolePrefix, onWait });
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
  if (fault?.kind === 'unusable' && isRefusedPassword(fault.error)) {
    await resetPassword(pool, access, role);
    fault = await check(access, role);
  }
  refuseFault(fault, sourceOf(access, role));
}

/** Checks for SQLSTATE class 28. PgBouncer answers 08P01 instead. */
const isRefusedPassword = (error: Error) =>
  (error as { code?: string }).code?.startsWith('28') === true ||
  /authentication failed|no such user/.test(error.message);

/** Refuses a connection that cannot be used. @param source what to correct: the setting, and the name of the role */
function refuseFault(fault: ConnectionFault | null, source: Source): void {
  if (fault !== null) throw new StartupError(faultMessage(fault, source));
}

interface Source {
  readonly setting: string;
  readonly name?: string;
}

function faultMessage(fault: ConnectionFault, source: Source): string {
  const { setting } = source;
  switch (fault.kind) {
    case 'unusable':
      return unusableMessage(fault.error, source);
    case 'shared':
      return (
        `${setting} のプーラーは、サーバーとの接続をトランザクションごとに使い回しています（PgBouncerの pool_mode = transaction など）。` +
        'Kaitakuは接続ごとのロックを使うので、pool_mode = session にしてください。'
      );
    case 'settings':
      return `データベースのロールの設定が古いままです（${fault.details}）。所有者の DATABASE_URL で npm run kaitaku -- migrate を実行してください。`;
    case 'wrong role':
      return `${setting} で接続したロールが正しくありません（${fault.details}）。ロールには、ほかのロールや特別な権限を与えないでください。`;
  }
}

const unusableMessage = ({ message }: Error, { setting, name }: Source): string =>
  name === undefined
    ? `データベースに接続できませんでした（${message}）。${setting} を確認してください。`
    : `データベースにロール ${name} で接続できませんでした（${message}）。` +
      `${setting}（なければ DATABASE_URL）、migrate を実行したか、pg_hba.conf がこのロールを許しているかを確認してください。`;

const sourceOf = (access: DatabaseAccess, role: Role) => ({
  setting: roleSetting(role),
  name: roleName(access.rolePrefix, role),
});

/**
 * Returns the prefix of the roles that have the rights now.
 * @throws StartupError when it differs and this is not `migrate`
 */
async function refuseOtherPrefix({ pool }: Database, access: DatabaseAccess, isMigrate: boolean): Promise<string> {
  const prefix = (await prefixOfRights(pool)) ?? access.rolePrefix;
  if (prefix === access.rolePrefix || isMigrate) return prefix;
  throw new StartupError(
    `このデータベースは DATABASE_ROLE_PREFIX=${prefix} で作られています（今の設定は ${access.rolePrefix}）。` +
      '設定を戻すか、変えるときはすべてのKaitakuを止めてから npm run kaitaku -- migrate を実行してください。',
  );
}

function explainFault(error: unknown, isMigrate: boolean): unknown {
  if (error instanceof MigrationFault)
    return new StartupError(`データベースを最新の形にできませんでした（${error.message}）。データは元のままです。`);
  if (error instanceof RoleTaken)
    return new StartupError(
      `ロール ${error.message} は、同じサーバーの別のKaitakuが使っています。DATABASE_ROLE_PREFIX で別の名前を選んでください。`,
    );
  if (error instanceof RolesDenied) return new StartupError(deniedText(error, isMigrate));
  if (!isDatabaseUnavailable(error)) return error;
  return new StartupError(
    `データベースに書き込めませんでした（${(error as Error).message}）。読み取り専用になっていないか、ディスクに空きがあるかを確認してから、起動し直してください。`,
  );
}

function deniedText({ statements }: RolesDenied, isMigrate: boolean): string {
  const cause = 'DATABASE_URL のユーザーは、Kaitakuが使うロールを用意できません（CREATEROLE がありません）。';
  if (!isMigrate) return `${cause}npm run kaitaku -- migrate を実行すると、管理者に渡すSQLを表示します。`;
  return `${cause}管理者が次のSQLを実行してから、もう一度実行してください（パスワードは SCRAM-SHA-256 の形です）。\n\n${statements.join(';\n')};`;
}

/** Polls the version of the schema, as another process migrates. */
async function waitForSchema(access: DatabaseAccess, waitMs: number, onWait: () => void): Promise<void> {
  const program = await newestVersion();
  // `api` may not read the version.
  const role = access.roles.find((one) => one !== 'api') ?? 'service';
  const { pool, close } = openDatabase(access.urlOf(role), { connections: 1 });
  const end = Date.now() + waitMs;
  try {
    for (let n = 0; ; n += 1) {
      const version = await schemaVersion(pool);
      refuseNewer(version, program);
      if (version === program) return;
      if (Date.now() >= end) {
        throw new StartupError(
          `データベースの形が古いままです（データベース ${version}、プログラム ${program}）。` +
            '所有者の DATABASE_URL で npm run kaitaku -- migrate を実行してください。',
        );
      }
      if (n === 0) onWait();
      await sleep(Math.min(1000, waitMs));
    }
  } finally {
    await close();
  }
}

/**
 * Returns the version of the schema.
 * 0 before the first migration, and before the one that lets this role read the table.
 */
async function schemaVersion(pool: Database['pool']): Promise<number> {
  try {
    const { rows } = await pool.query<{ version: number }>('SELECT max(version) AS version FROM schema_migration');
    return rows[0]?.version ?? 0;
  } catch (error) {
    if (['42P01', '42501'].includes((error as { code?: string }).code ?? '')) return 0;
    throw error;
  }
}

async function refuseOldServer({ pool }: Database): Promise<void> {
  const { rows } = await pool.query<{ version: number }>(
    `SELECT current_setting('server_version_num')::integer / 10000 AS version`,
  );
  const version = rows[0]?.version ?? 0;
  if (version >= OLDEST_MAJOR) return;
  throw new StartupError(
    `データベースはPostgreSQL ${version} です。PostgreSQL ${OLDEST_MAJOR} 以上を DATABASE_URL で指定してください。`,
  );
}
