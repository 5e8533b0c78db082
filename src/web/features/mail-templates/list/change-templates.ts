import type { QueryClient } from '@tanstack/react-query';
import { call, type InputOf } from '#web/lib/api/call.ts';
import { SENDER_LIST, SENDER_SETTINGS, TEMPLATE_LIST } from '#web/lib/api/query-keys.ts';
import type { Folder } from './list-templates.ts';

export type NewTemplate = InputOf<'addMailTemplate'>['body']['add_info'];

const of = (id: number) => ({ params: { id: String(id) } });
const keyed = (key: string) => ({ headers: { 'Idempotency-Key': key } });

export const addTemplate = (add_info: NewTemplate, key: string) =>
  call('addMailTemplate', { body: { add_info } }, keyed(key));

export const moveTemplate = (id: number, folder_id: number | null) =>
  call('moveMailTemplate', {
    ...of(id),
    body: { update_info: { folder_id } },
  });

export const archiveTemplate = (id: number) => call('archiveMailTemplate', of(id));

export const restoreTemplate = (id: number) => call('restoreMailTemplate', of(id));

export const addFolder = (name: string, key: string) =>
  call('addTemplateFolder', { body: { add_info: { name } } }, keyed(key));

export const renameFolder = ({ id, version }: Pick<Folder, 'id' | 'version'>, name: string) =>
  call('updateTemplateFolder', {
    ...of(id),
    body: { version, update_info: { name } },
  });

export const removeFolder = (id: number) => call('removeTemplateFolder', of(id));

/** Reloads the lists of templates, and of the senders that use them. */
export async function reloadTemplates(client: QueryClient): Promise<void> {
  const names = [TEMPLATE_LIST, SENDER_LIST, SENDER_SETTINGS];
  await Promise.all(names.map((name) => client.invalidateQueries({ queryKey: [name] })));
}
