import { z } from 'zod';
import { TEMPLATE_VERSIONS } from '#domain/limits.ts';
import { call } from './call.ts';
import { MAX_LIST_ROWS } from './list-call.ts';
import * as fields from './mail-template-fields.ts';
import { idInPath, int4InPath, intInQuery, version } from './wire.ts';

const shown = (field: z.ZodType) => z.string().meta(field.meta() ?? {});

const at = z.string().meta({ description: '保存した日時です。', examples: ['2026/11/20 12:00:00'] });
const member = z
  .string()
  .nullable()
  .meta({ description: '保存した人の氏名です。わからなければ null です。', examples: ['山田 太郎'] });

export const listTemplateVersions = call({
  method: 'GET',
  path: '/mail_template/:id/version/list',
  summary: 'テンプレートの版の一覧',
  description: `新しい版から順に返します。最初のものが、現在の内容です。${TEMPLATE_VERSIONS}版まで残り、それより古い版は消えます。`,
  params: fields.ofTemplate,
  query: z.strictObject({
    limit: intInQuery(1, MAX_LIST_ROWS).default(MAX_LIST_ROWS).describe('返す件数の上限です。'),
    offset: intInQuery(0, MAX_LIST_ROWS).default(0).describe('先頭から飛ばす件数です（省略すると0）。'),
  }),
  isList: true,
  response: z.array(
    z
      .object({
        number: fields.versionNumber,
        name: shown(fields.templateName),
        subject: shown(fields.subjectTemplate),
        at,
        member,
      })
      .meta({ schemaName: 'TemplateVersionRow' }),
  ),
});

const ofVersion = z.object({
  id: idInPath.describe('テンプレートのidです。'),
  number: int4InPath.describe('何番目の版かです。'),
});

export const getTemplateVersion = call({
  method: 'GET',
  path: '/mail_template/:id/version/:number',
  summary: 'テンプレートの1つの版',
  params: ofVersion,
  response: z
    .object({
      number: fields.versionNumber,
      name: shown(fields.templateName),
      subject: shown(fields.subjectTemplate),
      text_body: shown(fields.textBody),
      html_body: shown(fields.htmlBody),
      editor: fields.editor,
      text_follows: fields.textFollows,
      at,
      member,
    })
    .meta({ schemaName: 'TemplateVersion' }),
});

export const restoreTemplateVersion = call({
  method: 'POST',
  path: '/mail_template/:id/version/:number/restore',
  summary: 'テンプレートを前の版の内容に戻す',
  description: `その版の内容を、新しい版として保存します。送信者が別に持つ件名は変わりません。

- \`version\` には、テンプレートを読んだときの値を指定します。そのあとに内容が変わっていれば、何もせずに 409 を返します。
- いまの規則では送れない版には戻せません。`,
  errors: {
    not_found: { status: 404, when: 'テンプレートか版がないか、ほかのアカウントのものであるとき' },
    ...fields.INVALID_TEMPLATE,
    ...fields.TEMPLATE_CHANGED,
  },
  params: ofVersion,
  body: z.strictObject({ version: version.max(100) }),
  response: fields.updatedTemplate,
});
