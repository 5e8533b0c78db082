import type { ConnectionFault } from '../platform/database/check-connection.ts';
import { isDatabaseUnavailable, isDiskFull } from '../platform/database/db.ts';
import { MigrationFault } from '../platform/database/migrate.ts';
import { RolesDenied, RoleTaken } from '../platform/database/roles/ensure-roles.ts';
import { COMMAND } from '../platform/package.ts';
import { StartupError } from '../platform/startup-error.ts';

/** Refuses an unusable connection. @throws StartupError that names what to correct */
export function refuseFault(fault: ConnectionFault | null, source: FaultSource): void {
  if (fault !== null) throw new StartupError(faultMessage(fault, source));
}

/** The setting to correct, and the name of the role. */
interface FaultSource {
  readonly setting: string;
  readonly name?: string;
}

function faultMessage(fault: ConnectionFault, source: FaultSource): string {
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
      return `データベースのロールの設定が古いままです（${fault.details}）。所有者の DATABASE_URL で ${COMMAND} migrate を実行してください。`;
    case 'wrong role':
      return `${setting} で接続したロールが正しくありません（${fault.details}）。ロールには、ほかのロールや特別な権限を与えないでください。`;
  }
}

/** pg's message if it has no password and the server requires one. */
const NO_PASSWORD = /password must be a (non-empty )?string/;

const unusableMessage = ({ message: text }: Error, { setting, name }: FaultSource): string => {
  const message = NO_PASSWORD.test(text) ? '接続先のURLにパスワードがありません' : text;
  return name === undefined
    ? `データベースに接続できませんでした（${message}）。${setting} を確認してください。`
    : `データベースにロール ${name} で接続できませんでした（${message}）。` +
        `${setting}（なければ DATABASE_URL）、migrate を実行したか、pg_hba.conf がこのロールを許しているかを確認してください。`;
};

/** Explains a fault of preparing the database to the operator; returns other faults unchanged. */
export function explainFault(error: unknown, isMigrate: boolean): unknown {
  if (error instanceof MigrationFault && isDiskFull(error.cause)) return diskFull(error);
  if (error instanceof MigrationFault)
    return new StartupError(`データベースを最新の形にできませんでした（${error.message}）。データは元のままです。`);
  if (error instanceof RoleTaken)
    return new StartupError(
      `ロール ${error.message} は、同じサーバーの別のKaitakuが使っています。DATABASE_ROLE_PREFIX で別の名前を選んでください。`,
    );
  if (error instanceof RolesDenied) return new StartupError(deniedText(error, isMigrate));
  if (isDiskFull(error)) return diskFull(error as Error);
  if (!isDatabaseUnavailable(error)) return error;
  return new StartupError(
    `データベースに書き込めませんでした（${(error as Error).message}）。読み取り専用になっていないかを確認してから、起動し直してください。`,
  );
}

/** Explains a fault of a disk or the connection to the operator; returns other faults unchanged. */
export function environmentFault(error: unknown): unknown {
  if (isDiskFull(error)) return diskFull(error as Error);
  if (!isDatabaseUnavailable(error)) return error;
  return new StartupError(
    `データベースとの接続が切れました（${(error as Error).message}）。処理が終わったかどうかを確認できません。接続を確認してから、もう一度実行してください。`,
  );
}

const diskFull = ({ message }: Error) =>
  new StartupError(
    `ディスクに空きがないため、書き込めませんでした（${message}）。空きを増やしてから、もう一度実行してください。`,
  );

function deniedText({ statements }: RolesDenied, isMigrate: boolean): string {
  const cause = 'DATABASE_URL のユーザーは、Kaitakuが使うロールを用意できません（CREATEROLE がありません）。';
  if (!isMigrate) return `${cause}${COMMAND} migrate を実行すると、管理者に渡すSQLを表示します。`;
  return `${cause}管理者が次のSQLを実行してから、もう一度実行してください（パスワードは SCRAM-SHA-256 の形です）。\n\n${statements.join(';\n')};`;
}
