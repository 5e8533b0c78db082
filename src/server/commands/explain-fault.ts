import { isDatabaseUnavailable } from '../platform/db.ts';
import { RolesDenied, RoleTaken } from '../platform/ensure-roles.ts';
import { MigrationFault } from '../platform/migrate.ts';
import { StartupError } from '../platform/startup-error.ts';

/** Returns a fault of preparing the database as the operator reads it; others as they are. */
export function explainFault(error: unknown, isMigrate: boolean): unknown {
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
