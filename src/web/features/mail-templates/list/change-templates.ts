import type { QueryClient } from '@tanstack/react-query';
import type { CallInput } from '#contract/call.ts';
import type {
  addMailTemplate,
  addTemplateFolder,
  archiveMailTemplate,
  moveMailTemplate,
  removeTemplateFolder,
  restoreMailTemplate,
  updateTemplateFolder,
} from '#contract/mail-templates-list.ts';
import { callApi } from '#web/lib/api-client.ts';
import { TEMPLATE_LIST } from '#web/lib/query-keys.ts';
import type { Folder } from './list-templates.ts';

export type NewTemplate = CallInput<typeof addMailTemplate>['body']['add_info'];

const of = (id: number) => ({ params: { id: String(id) } });
const keyed = (key: string) => ({ headers: { 'Idempotency-Key': key } });

export const addTemplate = (add_info: NewTemplate, key: string) =>
  callApi<typeof addMailTemplate>('POST', '/mail_template', { body: { add_info } }, keyed(key));

export const moveTemplate = (id: number, folder_id: number | null) =>
  callApi<typeof moveMailTemplate>('PUT', '/mail_template/:id/folder', {
    ...of(id),
    body: { update_info: { folder_id } },
  });

export const archiveTemplate = (id: number) =>
  callApi<typeof archiveMailTemplate>('POST', '/mail_template/:id/archive', of(id));

export const restoreTemplate = (id: number) =>
  callApi<typeof restoreMailTemplate>('POST', '/mail_template/:id/restore', of(id));

export const addFolder = (name: string, key: string) =>
  callApi<typeof addTemplateFolder>('POST', '/mail_template_folder', { body: { add_info: { name } } }, keyed(key));

export const renameFolder = ({ id, version }: Pick<Folder, 'id' | 'version'>, name: string) =>
  callApi<typeof updateTemplateFolder>('PUT', '/mail_template_folder/:id', {
    ...of(id),
    body: { version, update_info: { name } },
  });

export const removeFolder = (id: number) =>
  callApi<typeof removeTemplateFolder>('POST', '/mail_template_folder/:id/remove', of(id));

/** Reloads the lists of templates. */
export const reloadTemplates = (client: QueryClient): Promise<void> =>
  client.invalidateQueries({ queryKey: [TEMPLATE_LIST] });
