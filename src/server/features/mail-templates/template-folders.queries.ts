import type { z } from 'zod';
import type { listTemplateFolders } from '#contract/mail-templates-list.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import { contentVersion } from '../../platform/database/content-version.ts';
import type { Tx } from '../../platform/database/db.ts';
import { countRows, hasRow, ownRows, pageOf, pickColumns } from '../../platform/database/list-rows.ts';

type Query = z.output<(typeof listTemplateFolders)['query']>;

/** Lists the folders of an account by name, each with the number of its templates that are not archived. */
export const listFolders = (account: AccountDb, { where_info, columns, ...window }: Query) =>
  account.snapshot(async (tx) => {
    const own = ownRows('mail_template_folder', account.id, where_info);
    const rows = await tx
      .selectFrom('mail_template_folder')
      .select(['id', 'name'])
      .select(({ selectFrom, fn }) =>
        selectFrom('mail_template')
          .select(fn.countAll<number>().as('templates'))
          .whereRef('mail_template.account_id', '=', 'mail_template_folder.account_id')
          .whereRef('mail_template.folder_id', '=', 'mail_template_folder.id')
          .where('mail_template.archived_at', 'is', null)
          .$asScalar()
          .$notNull()
          .as('templates'),
      )
      .where(own)
      .orderBy('name')
      .orderBy('id')
      .limit(window.limit)
      .offset(window.offset)
      .execute();
    const shown = rows.map((row) => pickColumns({ ...row, version: contentVersion(row.name) }, columns));
    return pageOf(shown, window, () => countRows(tx, 'mail_template_folder', own));
  });

/** Checks whether the account has the folder, and keeps it until the end of the transaction. */
export const hasFolder = (tx: Tx, accountId: number, id: number): Promise<boolean> =>
  hasRow(tx, 'mail_template_folder', { accountId, id }, 'FOR KEY SHARE');
