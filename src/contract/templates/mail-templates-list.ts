import { z } from 'zod';
import { MAX_SEARCH_LENGTH, SENT_COUNT_DAYS } from '#domain/limits.ts';
import { call } from '../call.ts';
import { flagFilter, idOrBounds, listCall } from '../list.ts';
import { profilesOfTemplate } from '../senders/sender-profiles.ts';
import { flag, id, idempotencyHeaders, idInPath, intInQuery, seenVersion, text, version } from '../wire.ts';
import * as fields from './mail-templates-fields.ts';
import { label } from './mail-templates-fields.ts';

const name = label('名前です。アカウントの中で重複できません。');
const ofFolder = z.object({ id: idInPath.describe('フォルダーのidです。') });
export const listTemplateFolders = listCall({
  path: '/mail_template_folder/list',
  summary: 'テンプレートのフォルダーの一覧',
  where: { id: idOrBounds },
  row: z.object({
    id: id.describe('フォルダーのidです。'),
    name: z.string().meta(name.meta() ?? {}),
    version,
    templates: z.int().describe('中のテンプレートの数です。アーカイブしたものは数えません。'),
  }),
});

export const addTemplateFolder = call({
  method: 'POST',
  path: '/mail_template_folder',
  summary: 'テンプレートのフォルダーを作成する',
  errors: ['folder_name_taken', 'too_many_folders'],
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
  errors: ['folder_name_taken', 'folder_changed'],
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
  errors: ['folder_not_empty'],
  params: ofFolder,
  response: z.object({ status: z.literal('removed').describe('消しました。') }),
});

const shown = (field: z.ZodType) => z.string().meta(field.meta() ?? {});

export const listMailTemplates = listCall({
  path: '/mail_template/list',
  summary: 'テンプレートの一覧',
  where: {
    id: idOrBounds,
    folder_id: intInQuery(0, Number.MAX_SAFE_INTEGER)
      .optional()
      .describe('フォルダーのidです。0なら、どのフォルダーにもないものです。'),
    archived: flagFilter,
    search: text(MAX_SEARCH_LENGTH).optional().describe('名前と件名に、空白で区切った語をすべて含むものです。'),
  },
  row: z.object({
    id: id.describe('テンプレートのidです。'),
    name: shown(fields.templateName),
    subject: shown(fields.subjectTemplate),
    folder_id: fields.folderId,
    editor: fields.editor,
    archived: fields.archived,
    sendgrid_template_id: z.string().nullable().describe('SendGridのテンプレートのIDです。なければ null です。'),
    created_at: z.string().describe('作成した日時です。'),
    updated_at: fields.updatedAt,
    updated_by: fields.updatedBy,
    senders: z
      .array(
        z.object({
          id: id.describe('送信者のidです。'),
          person_in_charge: z.string().describe('差出人名です。'),
          group: z.string().describe('送信者グループの名前です。'),
          active: flag.describe('使っているなら1です。'),
        }),
      )
      .describe('このテンプレートを使う送信者です。'),
    reservations: fields.reservations,
    sent: z.int().describe(`この${SENT_COUNT_DAYS}日間の送信のうち、会社に届いたメールの数です。テストは数えません。`),
    replied: z.int().describe('`sent` のうち、返信のあったメールの数です。'),
  }),
});

/** The keys of the samples. */
export const SAMPLE_KEYS = ['first_greeting', 'exhibition_thanks', 'second_contact', 'send_material'] as const;
const sampleKey = z.enum(SAMPLE_KEYS);

export const listTemplateSamples = call({
  method: 'GET',
  path: '/mail_template/samples',
  summary: 'テンプレートの見本',
  response: z.array(
    z.object({
      key: sampleKey.describe('見本の名前です。'),
      name: z.string().describe('テンプレートの名前です。'),
      description: z.string().describe('使いどころです。'),
      subject: shown(fields.subjectTemplate),
      text_body: shown(fields.textBody),
      html_body: shown(fields.htmlBody),
    }),
  ),
});

export const addMailTemplate = call({
  method: 'POST',
  path: '/mail_template',
  summary: 'テンプレートを作成する',
  errors: ['not_in_group', 'not_found', 'invalid_template', 'too_many_templates', 'too_many_senders'],
  headers: idempotencyHeaders,
  body: z.strictObject({
    add_info: z
      .strictObject({
        name: fields.templateName,
        subject: fields.subjectTemplate
          .optional()
          .describe('件名です。`sample` や `copy_of` があるときは省略でき、その件名になります。'),
        folder_id: fields.folderId.optional(),
        sample: sampleKey.optional().describe('見本の名前です。'),
        copy_of: id.optional().describe('複製するテンプレートのidです。'),
        sender_profile_ids: profilesOfTemplate.optional(),
      })
      .refine(({ sample, copy_of }) => sample === undefined || copy_of === undefined, {
        path: ['copy_of'],
        message: '見本か複製元の、どちらかだけを指定してください',
      })
      .refine(({ subject, sample, copy_of }) => (subject ?? sample ?? copy_of) !== undefined, {
        path: ['subject'],
        message: '入力してください',
      }),
  }),
  response: z.object({
    status: z.literal('added').describe('作成しました。'),
    id: id.describe('テンプレートのidです。'),
  }),
});

export const moveMailTemplate = call({
  method: 'PUT',
  path: '/mail_template/:id/folder',
  summary: 'テンプレートを別のフォルダーに移す',
  errors: ['not_found'],
  params: fields.ofTemplate,
  body: z.strictObject({ update_info: z.strictObject({ folder_id: fields.folderId }).describe('移す先です。') }),
  response: fields.movedTemplate,
});

export const archiveMailTemplate = call({
  method: 'POST',
  path: '/mail_template/:id/archive',
  summary: 'テンプレートをアーカイブする',
  errors: ['not_in_group', 'template_in_use'],
  params: fields.ofTemplate,
  response: fields.movedTemplate.extend({
    deactivated: z.int().describe('無効になった送信者の数です。'),
  }),
});

export const restoreMailTemplate = call({
  method: 'POST',
  path: '/mail_template/:id/restore',
  summary: 'アーカイブしたテンプレートを戻す',
  params: fields.ofTemplate,
  response: fields.movedTemplate,
});
