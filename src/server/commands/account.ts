import { formatSecond } from '#domain/tokyo-time.ts';
import { createAccount, setEmail, setPassword } from '../features/account/account.command.ts';
import { type ListedAccount, listAccounts } from '../features/account/account-list.queries.ts';
import { Refusal } from '../platform/refusal.ts';
import type { Settings } from '../platform/settings.ts';
import { readPassword } from './read-password.ts';
import { readArguments, UsageError } from './usage.ts';
import { withDatabase } from './with-database.ts';

const USAGE = `使い方:
  npm run kaitaku -- account create --email メールアドレス --name 氏名 --company 会社名
  npm run kaitaku -- account list
  npm run kaitaku -- account set-password --email メールアドレス
  npm run kaitaku -- account set-email --email 今のメールアドレス --to 新しいメールアドレス

パスワードは端末で尋ねます。標準入力がパイプのときは、その1行目をパスワードにします。
set-password と set-email は、そのアカウントのすべてのログインを終わらせます。
set-email は確認メールを送らずに変更します。ご本人からの依頼であることを確かめてから実行してください。`;

const OPTIONS = {
  email: { type: 'string' },
  name: { type: 'string' },
  company: { type: 'string' },
  to: { type: 'string' },
} as const;

export async function accountCommand(args: string[], readSettings: () => Settings): Promise<number> {
  const given = readArguments(args, OPTIONS, USAGE);
  if (!given) return 0;
  const { email, name, company, to } = given.values;
  const [action] = given.positionals;
  if (action === 'create' && email && name && company) {
    const settings = readSettings();
    const password = await readPassword();
    return withDatabase(settings, async ({ db }) =>
      report(
        await createAccount(db, { email, name, company, password }),
        `${email} のアカウントを作成しました。送信者グループと、${email} から送るテンプレートを1つ用意してあります。`,
      ),
    );
  }
  if (action === 'list' && given.positionals.length === 1) {
    return withDatabase(readSettings(), async ({ db }) => printAccounts(await listAccounts(db)));
  }
  if (action === 'set-password' && email) {
    const settings = readSettings();
    const password = await readPassword();
    return withDatabase(settings, async ({ db }) =>
      report(await setPassword(db, email, password), `${email} のパスワードを変更しました。`),
    );
  }
  if (action === 'set-email' && email && to) {
    return withDatabase(readSettings(), async ({ db }) =>
      report(await setEmail(db, email, to), `${email} のメールアドレスを ${to} に変更しました。`),
    );
  }
  throw new UsageError(USAGE);
}

/** One account a line, tab-separated, for people and for scripts. */
function printAccounts(accounts: readonly ListedAccount[]): number {
  const lines = accounts.map(({ id, email, company, name, created_at }) =>
    [id, email, company, name, formatSecond(created_at.getTime())].join('\t'),
  );
  process.stdout.write(`${['ID\tメールアドレス\t会社名\t氏名\t作成日時', ...lines].join('\n')}\n`);
  return 0;
}

function report(result: unknown, done: string): number {
  if (result instanceof Refusal) {
    process.stderr.write(`${result.message}\n`);
    return 1;
  }
  process.stdout.write(`${done}\n`);
  return 0;
}
