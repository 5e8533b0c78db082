import type { Command } from 'commander';
import { listTemplates, setSendGridTemplate } from '../features/senders/sendgrid-template.command.ts';
import type { Db } from '../platform/database/db.ts';
import type { Settings } from '../platform/settings.ts';
import { command, filled, id, refuse } from './command.ts';
import { findAccountOrRefuse } from './find-account.ts';
import { withDatabase } from './with-database.ts';

const ACCOUNT = '--account <メールアドレス>';

const DETAILS = `SendGridで送るとき（SENDGRID_API_KEY）は、メールの本文をSendGridのテンプレートから作ります。
どのテンプレートを使うかを、ここで設定します。`;

export const templateCommand = (readSettings: () => Settings): Command =>
  command('template', 'テンプレートと、SendGridのテンプレートを結びつける', DETAILS)
    .addCommand(
      command('list', 'テンプレートの番号と、SendGridのテンプレートIDを表示する')
        .requiredOption(ACCOUNT, 'アカウントのメールアドレス', filled)
        .action(({ account }: { account: string }) =>
          withDatabase(readSettings(), async ({ db }) => {
            const accountId = await findAccountOrRefuse(db, account);
            if (accountId !== null) await printTemplates(db, accountId);
          }),
        ),
    )
    .addCommand(
      command('set-sendgrid', 'SendGridのテンプレートを選ぶ', DETAILS)
        .argument('<番号>', 'テンプレートの番号（template list で確認できます）', id)
        .argument('<SendGridのテンプレートID>', '「d-」で始まるID。none で結びつけをやめる', filled)
        .requiredOption(ACCOUNT, 'アカウントのメールアドレス', filled)
        .action((template: number, sendGridId: string, { account }: { account: string }) =>
          withDatabase(readSettings(), async ({ db }) => {
            const accountId = await findAccountOrRefuse(db, account);
            if (accountId === null) return;
            const chosen = sendGridId === 'none' ? null : sendGridId;
            const problem = await setSendGridTemplate(db, { accountId, id: template }, chosen);
            if (problem) refuse(problem.message);
            else await printTemplates(db, accountId);
          }),
        ),
    );

async function printTemplates(db: Db, accountId: number): Promise<void> {
  for (const { id: template, name, sendgrid_template_id } of await listTemplates(db, accountId))
    process.stdout.write(`${template}  ${sendgrid_template_id ?? '-'}  ${name}\n`);
}
