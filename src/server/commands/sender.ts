import { type Command, InvalidArgumentError } from 'commander';
import {
  CONNECTIONS_MAX,
  listSenderPaces,
  PER_MINUTE_MAX,
  setSenderPace,
} from '../features/delivery/quota/sender-pace.command.ts';
import type { Db } from '../platform/database/db.ts';
import { Problem } from '../platform/problem.ts';
import type { Settings } from '../platform/settings.ts';
import { ACCOUNT, command, filled, id, refuse, UsageError } from './command.ts';
import { withAccount } from './with-database.ts';

const ONE_TO_MOST = `1〜${PER_MINUTE_MAX}`;

const PACE_DETAILS = `送信者が1分あたりに送る通数と、メールサーバーへの同時接続数の上限を設定します。どちらか一方でもかまいません。
上限は、すべての worker の合計に対するものです。動いている worker にもすぐに効きます。
差出人が同じ送信者は、同じ上限を共有します。`;

export const senderCommand = (readSettings: () => Settings): Command => {
  const setPaceCommand = command('set-pace', '送る通数と同時接続数の上限を設定する', PACE_DETAILS)
    .argument('<番号>', '送信者の番号（sender list で確認できます）', id)
    .option('--per-minute <通数>', `1分あたりの通数（${ONE_TO_MOST}、none で上限なし）`, perMinuteOf)
    .option('--connections <本数>', `同時接続数（1〜${CONNECTIONS_MAX}）`, numberUpTo(CONNECTIONS_MAX))
    .requiredOption(ACCOUNT, 'アカウントのメールアドレス', filled);
  return command('sender', '送信者が1分あたりに送る通数と、同時接続数の上限を設定する')
    .addCommand(
      command('list', '送信者の番号と、今の上限を表示する')
        .requiredOption(ACCOUNT, 'アカウントのメールアドレス', filled)
        .action(({ account }: { account: string }) =>
          withAccount(readSettings(), account, (accountId, { db }) => printSenders(db, accountId)),
        ),
    )
    .addCommand(
      setPaceCommand.action((sender: number, given: PaceOptions) => {
        if (given.perMinute === undefined && given.connections === undefined) {
          const usage = setPaceCommand.helpInformation().trimEnd();
          throw new UsageError(`--per-minute か --connections を指定してください。\n\n${usage}`);
        }
        return setPace(readSettings(), sender, given);
      }),
    );
};

interface PaceOptions {
  readonly account: string;
  readonly perMinute?: number | 'none';
  readonly connections?: number;
}

const setPace = (settings: Settings, sender: number, { account, perMinute, connections }: PaceOptions): Promise<void> =>
  withAccount(settings, account, async (accountId, { db }) => {
    const pace = { perMinute: perMinute === 'none' ? null : perMinute, connections };
    const sharing = await setSenderPace(db, { accountId, id: sender }, pace);
    if (sharing instanceof Problem) return refuse(sharing.message);
    await printSenders(db, accountId);
    if (sharing.length > 0) {
      process.stdout.write(`番号 ${sharing.join('、')} の送信者も差出人が同じなので、上限は共通です。\n`);
    }
  });

async function printSenders(db: Db, accountId: number): Promise<void> {
  for (const { id: sender, mails_per_minute, max_connections, email, subject } of await listSenderPaces(
    db,
    accountId,
  )) {
    const perMinute = mails_per_minute === null ? '上限なし' : `毎分${mails_per_minute}通`;
    const connections = max_connections === null ? '初期値' : `${max_connections}接続`;
    process.stdout.write(`${sender}  ${perMinute}  ${connections}  ${email}  ${subject}\n`);
  }
}

function perMinuteOf(text: string): number | 'none' {
  return text === 'none' ? text : numberUpTo(PER_MINUTE_MAX, 'か none ')(text);
}

function numberUpTo(most: number, or = '') {
  return (text: string): number => {
    if (/^\d{1,9}$/.test(text) && Number(text) >= 1 && Number(text) <= most) return Number(text);
    throw new InvalidArgumentError(`は 1〜${most} の整数${or}にしてください（今の値: ${text}）。`);
  };
}
