import { z } from 'zod';
import { call } from '../call.ts';
import { id, idempotencyHeaders, idInPath, seenVersion, version } from '../wire.ts';
import { archived, companies, countsInQuery, label } from './own-fields.ts';
import { TAG_COLOURS } from './own-fields-names.ts';

/** Tags of companies (decisions/own-fields). */

const tagLabel = label('タグの名前です。', '重点');
export const colour = z
  .int()
  .min(0)
  .max(TAG_COLOURS - 1)
  .meta({ description: `色の番号（0〜${TAG_COLOURS - 1}）です。`, examples: [0] });

export const listTags = call({
  method: 'GET',
  path: '/tag/list',
  audience: 'integrator',
  statementSeconds: 60,
  summary: 'タグの一覧',
  description: '名前の順です。使っていないタグも返します。',
  query: countsInQuery,
  response: z.array(
    z
      .object({
        id: id.describe('タグのidです。'),
        label: z.string().meta({ description: '名前です。', examples: ['重点'] }),
        colour,
        archived,
        companies,
        version,
      })
      .meta({ schemaName: 'Tag' }),
  ),
});

export const addTag = call({
  method: 'POST',
  path: '/tag',
  audience: 'integrator',
  summary: 'タグを追加する',
  description: '使っていない同じ名前のタグがあれば、それをまた使います。',
  errors: ['label_taken', 'too_many_tags', 'import_running'],
  headers: idempotencyHeaders,
  body: z.strictObject({
    add_info: z.strictObject({ label: tagLabel, colour: colour.optional() }).describe('追加するタグです。'),
  }),
  response: z.object({
    status: z.literal('added').describe('追加しました。'),
    id: id.describe('タグのidです。'),
  }),
});

export const updateTag = call({
  method: 'PUT',
  path: '/tag/:id',
  audience: 'integrator',
  needs: 'admin',
  statementSeconds: 120,
  summary: 'タグを変更する、ほかのタグに統合する',
  description:
    '`merge_into` を指定すると、このタグの会社をそのタグに移し、このタグをなくします。元に戻せません。ほかの変更と一緒には指定できません。',
  errors: ['label_taken', 'field_changed', 'import_running'],
  params: z.object({ id: idInPath.describe('タグのidです。') }),
  body: z.strictObject({
    update_info: z
      .strictObject({
        label: tagLabel.optional(),
        colour: colour.optional(),
        archived: archived.optional(),
        merge_into: id.optional().meta({ description: '統合する先のタグのidです。', examples: [2] }),
      })
      .refine((info) => Object.values(info).some((value) => value !== undefined), '変更する項目を指定してください')
      .refine(
        ({ merge_into, ...others }) =>
          merge_into === undefined || Object.values(others).every((value) => value === undefined),
        { path: ['merge_into'], message: '統合は、ほかの変更と一緒には指定できません' },
      )
      .meta({ description: '変更する内容です。', examples: [{ label: '最重点', colour: 1 }] }),
    version: seenVersion,
  }),
  response: z.object({ status: z.literal('updated').describe('変更しました。'), version }),
});
