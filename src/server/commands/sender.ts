import {
  listSenderPaces,
  MOST_CONNECTIONS,
  MOST_PER_MINUTE,
  type SenderPace,
  setSenderPace,
} from '../features/delivery/sender-pace.command.ts';
import type { Settings } from '../platform/settings.ts';
import { findAccountOrSay } from './find-account.ts';
import { readArguments, UsageError } from './usage.ts';
import { withDatabase } from './with-database.ts';

const USAGE = `使い方:
  npm run kaitaku -- sender list --account メールアドレス
  npm run kaitaku -- sender set-pace 番号 [--per-minute 通数] [--connections 本数] --account メールアドレス

送信者が1分あたりに送る通数（1〜${MOST_PER_MINUTE}、none で上限なし）と、メールサーバーへの同時接続数（1〜${MOST_CONNECTIONS}）の上限を設定します。
上限は、すべての worker の合計に対するものです。動いている worker にもすぐに効きます。番号は sender list で確認できます。`;

const OPTIONS = {
  account: { type: 'string' },
  'per-minute': { type: 'string' },
  connections: { type: 'string' },
} as const;

export async function senderCommand(args: string[], readSettings: () => Settings): Promise<number> {
  const given = readArguments(args, OPTIONS, USAGE);
  if (!given) return 0;
  const { account: email, 'per-minute': perMinute, connections } = given.values;
  const [action, number = '', ...rest] = given.positionals;
  const lists = action === 'list' && number === '' && perMinute === undefined && connections === undefined;
  const sets = action === 'set-pace' && /^\d{1,15}$/.test(number) && rest.length === 0;
  if (!email || !(lists || sets)) throw new UsageError(USAGE);
  const pace = sets ? readPace(perMinute, connections) : null;
  return withDatabase(readSettings(), async ({ db }) => {
    const accountId = await findAccountOrSay(db, email);
    if (accountId === null) return 1;
    const refusal = pace && (await setSenderPace(db, { accountId, id: Number(number) }, pace));
    if (refusal) {
      process.stderr.write(`${refusal.message}\n`);
      return 1;
    }
    for (const sender of await listSenderPaces(db, accountId)) {
      const perMinuteNow = sender.mails_per_minute === null ? '上限なし' : `毎分${sender.mails_per_minute}通`;
      const connectionsNow = sender.max_connections === null ? '初期値' : `${sender.max_connections}接続`;
      process.stdout.write(`${sender.id}  ${perMinuteNow}  ${connectionsNow}  ${sender.email}  ${sender.subject}\n`);
    }
    return 0;
  });
}

/** @throws UsageError that names what is wrong */
function readPace(perMinute: string | undefined, connections: string | undefined): SenderPace {
  if (perMinute === undefined && connections === undefined) {
    throw new UsageError(`--per-minute か --connections を指定してください。\n\n${USAGE}`);
  }
  return {
    perMinute: perMinute === 'none' ? null : readNumber('--per-minute', perMinute, MOST_PER_MINUTE, 'か none '),
    connections: readNumber('--connections', connections, MOST_CONNECTIONS),
  };
}

function readNumber(option: string, text: string | undefined, most: number, or = ''): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text) && Number(text) >= 1 && Number(text) <= most) return Number(text);
  throw new UsageError(`${option} は 1〜${most} の整数${or}にしてください（今の値: ${text}）。`);
}
