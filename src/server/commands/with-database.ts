import { frozenAccount } from '../features/account/account.command.ts';
import { type Database, openDatabase } from '../platform/database/db.ts';
import type { OpenRights } from '../platform/database/roles/close-rights.ts';
import { type DatabaseAccess, databaseAccess, isBundled } from '../platform/database/roles/database-access.ts';
import { ROLES } from '../platform/database/roles/database-roles.ts';
import { startEmbeddedPostgres } from '../platform/embedded-postgres/embedded-postgres.ts';
import type { Settings } from '../platform/settings.ts';
import { refuse } from './command.ts';
import { prepareDatabase } from './open-database.ts';

/**
 * Runs `work` on the migrated database of the settings.
 * Uses an embedded server that already runs. One that it had to start is stopped afterwards, unless another process
 * uses it by then.
 * @param isMigrate whether the command is `migrate`
 */
export async function withDatabase<Result>(
  { database, dataDir }: Pick<Settings, 'database' | 'dataDir'>,
  work: (database: Database) => Promise<Result>,
  { isMigrate = false } = {},
): Promise<Result> {
  const roles = isMigrate ? ROLES : (['service'] as const);
  if (!isBundled(database)) return withOpened(databaseAccess(database, roles), work, isMigrate);
  const embedded = await startEmbeddedPostgres(dataDir);
  const access = databaseAccess({ ...database, owner: embedded.url }, roles);
  let usedByOthers = false;
  const workAndLook = async (opened: Database) => {
    try {
      return await work(opened);
    } finally {
      usedByOthers = await hasOtherClients(opened);
    }
  };
  try {
    return await withOpened(access, workAndLook, isMigrate);
  } finally {
    if (!embedded.adopted && !usedByOthers) await embedded.stop();
  }
}

/**
 * Runs `work` on the account whose member has this address. Prints that there is none otherwise.
 * @param frozen whether a frozen account will do: one that stands still is not changed
 */
export const withAccount = (
  settings: Settings,
  email: string,
  work: (accountId: number, database: Database) => Promise<void>,
  { frozen = false } = {},
): Promise<void> =>
  withDatabase(settings, async (database) => {
    const member = await database.db
      .selectFrom('member')
      .innerJoin('account', 'account.id', 'member.account_id')
      .select(['account.id', 'account.frozen_at'])
      .where((where) => where(where.fn<string>('lower', ['email']), '=', email.toLowerCase()))
      .executeTakeFirst();
    if (!member) refuse(`${email} のアカウントはありません。`);
    else if (member.frozen_at !== null && !frozen) refuse(frozenAccount(email).message);
    else await work(member.id, database);
  });

function printOpenRights({ statements, importsFail, error }: OpenRights): void {
  const effect = importsFail
    ? 'このままでは、取り込みとその取り消しができません。'
    : 'このままでも動きますが、不正なSQLを差し込まれたときに使われるおそれがあります。';
  const cause = error === undefined ? '' : `（${error.message}）`;
  process.stdout.write(
    `DATABASE_URL のユーザーには変えられない権限が、データベースに残っています${cause}。${effect}` +
      `管理者がこのデータベースで次のSQLを実行してください: ${statements.join('; ')};\n`,
  );
}

async function withOpened<Result>(
  access: DatabaseAccess,
  work: (database: Database) => Promise<Result>,
  isMigrate: boolean,
): Promise<Result> {
  await prepareDatabase(access, isMigrate ? { isMigrate, onOpenRights: printOpenRights } : {});
  const database = openDatabase(access.urlOf('service'), { role: 'service' });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

async function hasOtherClients({ pool }: Database): Promise<boolean> {
  const { rows } = await pool.query<{ others: boolean }>(
    `SELECT count(*) > $1 AS others FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE 'kaitaku%'`,
    [pool.totalCount],
  );
  return rows[0]?.others ?? false;
}
