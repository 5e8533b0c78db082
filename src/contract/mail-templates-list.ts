import { z } from 'zod';
import { MAX_SEARCH_LENGTH, MAX_TEMPLATE_FOLDERS, MAX_TEMPLATES, SENT_COUNT_DAYS } from '#domain/limits.ts';
import { call } from './call.ts';
import { flagFilter, idOrBounds, listCall } from './list.ts';
import * as fields from './mail-templates-fields.ts';
import { label } from './mail-templates-fields.ts';
import { profilesOfTemplate } from './sender-profiles.ts';
import { flag, id, idempotencyHeaders, idInPath, intInQuery, seenVersion, text, version } from './wire.ts';

const name = label('名前です。アカウントの中で重複できません。', '新規開拓');
const ofFolder = z.object({ id: idInPath.describe('フォルダーのidです。') });
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
  description: '中にあるアーカイブ済みのテンプレートは、どのフォルダーにもない状態になります。',
  errors: ['folder_not_empty'],
  params: ofFolder,
  response: z.object({ status: z.literal('removed').describe('消しました。') }),
});

const shown = (field: z.ZodType) => z.string().meta(field.meta() ?? {});

export const listMailTemplates = listCall({
  path: '/mail_template/list',
  name: 'MailTemplateRow',
  summary: 'テンプレートの一覧',
  description: `最後に変更したものから順に返します。1つのアカウントに${MAX_TEMPLATES}までなので、一度にすべて読めます。\
\`senders\`・\`reservations\`・\`sent\`・\`replied\` が要らないときは、\`columns\` から外すと速くなります。`,
  where: {
    id: idOrBounds,
    folder_id: intInQuery(0, Number.MAX_SAFE_INTEGER)
      .optional()
      .meta({ description: 'フォルダーのidです。0なら、どのフォルダーにもないものです。', examples: [0] }),
    archived: flagFilter,
    search: text(MAX_SEARCH_LENGTH)
      .optional()
      .meta({ description: '名前と件名に、空白で区切った語をすべて含むものです。', examples: ['ご提案'] }),
  },
  row: z.object({
    id: id.describe('テンプレートのidです。'),
    name: shown(fields.templateName),
    subject: shown(fields.subjectTemplate),
    folder_id: fields.folderId,
    editor: fields.editor,
    archived: fields.archived,
    sendgrid_template_id: z
      .string()
      .nullable()
      .meta({ description: 'SendGridのテンプレートのIDです。なければ null です。', examples: [null] }),
    created_at: z.string().meta({ description: '作成した日時です。', examples: ['2026/11/20 12:00:00'] }),
    updated_at: fields.updatedAt,
    updated_by: fields.updatedBy,
    senders: z
      .array(
        z.object({
          id: id.describe('送信者のidです。'),
          person_in_charge: z.string().meta({ description: '差出人名です。', examples: ['山田 太郎'] }),
          group: z.string().meta({ description: '送信者グループの名前です。', examples: ['営業1課'] }),
          active: flag.meta({ description: '使っているなら1です。', examples: [1] }),
        }),
      )
      .describe('このテンプレートを使う送信者です。'),
    reservations: fields.reservations,
    sent: z.int().meta({
      description: `この${SENT_COUNT_DAYS}日間の送信のうち、会社に届いたメールの数です。テストは数えません。`,
      examples: [120],
    }),
    replied: z.int().meta({ description: '`sent` のうち、返信のあったメールの数です。', examples: [3] }),
  }),
});

/** The keys of the samples. */
export const SAMPLE_KEYS = ['first_greeting', 'exhibition_thanks', 'second_contact', 'send_material'] as const;
const sampleKey = z.enum(SAMPLE_KEYS);

export const listTemplateSamples = call({
  method: 'GET',
  path: '/mail_template/samples',
  summary: 'テンプレートの見本',
  description: '`POST /mail_template` の `sample` に指定すると、その内容でテンプレートを作れます。',
  response: z.array(
    z
      .object({
        key: sampleKey.meta({ description: '見本の名前です。', examples: ['first_greeting'] }),
        name: z.string().meta({ description: 'テンプレートの名前です。', examples: ['初めてのご挨拶'] }),
        description: z
          .string()
          .meta({ description: '使いどころです。', examples: ['取引のない会社に、初めて連絡するときの文面です。'] }),
        subject: shown(fields.subjectTemplate),
        text_body: shown(fields.textBody),
        html_body: shown(fields.htmlBody),
      })
      .meta({ schemaName: 'TemplateSample' }),
  ),
});

export const addMailTemplate = call({
  method: 'POST',
  path: '/mail_template',
  summary: 'テンプレートを作成する',
  description: `\`sample\`（見本から）か \`copy_of\`（複製）を指定します。どちらも省略すると、宛名だけの空のテンプレートを作ります。

1つのアカウントに、アーカイブしたものも合わせて${MAX_TEMPLATES}までです。`,
  errors: ['not_found', 'invalid_template', 'too_many_templates', 'too_many_senders'],
  headers: idempotencyHeaders,
  body: z.strictObject({
    add_info: z
      .strictObject({
        name: fields.templateName,
        subject: fields.subjectTemplate
          .optional()
          .describe('件名です。`sample` や `copy_of` があるときは省略でき、その件名になります。'),
        folder_id: fields.folderId.optional(),
        sample: sampleKey.optional().meta({ description: '見本の名前です。', examples: ['first_greeting'] }),
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
      })
      .meta({
        description: '作成する内容です。',
        examples: [{ name: '新しい会社へのご挨拶', folder_id: null, sample: 'first_greeting' }],
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
  description: `新しい送信者が選べなくなります。内容、版、送信の記録は残り、いつでも戻せます。

このテンプレートを使う有効な送信者は、無効になります（\`GET /mail_template/{id}\` の \`senders\` のうち \`active\` が1のもの）。\
戻しても、送信者は無効のままです。始まった送信は、受け付けたときの内容で続きます。`,
  errors: ['template_in_use'],
  params: fields.ofTemplate,
  response: fields.movedTemplate.extend({
    deactivated: z.int().meta({ description: '無効になった送信者の数です。', examples: [2] }),
  }),
});

export const restoreMailTemplate = call({
  method: 'POST',
  path: '/mail_template/:id/restore',
  summary: 'アーカイブしたテンプレートを戻す',
  params: fields.ofTemplate,
  response: fields.movedTemplate,
});
