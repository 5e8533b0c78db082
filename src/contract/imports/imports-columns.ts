import { z } from 'zod';
import { MAX_IMPORT_COLUMNS } from '#domain/company/import-limits.ts';
import { OWN_KEY } from '#domain/company/own-label.ts';
import { OWN_FIELD_TYPES } from '../companies/own-fields-names.ts';
import { UNSORTED_COLUMNS } from '../companies/prospects-filter.ts';
import { id, text } from '../wire.ts';
import { IMPORT_GROUPS, OWN_IMPORT_FIELDS, PERSON_IMPORT_FIELDS } from './imports-names.ts';

/** What the columns of an imported file mean. */

const IMPORT_FIELDS = [
  'corporate_number',
  'company_name',
  'company_email',
  'ceo',
  'major_industry_type',
  'included_industry_type',
  'address',
  'number_of_employees',
  'amount_of_sales',
  'ordinary_profit',
  'capital',
  'year_of_establishment',
  'company_url',
  'contact_url',
  ...UNSORTED_COLUMNS,
  'remarks',
  ...PERSON_IMPORT_FIELDS,
  ...OWN_IMPORT_FIELDS,
] as const;
/** The units of a column of money. '' means yen. */
export const MONEY_UNITS = ['', '円', '千円', '万円', '百万円', '千万円', '億円', '十億円'] as const;

export const mappedColumn = {
  index: z
    .int()
    .min(0)
    .max(MAX_IMPORT_COLUMNS - 1)
    .meta({ description: '列の位置です。0から数えます。', examples: [0] }),
  field: z.enum(IMPORT_FIELDS).meta({
    description:
      '項目です。`remarks`（備考）は、送信者グループごとに残ります。`person_…` は相手の人の項目、`own` は自社の項目、' +
      '`tags` はタグ、`owner` は自社担当、`external_id` は外部IDです。',
    examples: ['company_name'],
  }),
  unit: z.enum(MONEY_UNITS).meta({ description: '金額の単位です。空は円です。', examples: [''] }),
};

/** An own field that the import makes. */
const newField = z
  .strictObject({
    label: text(100)
      .min(1)
      .meta({ description: '項目の名前です。', examples: ['ランク'] }),
    type: z.enum(OWN_FIELD_TYPES).meta({ description: '項目の種類です。', examples: ['choice'] }),
    key: z
      .string()
      .regex(OWN_KEY)
      .optional()
      .meta({
        description: '差し込み名です。`{{ custom.rank }}` の `rank` の部分です。省略すると自動で決めます。',
        examples: ['rank'],
      }),
  })
  .meta({ schemaName: 'ImportNewField' });
const ownField = id.describe('取り込む自社の項目のidです（`field` が `own` のとき）。');

/** What a look adds to the proposed field of a column. */
export const offeredColumn = {
  group: z
    .enum(IMPORT_GROUPS)
    .optional()
    .meta({
      description: '案の項目のまとまり（`company` 会社、`person` 人、`own` 自社の項目）です。案がなければありません。',
      examples: ['company'],
    }),
  custom_field_id: ownField.optional().describe('案が今ある自社の項目なら、そのidです。'),
  new_field: newField
    .optional()
    .describe('知らない見出しの列を新しい項目として取り込むときの案です。`field` が `own` なら、案はこの項目です。'),
};

/** A column as a check is told it. */
export const chosenColumn = z.strictObject({
  ...mappedColumn,
  custom_field_id: ownField.optional(),
  new_field: newField.optional().describe('列を新しい項目として取り込むなら、その項目です。'),
});
