import { frozenAccount } from '../features/account/account.command.ts';
import { type Database, openDatabase } from '../platform/database/db.ts';
import { otherClients } from '../platform/database/other-clients.ts';
import type { OpenRights } from '../platform/database/roles/close-rights.ts';
import { type DatabaseAccess, databaseAccess, isBundled } from '../platform/database/roles/database-access.ts';
import { ROLES, type Role } from '../platform/database/roles/database-roles.ts';
import { startEmbeddedPostgres } from '../platform/embedded-postgres/embedded-postgres.ts';
import type { Settings } from '../platform/settings.ts';
import { refuse } from './command.ts';
import { prepareDatabase } from './open-database.ts';

/**
 * Runs `work` with access to the settings' database, which is not prepared yet.
 * Uses a running embedded server. One that it had to start is stopped afterwards, unless another process uses it by
 * then.
 * @param roles of the connections of `work`
 */
export async function withAccess<Result>(
  { database, dataDir }: Pick<Settings, 'database' | 'dataDir'>,
  roles: readonly Role[],
  work: (access: DatabaseAccess) => Promise<Result>,
): Promise<Result> {
  if (!isBundled(database)) return work(databaseAccess(database, roles));
  const embedded = await startEmbeddedPostgres(dataDir);
  try {
    return await work(databaseAccess({ ...database, owner: embedded.url }, roles));
  } finally {
    if (!embedded.adopted && !(await hasOtherClients(embedded.url))) await embedded.stop();
  }
}

/**
 * Runs `work` on the migrated database of the settings.
 * @param isMigrate whether the command is `migrate`
 * @param schema 'as it is': no migration, whatever its version
 */
export const withDatabase = <Result>(
  settings: Pick<Settings, 'database' | 'dataDir'>,
  work: (database: Database) => Promise<Result>,
  options: { readonly isMigrate?: boolean; readonly schema?: 'as it is' } = {},
): Promise<Result> =>
  withAccess(settings, options.isMigrate === true ? ROLES : ['service'], (access) => withOpened(access, work, options));

/**
 * Runs `work` on the account whose member has this address, or prints that there is none.
 * @param frozen whether `work` accepts a frozen account, which must not change
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

/** Prints the rights that only an administrator can change. */
export function printOpenRights({ statements, importsFail, error }: OpenRights): void {
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
  { isMigrate = false, ...schema }: { readonly isMigrate?: boolean; readonly schema?: 'as it is' },
): Promise<Result> {
  await prepareDatabase(access, { ...schema, ...(isMigrate && { isMigrate, onOpenRights: printOpenRights }) });
  const database = openDatabase(access.urlOf('service'), { role: 'service' });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

async function hasOtherClients(url: string): Promise<boolean> {
  const { pool, close } = openDatabase(url, { connections: 1 });
  try {
    return (await otherClients(pool)).length > 0;
  } finally {
    await close();
  }
}
