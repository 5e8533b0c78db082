import { z } from 'zod';
import { LABEL_MESSAGES, OWN_KEY, parseLabel } from '#domain/company/own-label.ts';
import { MAX_FIELD_OPTIONS, MAX_NAME_LENGTH, MAX_OWN_FIELDS } from '#domain/limits.ts';
import { call } from '../call.ts';
import { flag, id, idempotencyHeaders, idInPath, intInQuery, seenVersion, text, version } from '../wire.ts';
import { OWN_FIELD_TYPES } from './own-fields-names.ts';

/** Own fields of companies (decisions/own-fields). */

export const label = (description: string, example: string) =>
  text(1000)
    .transform((written, context) => {
      const parsed = parseLabel(written);
      if (parsed.ok) return parsed.label;
      context.addIssue({ code: 'custom', message: LABEL_MESSAGES[parsed.fault] });
      return z.NEVER;
    })
    .meta({
      description: `${description}${MAX_NAME_LENGTH}文字までで、「、」「,」「{{」は使えません。`,
      examples: [example],
      documentedAs: z.string().min(1).max(MAX_NAME_LENGTH),
    });

const fieldLabel = label('項目の名前です。会社や人の項目と同じ名前にはできません。', '展示会名');
const optionLabel = label('選択肢です。', 'A');
const key = z
  .string()
  .regex(OWN_KEY, '差し込み名は、英小文字で始まる、英小文字・数字・_ の30文字までにしてください')
  .meta({
    description: '差し込み名です。テンプレートに `{{ custom.KEY }}` と書きます。あとから変えられません。',
    examples: ['event'],
  });
const type = z.enum(OWN_FIELD_TYPES).meta({
  description:
    '種類です。`text` は文字、`number` は数値、`date` は日付、`choice` は選択、`flag` は「はい・いいえ」、`url` はURLです。あとから変えられません。',
  examples: ['text'],
});
const position = z
  .int()
  .min(1)
  .max(MAX_OWN_FIELDS)
  .meta({ description: '並び順です。1から数えます。', examples: [1] });
export const archived = flag.meta({ description: '使っていないなら1です。値は残ります。', examples: [0] });
export const companies = z
  .int()
  .nullable()
  .meta({ description: 'その値のある会社の数です。`counts` が1でなければ null です。', examples: [1204] });

export const countsInQuery = z.strictObject({
  counts: intInQuery(0, 1).default(0).describe('1なら、会社の数も数えます（会社が多いと時間がかかります）。'),
});

export const listCustomFields = call({
  method: 'GET',
  path: '/custom_field/list',
  audience: 'integrator',
  statementSeconds: 60,
  summary: '自社の項目の一覧',
  description: '並び順です。使っていない項目も返します。',
  query: countsInQuery,
  response: z.array(
    z
      .object({
        id: id.describe('項目のidです。'),
        key,
        label: z.string().meta({ description: '名前です。', examples: ['展示会名'] }),
        type,
        position,
        archived,
        options: z
          .array(
            z.object({
              id: id.describe('選択肢のidです。'),
              label: z.string().meta({ description: '選択肢です。', examples: ['A'] }),
              archived,
              companies,
            }),
          )
          .describe('選択肢です。選択の項目だけにあります。'),
        companies,
        templates: z
          .int()
          .nullable()
          .meta({
            description: '差し込みに使っているテンプレートの数です。`counts` が1でなければ null です。',
            examples: [2],
          }),
        version,
      })
      .meta({ schemaName: 'CustomField' }),
  ),
});

export const addCustomField = call({
  method: 'POST',
  path: '/custom_field',
  audience: 'integrator',
  needs: 'admin',
  summary: '自社の項目を追加する',
  description: `項目は、使っていないものも含めて${MAX_OWN_FIELDS}個までです。`,
  errors: ['label_taken', 'too_many_fields', 'import_running'],
  headers: idempotencyHeaders,
  body: z.strictObject({
    add_info: z
      .strictObject({
        label: fieldLabel,
        type,
        key: key.optional().describe('差し込み名です。省略すると `field_1` のように付けます。'),
        options: z
          .array(optionLabel)
          .max(MAX_FIELD_OPTIONS)
          .optional()
          .describe(`選択肢です（${MAX_FIELD_OPTIONS}個まで）。選択の項目にだけ指定します。`),
      })
      .refine(({ type: of, options }) => of === 'choice' || options === undefined, {
        path: ['options'],
        message: '選択肢は、選択の項目にだけ指定できます',
      })
      .meta({
        description: '追加する項目です。',
        examples: [{ label: 'ランク', type: 'choice', options: ['A', 'B'] }],
      }),
  }),
  response: z.object({
    status: z.literal('added').describe('追加しました。'),
    id: id.describe('項目のidです。'),
    key,
  }),
});

export const updateCustomField = call({
  method: 'PUT',
  path: '/custom_field/:id',
  audience: 'integrator',
  needs: 'admin',
  summary: '自社の項目を変更する',
  description:
    '種類と差し込み名は変えられません。`archived` が1なら、項目を使うのをやめます。値は残り、0に戻すとまた使えます。',
  errors: ['label_taken', 'too_many_fields', 'field_changed', 'field_in_use', 'import_running'],
  params: z.object({ id: idInPath.describe('項目のidです。') }),
  body: z.strictObject({
    update_info: z
      .strictObject({
        label: fieldLabel.optional(),
        position: position.optional(),
        options: z
          .array(
            z.strictObject({
              id: id.optional().describe('選択肢のidです。省略すると追加します。'),
              label: optionLabel,
              archived: archived.optional(),
            }),
          )
          .max(MAX_FIELD_OPTIONS)
          .optional()
          .describe('選択肢です。この順に並べます。書かなかった選択肢は、使うのをやめます。'),
        archived: archived.optional(),
      })
      .refine((info) => Object.values(info).some((value) => value !== undefined), '変更する項目を指定してください')
      .meta({ description: '変更する内容です。', examples: [{ label: '展示会', position: 1 }] }),
    version: seenVersion,
  }),
  response: z.object({ status: z.literal('updated').describe('変更しました。'), version }),
});
