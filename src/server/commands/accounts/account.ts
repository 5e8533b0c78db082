import type { Command } from 'commander';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { createAccount, setEmail, setPassword } from '../../features/account/account.command.ts';
import { type ListedAccount, listAccounts } from '../../features/account/account-list.queries.ts';
import { removeTwoFactorByOperator } from '../../features/members/operator.command.ts';
import { allowAllNetworks } from '../../features/rule-settings/login-networks.command.ts';
import { Problem } from '../../platform/problem.ts';
import type { Settings } from '../../platform/settings.ts';
import { askLine, command, filled, PASSWORD_INPUT, refuse } from '../command.ts';
import { withAccount, withDatabase } from '../with-database.ts';
import { deleteCommand, moveCommand } from './account-move.ts';
import { placeCommands, printHostMap } from './account-place.ts';
import { readLegal, type WrittenLegal } from './read-legal.ts';

const LOGGED_OUT = 'そのアカウントのすべてのログインを終わらせます。';
const LEGAL = '法定表示';

const CREATE_DETAILS = `アカウントを作ります。
${PASSWORD_INPUT}
${LEGAL}（特定電子メール法）の項目は、端末では、指定しなかったものを尋ねます。あとから画面でも入力できます。`;

const LIST_DETAILS = `アカウントの一覧を、1人1行で表示します。「預かり」は、止めたアカウントの再開か、移行先への引き渡しを待つ
配信停止の希望、メール、イベントの件数です。`;

const EMAIL = '--email <メールアドレス>';

export const accountCommand = (readSettings: () => Settings): Command => {
  const account = command('account', 'アカウントを作る・一覧を表示する・変える・移す・移行元から削除する')
    .addCommand(
      command('create', 'アカウントを作る', CREATE_DETAILS)
        .requiredOption(EMAIL, 'ログインに使うメールアドレス', filled)
        .requiredOption('--name <氏名>', '利用者の氏名', filled)
        .requiredOption('--company <会社名>', '利用者の会社名', filled)
        .option('--postal-code <郵便番号>', `${LEGAL}の郵便番号`, filled)
        .option('--address <住所>', `${LEGAL}の住所（都道府県から）`, filled)
        .option('--phone <電話番号>', `${LEGAL}の苦情・お問い合わせ先`, filled)
        .option('--refusal-email <メールアドレス>', `${LEGAL}の、配信停止の受付先メール`, filled)
        .action((given: NewAccount) => create(readSettings(), given)),
    )
    .addCommand(
      command('list', 'アカウントの一覧を表示する', LIST_DETAILS)
        .option('--map', 'HAProxyのmapファイルの行（ホストとセル）を表示する')
        .action(({ map = false }: { map?: boolean }) =>
          withDatabase(readSettings(), async ({ db }) =>
            map ? printHostMap(db) : printAccounts(await listAccounts(db)),
          ),
        ),
    )
    .addCommand(
      command('set-password', 'パスワードを変える', `パスワードを変え、${LOGGED_OUT}\n${PASSWORD_INPUT}`)
        .requiredOption(EMAIL, 'アカウントのメールアドレス', filled)
        .action(({ email }: { email: string }) => changePassword(readSettings(), email)),
    )
    .addCommand(
      command('set-email', 'メールアドレスを変える', SET_EMAIL_DETAILS)
        .requiredOption(EMAIL, '今のメールアドレス', filled)
        .requiredOption('--to <メールアドレス>', '新しいメールアドレス', filled)
        .action((given: { email: string; to: string }) => changeEmail(readSettings(), given)),
    );
  account.addCommand(
    command('two-factor-off', 'メンバーの二段階認証を解除する', TWO_FACTOR_DETAILS)
      .requiredOption(EMAIL, 'メンバーのメールアドレス', filled)
      .action(({ email }: { email: string }) =>
        withAccount(readSettings(), email, async (accountId, { db }) =>
          report(
            await removeTwoFactorByOperator(db, accountId, email, Date.now()),
            `${email} の二段階認証を解除しました。`,
          ),
        ),
      ),
  );
  account.addCommand(
    command('allow-networks', 'どのネットワークからも使えるようにする', NETWORKS_DETAILS)
      .requiredOption('--all', 'すべてのネットワークを許可する')
      .requiredOption(EMAIL, 'メンバーのメールアドレス', filled)
      .action(({ email }: { email: string }) =>
        withAccount(readSettings(), email, async (accountId, { db }) =>
          report(
            await allowAllNetworks(db, accountId),
            `${email} のアカウントを、どのネットワークからも使えるようにしました。`,
          ),
        ),
      ),
  );
  for (const placeCommand of placeCommands(readSettings)) account.addCommand(placeCommand);
  return account.addCommand(moveCommand(readSettings)).addCommand(deleteCommand(readSettings));
};

const SET_EMAIL_DETAILS = `メールアドレスを変え、${LOGGED_OUT}
確認メールを送らずに変更します。ご本人からの依頼であることを確かめてから実行してください。`;

const TWO_FACTOR_DETAILS = `スマートフォンと復旧コードをなくしたメンバーの二段階認証を解除し、そのメンバーのログインを終わらせます。
管理者のときは、パスワードでのログインを止める設定も、オフにします。
ご本人からの依頼であることを確かめてから実行してください。`;

const NETWORKS_DETAILS = `アカウントを使えるネットワークの決まりを外します。会社のネットワークが変わり、だれも開けないときに使います。
ご本人からの依頼であることを確かめてから実行してください。`;

interface NewAccount extends WrittenLegal {
  readonly email: string;
  readonly name: string;
  readonly company: string;
}

async function create(settings: Settings, { email, name, company, ...given }: NewAccount): Promise<void> {
  const legal = await readLegal(given);
  const password = await askLine('パスワード: ', { isSecret: true });
  await withDatabase(settings, async ({ db }) =>
    report(
      await createAccount(db, { email, name, company, password, legal }),
      `${email} のアカウントを作成しました。送信者グループと、${email} から送るテンプレートを1つ用意してあります。${AFTER_CREATE}`,
    ),
  );
}

const AFTER_CREATE =
  '\n実際の送信の前に、設定の「法定表示」で内容を確認してください（特定電子メール法。テスト送信はできます）。';

async function changePassword(settings: Settings, email: string): Promise<void> {
  const password = await askLine('パスワード: ', { isSecret: true });
  await withDatabase(settings, async ({ db }) =>
    report(await setPassword(db, email, password), `${email} のパスワードを変更しました。`),
  );
}

const changeEmail = (settings: Settings, { email, to }: { email: string; to: string }): Promise<void> =>
  withDatabase(settings, async ({ db }) =>
    report(await setEmail(db, email, to), `${email} のメールアドレスを ${to} に変更しました。`),
  );

/** Prints one account per line, tab-separated, for people and scripts. */
function printAccounts(accounts: readonly ListedAccount[]): void {
  const lines = accounts.map(({ id, email, company, name, created_at, moved_to, held }) =>
    [id, email ?? '', company, name ?? '', formatSecond(created_at.getTime()), moved_to ?? '', held].join('\t'),
  );
  const titles = 'ID\tメールアドレス\t会社名\t氏名\t作成日時\t移行先\t預かり';
  process.stdout.write(`${[titles, ...lines].join('\n')}\n`);
}

function report(result: unknown, done: string): void {
  if (result instanceof Problem) refuse(result.message);
  else process.stdout.write(`${done}\n`);
}
