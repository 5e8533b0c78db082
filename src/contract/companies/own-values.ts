import { z } from 'zod';
import {
  MAX_COMPANY_TAGS,
  MAX_EXTERNAL_ID_LENGTH,
  MAX_OWN_FIELDS,
  MAX_OWN_LENGTH,
  MAX_OWN_VALUE_LENGTH,
} from '#domain/limits.ts';
import { id, text } from '../wire.ts';
import { colour } from './tags.ts';

/** What a company's page shows of own fields. */
export const ownDetail = {
  external_id: z
    .string()
    .nullable()
    .meta({ description: '外部ID（ほかのシステムでの会社のid）です。', examples: ['001A000001'] }),
  tags: z
    .array(
      z.object({
        id: id.describe('タグのidです。'),
        label: z.string().meta({ description: '名前です。', examples: ['重点'] }),
        colour,
      }),
    )
    .describe('タグです。名前の順です。'),
  custom: z.record(z.string(), z.union([z.string(), z.number()])).meta({
    description:
      '自社の項目の値です。名前は差し込み名です。日付は `YYYY-MM-DD`、選択は選択肢の名前、「はい・いいえ」は1か0です。値のない項目と、使っていない項目は入りません。',
    examples: [{ event: '東京産業展', rank: 'A' }],
  }),
};

const writtenValue = z.union([text(2100), z.number(), z.null()]);

/** What a save of a company may say of own fields. */
export const ownInfo = {
  external_id: text(2100)
    .nullable()
    .optional()
    .meta({
      description: `外部ID（ほかのシステムでの会社のid、${MAX_EXTERNAL_ID_LENGTH}文字まで）です。一度だけ付けられます。`,
      examples: ['001A000001'],
    }),
  tag_ids: z
    .array(id)
    .max(500)
    .optional()
    .meta({
      description: `タグのidです（${MAX_COMPANY_TAGS}個まで）。書いたタグだけになります。省略すると変わりません。`,
      examples: [[1, 2]],
    }),
  custom: z
    .record(z.string().max(30), writtenValue)
    .refine((values) => Object.keys(values).length <= MAX_OWN_FIELDS, `項目は${MAX_OWN_FIELDS}個までです`)
    .optional()
    .meta({
      description: `自社の項目の値です。名前は差し込み名です。書いた項目だけを変えます。1つの値は${MAX_OWN_VALUE_LENGTH}文字まで、\
1社の値を合わせて${MAX_OWN_LENGTH.toLocaleString('ja-JP')}文字までです。\
選択は選択肢の名前、「はい・いいえ」は \`はい\` か \`いいえ\` のように書きます。空、\`-\`、null は「値なし」です。`,
      examples: [{ event: '東京産業展', rank: 'A' }],
    }),
};

/** The labels that a bulk act adds and takes away: tags, and options of own fields. */
export const labelChange = z
  .strictObject({
    add: z.array(id).max(MAX_COMPANY_TAGS).optional().describe('付けるタグと選択肢のidです。'),
    remove: z.array(id).max(MAX_COMPANY_TAGS).optional().describe('外すタグと選択肢のidです。'),
  })
  .refine(({ add = [], remove = [] }) => add.length + remove.length > 0, 'タグか選択肢を選んでください')
  .meta({
    description:
      '付けるタグと外すタグです（`label` のとき）。選択の項目の選択肢も指定でき、付けると、その項目のほかの選択肢に代わります。',
    examples: [{ add: [1], remove: [] }],
  });
