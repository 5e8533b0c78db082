import { type Database, isDatabaseUnavailable, openDatabase, ROLES } from '../platform/db.ts';
import { MigrationFault, migrate } from '../platform/migrate.ts';
import { StartupError } from '../platform/startup-error.ts';

const OLDEST_MAJOR = 15;

function sayWaiting(): void {
  process.stderr.write('ほかのKaitakuがデータベースを新しい形にしています。終わりしだい続けます…\n');
}

/**
 * Brings a database to the newest schema, as the owner of its tables; where another process is at it, waits for that one.
 * @param onWait says that it takes longer than a moment
 * @throws StartupError when it does not answer, is too old or too new, a migration fails, or its user may not take the roles
 */
export async function prepareDatabase(url: string, onWait = sayWaiting): Promise<void> {
  const database = openDatabase(url, { connections: 1 });
  try {
    await refuseOldServer(database);
    await migrate(database.pool, { onWait });
    await refuseMissingRoles(database);
    await refuseLostRole(url);
  } catch (error) {
    if (error instanceof MigrationFault)
      throw new StartupError(`データベースを最新の形にできませんでした（${error.message}）。データは元のままです。`);
    if (!isDatabaseUnavailable(error)) throw error;
    throw new StartupError(
      `データベースに書き込めませんでした（${(error as Error).message}）。読み取り専用になっていないか、ディスクに空きがあるかを確認してから、起動し直してください。`,
    );
  } finally {
    await database.close();
  }
}

/** The roles of migration 0004 belong to the server: a database moved to another one comes without them. */
async function refuseMissingRoles({ pool }: Database): Promise<void> {
  for (const role of ROLES) {
    try {
      await pool.query(`SET ROLE ${role}; RESET ROLE`);
    } catch (error) {
      throw new StartupError(
        `データベースのユーザーがロール ${role} を使えません（${(error as Error).message}）。管理者が CREATE ROLE ${role} NOLOGIN; GRANT ${role} TO （DATABASE_URL のユーザー） を実行してから、起動し直してください。`,
      );
    }
  }
}

/** The role is asked for as a start-up option: a pooler that drops them, or `?options=` in the URL, would leave us the owner. */
async function refuseLostRole(url: string): Promise<void> {
  const { pool, close } = openDatabase(url, { role: 'kaitaku_api', connections: 1 });
  try {
    const { rows } = await pool.query<{ role: string }>('SELECT current_user AS role');
    if (rows[0]?.role === 'kaitaku_api') return;
  } finally {
    await close();
  }
  throw new StartupError(
    'データベースに接続するときの設定（options）が届いていません。DATABASE_URL から options を除き、PgBouncer などを通すときは options をそのまま渡す設定にしてください。',
  );
}

async function refuseOldServer({ pool }: Database): Promise<void> {
  let version: number;
  try {
    const { rows } = await pool.query<{ version: number }>(
      `SELECT current_setting('server_version_num')::integer / 10000 AS version`,
    );
    version = rows[0]?.version ?? 0;
  } catch (error) {
    throw new StartupError(
      `データベースに接続できませんでした（${(error as Error).message}）。DATABASE_URL を確認してください。`,
    );
  }
  if (version >= OLDEST_MAJOR) return;
  throw new StartupError(
    `データベースはPostgreSQL ${version} です。PostgreSQL ${OLDEST_MAJOR} 以上を DATABASE_URL で指定してください。`,
  );
}
