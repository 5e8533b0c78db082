import { z } from 'zod';
import { MAX_TEMPLATE_FOLDERS } from '#domain/limits.ts';
import { call } from './call.ts';
import { listCall } from './list-call.ts';
import { idOrBounds } from './list-filter.ts';
import { label } from './mail-template-fields.ts';
import { id, idempotencyHeaders, idInPath, seenVersion, version } from './wire.ts';

const name = label('名前です。アカウントの中で重複できません。', '新規開拓');
const ofFolder = z.object({ id: idInPath.describe('フォルダーのidです。') });
const nameTaken = { folder_name_taken: { status: 409, when: '同じ名前のフォルダーがあるとき' } } as const;

export const listTemplateFolders = listCall({
  path: '/mail_template_folder/list',
  name: 'TemplateFolder',
  summary: 'テンプレートのフォルダーの一覧',
  description: '名前の順です。',
  where: { id: idOrBounds },
  row: z.object({
    id: id.describe('フォルダーのidです。'),
    name: z.string().meta(name.meta() ?? {}),
    version,
    templates: z
      .int()
      .meta({ description: '中のテンプレートの数です。アーカイブしたものは数えません。', examples: [4] }),
  }),
});

export const addTemplateFolder = call({
  method: 'POST',
  path: '/mail_template_folder',
  summary: 'テンプレートのフォルダーを作成する',
  description: `1つのアカウントに${MAX_TEMPLATE_FOLDERS}までです。`,
  errors: { ...nameTaken, too_many_folders: { status: 409, when: 'フォルダーの数が上限に達しているとき' } },
  headers: idempotencyHeaders,
  body: z.strictObject({ add_info: z.strictObject({ name }).describe('作成する内容です。') }),
  response: z.object({
    status: z.literal('added').describe('作成しました。'),
    id: id.describe('フォルダーのidです。'),
  }),
});

export const updateTemplateFolder = call({
  method: 'PUT',
  path: '/mail_template_folder/:id',
  summary: 'テンプレートのフォルダーの名前を変える',
  errors: { ...nameTaken, folder_changed: { status: 409, when: '`version` を読んだあとに、名前が変わっていたとき' } },
  params: ofFolder,
  body: z.strictObject({
    update_info: z.strictObject({ name }).describe('変更する内容です。'),
    version: seenVersion,
  }),
  response: z.object({ status: z.literal('updated').describe('変更しました。') }),
});

export const removeTemplateFolder = call({
  method: 'POST',
  path: '/mail_template_folder/:id/remove',
  summary: '空のフォルダーを消す',
  description: '中にあるアーカイブ済みのテンプレートは、どのフォルダーにもない状態になります。',
  errors: { folder_not_empty: { status: 409, when: 'アーカイブしていないテンプレートが中にあるとき' } },
  params: ofFolder,
  response: z.object({ status: z.literal('removed').describe('消しました。') }),
});
