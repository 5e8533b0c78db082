import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type {
  addTemplateFolder,
  removeTemplateFolder,
  updateTemplateFolder,
} from '#contract/templates/mail-templates-list.ts';
import { MAX_TEMPLATE_FOLDERS } from '#domain/limits.ts';
import { normalizeText } from '#domain/text/text-filter.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import { changedMeanwhile, isStale } from '../../platform/database/content-version.ts';
import type { Tx } from '../../platform/database/db.ts';
import { lockAccount } from '../../platform/database/lock-account.ts';
import { fieldProblem, notFound, Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';

/** Adds a folder, in a transaction of the caller. @returns 409 for a name that is taken, or too many folders */
export async function addFolder(
  tx: Tx,
  { id: accountId, memberId }: MemberDb,
  written: string,
): Promise<CallAnswer<typeof addTemplateFolder> | Problem> {
  const name = written.trim();
  const folders = await lockFolders(tx, accountId);
  if (isTaken(folders, name)) return nameTaken('add_info.name');
  if (folders.length >= MAX_TEMPLATE_FOLDERS) return tooManyFolders();
  const { id } = await tx
    .insertInto('mail_template_folder')
    .values({ account_id: accountId, name })
    .returning('id')
    .executeTakeFirstOrThrow();
  await recordAudit(tx, { accountId, memberId, kind: 'template_folder_added', detail: { folder_id: id, name } });
  return { status: 'added', id };
}

/**
 * Renames a folder, unless it was renamed since `version`. A repeated change succeeds.
 * @returns 404, or 409 also for a taken name
 */
export const renameFolder = (
  { id: accountId, memberId, transaction }: MemberDb,
  id: number,
  { version, update_info }: z.output<(typeof updateTemplateFolder)['body']>,
): Promise<CallAnswer<typeof updateTemplateFolder> | Problem> =>
  transaction(async (tx) => {
    const name = update_info.name.trim();
    const folders = await lockFolders(tx, accountId);
    const folder = folders.find((known) => known.id === id);
    if (!folder) return notFound();
    if (folder.name === name) return { status: 'updated' };
    if (isStale(version, folder.name)) {
      return changedMeanwhile('folder_changed', { what: '名前を', path: 'update_info.name' });
    }
    const others = folders.filter((known) => known !== folder);
    if (isTaken(others, name)) return nameTaken('update_info.name');
    await tx
      .updateTable('mail_template_folder')
      .set({ name })
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .execute();
    await recordAudit(tx, { accountId, memberId, kind: 'template_folder_renamed', detail: { folder_id: id, name } });
    return { status: 'updated' };
  });

/** Deletes a folder without templates. Archived ones are moved out of it. @returns 404, or 409 if it is not empty */
export const removeFolder = (
  { id: accountId, memberId, transaction }: MemberDb,
  id: number,
): Promise<CallAnswer<typeof removeTemplateFolder> | Problem> =>
  transaction(async (tx) => {
    // The lock waits for templates that are being moved into the folder.
    const folder = await tx
      .selectFrom('mail_template_folder')
      .select('name')
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (!folder) return notFound();
    const inside = tx.selectFrom('mail_template').where('account_id', '=', accountId).where('folder_id', '=', id);
    const { templates } = await inside
      .select(({ fn }) => fn.countAll<number>().as('templates'))
      .where('archived_at', 'is', null)
      .executeTakeFirstOrThrow();
    if (templates > 0) return folderNotEmpty(templates);
    await tx
      .updateTable('mail_template')
      .set({ folder_id: null })
      .where('account_id', '=', accountId)
      .where('folder_id', '=', id)
      .execute();
    await tx.deleteFrom('mail_template_folder').where('account_id', '=', accountId).where('id', '=', id).execute();
    const detail = { folder_id: id, name: folder.name };
    await recordAudit(tx, { accountId, memberId, kind: 'template_folder_removed', detail });
    return { status: 'removed' };
  });

interface Folder {
  readonly id: number;
  readonly name: string;
}

/** Reads and locks the folders. */
async function lockFolders(tx: Tx, accountId: number): Promise<Folder[]> {
  await lockAccount(tx, accountId);
  return tx.selectFrom('mail_template_folder').select(['id', 'name']).where('account_id', '=', accountId).execute();
}

/** Compares names without width and case. */
const isTaken = (folders: readonly Folder[], name: string): boolean =>
  folders.some((folder) => normalizeText(folder.name) === normalizeText(name));

function nameTaken(path: string): Problem {
  const message = '同じ名前のフォルダーがあります';
  return fieldProblem(path, 'folder_name_taken', message);
}

const tooManyFolders = () =>
  new Problem(
    'too_many_folders',
    `フォルダーは${MAX_TEMPLATE_FOLDERS}までです。使わないフォルダーを消してから、もう一度作成してください。`,
  );

const folderNotEmpty = (templates: number) =>
  new Problem(
    'folder_not_empty',
    `テンプレートが${templates}件入っているため、消せません。先に、別のフォルダーに移すか、アーカイブしてください。`,
  );
