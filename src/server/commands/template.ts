import { listTemplates, setSendGridTemplate } from '../features/senders/sendgrid-template.command.ts';
import type { Settings } from '../platform/settings.ts';
import { findAccountOrSay } from './find-account.ts';
import { readArguments, UsageError } from './usage.ts';
import { withDatabase } from './with-database.ts';

const USAGE = `使い方:
  npm run kaitaku -- template list --account メールアドレス
  npm run kaitaku -- template set-sendgrid 番号 SendGridのテンプレートID --account メールアドレス
  npm run kaitaku -- template set-sendgrid 番号 none --account メールアドレス

SendGridで送るとき（SENDGRID_API_KEY）は、メールの本文をSendGridのテンプレートから作ります。どのテンプレートを使うかを、
ここで設定します。番号は template list で確認できます。`;

const OPTIONS = { account: { type: 'string' } } as const;

export async function templateCommand(args: string[], readSettings: () => Settings): Promise<number> {
  const given = readArguments(args, OPTIONS, USAGE);
  if (!given) return 0;
  const { account: email } = given.values;
  const [action, number = '', sendGridId = '', ...rest] = given.positionals;
  const lists = action === 'list' && number === '';
  const sets = action === 'set-sendgrid' && /^\d{1,15}$/.test(number) && sendGridId !== '' && rest.length === 0;
  if (!email || !(lists || sets)) throw new UsageError(USAGE);
  return withDatabase(readSettings(), async ({ db }) => {
    const accountId = await findAccountOrSay(db, email);
    if (accountId === null) return 1;
    if (sets) {
      const id = sendGridId === 'none' ? null : sendGridId;
      const refusal = await setSendGridTemplate(db, { accountId, id: Number(number) }, id);
      if (refusal) {
        process.stderr.write(`${refusal.message}\n`);
        return 1;
      }
    }
    for (const { id, name, sendgrid_template_id } of await listTemplates(db, accountId)) {
      process.stdout.write(`${id}  ${sendgrid_template_id ?? '-'}  ${name}\n`);
    }
    return 0;
  });
}
