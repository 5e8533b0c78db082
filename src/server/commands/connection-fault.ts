import type { ConnectionFault } from '../platform/check-connection.ts';
import { StartupError } from '../platform/startup-error.ts';

/** Refuses a connection that cannot be used. @throws StartupError that says what to correct */
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
      return `データベースのロールの設定が古いままです（${fault.details}）。所有者の DATABASE_URL で npm run kaitaku -- migrate を実行してください。`;
    case 'wrong role':
      return `${setting} で接続したロールが正しくありません（${fault.details}）。ロールには、ほかのロールや特別な権限を与えないでください。`;
  }
}

const unusableMessage = ({ message }: Error, { setting, name }: FaultSource): string =>
  name === undefined
    ? `データベースに接続できませんでした（${message}）。${setting} を確認してください。`
    : `データベースにロール ${name} で接続できませんでした（${message}）。` +
      `${setting}（なければ DATABASE_URL）、migrate を実行したか、pg_hba.conf がこのロールを許しているかを確認してください。`;
