import { z } from 'zod';
import { MAX_REVIEWED_PEOPLE } from '#domain/company/import-limits.ts';
import { call } from '../call.ts';
import { id, intInQuery, text } from '../wire.ts';
import { getImport, ofImport, reviewKind } from './imports.ts';

/** The results of a check, row by row, and the history of imports. */

const MAX_LINES = 200;
const page = {
  limit: intInQuery(1, MAX_LINES).default(50).describe(`返す件数の上限です（1〜${MAX_LINES}、省略すると50）。`),
  offset: intInQuery(0, 1_000_000_000).default(0).describe('先頭から飛ばす件数です（省略すると0）。'),
};
const row = z.int().meta({ description: '表計算ソフトで数えた行番号です。', examples: [12] });
const companyName = z
  .string()
  .nullable()
  .meta({ description: '会社名です。', examples: ['株式会社みどり'] });
const value = z.union([z.string(), z.number(), z.null()]);

/** The person of a row, as far as its cells say. */
const personOfRow = z
  .object({
    id: id.nullable().describe('人のidです。まだ追加していない人では null です。'),
    name: z.string().meta({ description: '氏名です。', examples: ['佐藤 一郎'] }),
    department: z.string().meta({ description: '部署です。', examples: ['購買部'] }),
    title: z.string().meta({ description: '役職です。', examples: ['部長'] }),
    email: z.string().meta({ description: '担当者メールです。', examples: ['sato@midori.example.jp'] }),
  })
  .meta({ schemaName: 'ImportPerson' });

const IMPORT_CHANGE_KINDS = ['changed', 'added', 'people_changed', 'people_added'] as const;

export const listImportChanges = call({
  method: 'GET',
  path: '/import/:id/change/list',
  audience: 'integrator',
  summary: '取り込みで変わる会社と人',
  description: `確認で見つかった、変わる会社や人です。ファイルの行の順です（人は、その会社の最初の行の順です）。
\`kind=added\` では、取り込みが追加した会社を、idの順に返します（取り込む前は空です）。行番号はなく、\`row\` は0です。
\`kind=people_added\` では、取り込む前は追加する人を、先頭の${MAX_REVIEWED_PEOPLE.toLocaleString('ja-JP')}人まで返します。取り込んだ後は、
追加した人をすべて、idの順に返します。`,
  errors: ['not_checked'],
  params: ofImport,
  query: z.strictObject({
    kind: z
      .enum(IMPORT_CHANGE_KINDS)
      .default('changed')
      .describe(
        '`changed` は変わる会社、`added` は追加した会社、`people_changed` は変わる人、`people_added` は追加する（した）人です' +
          '（省略すると `changed`）。',
      ),
    ...page,
  }),
  isList: true,
  response: z.array(
    z
      .object({
        row,
        prospect_id: id.describe('見込み客のidです。'),
        company_name: companyName,
        person: personOfRow.optional().describe('人です。会社を返すときはありません。'),
        changes: z
          .array(
            z.object({
              field: z.string().meta({
                description:
                  '項目です。自社の項目は `custom.` とその差し込み名、タグは `tags`、担当は `owner`、主担当は `is_primary` です。',
                examples: ['address'],
              }),
              label: z.string().optional().describe('自社の項目、タグ、担当なら、その名前です。'),
              old: value.meta({ description: '今の値です。', examples: ['東京都港区1-1'] }),
              new: value.meta({ description: '新しい値です。', examples: ['東京都港区2-2'] }),
            }),
          )
          .describe('変わる項目です。追加する会社と人では空です。'),
      })
      .meta({ schemaName: 'ImportChange' }),
  ),
});

export const listImportLines = call({
  method: 'GET',
  path: '/import/:id/line/list',
  audience: 'integrator',
  summary: '取り込まない行と、注意のある行',
  description: 'ファイルの行の順です。',
  errors: ['not_checked'],
  params: ofImport,
  query: z.strictObject({
    kind: reviewKind.optional(),
    reason: text(300)
      .optional()
      .meta({ description: 'この理由の行だけを返します。', examples: ['会社名が空です。'] }),
    column: text(100)
      .optional()
      .meta({ description: 'この項目の行だけを返します。空は行全体のものです。', examples: ['代表メール'] }),
    ...page,
  }),
  isList: true,
  response: z.array(
    z
      .object({
        kind: reviewKind,
        row,
        first_row: z
          .int()
          .nullable()
          .meta({ description: '同じ会社の、前の行です。', examples: [null] }),
        prospect_id: id.nullable().describe('見込み客のidです。'),
        company_name: companyName,
        person: personOfRow
          .omit({ id: true })
          .optional()
          .describe('取り込まない行の人です。人のないファイルにはありません。'),
        column: z.string().meta({ description: '項目です。行全体なら空です。', examples: ['代表メール'] }),
        value: z.string().meta({ description: '値です。長いものは短くします。', examples: ['info＠midori'] }),
        reason: z.string().meta({ description: '理由です。', examples: ['「@」がありません'] }),
      })
      .meta({ schemaName: 'ImportLine' }),
  ),
});

export const getImportFaults = call({
  method: 'GET',
  path: '/import/:id/faults',
  audience: 'integrator',
  needs: 'sales',
  summary: '取り込めない行をCSVで受け取る',
  description:
    'もとの列のままの行に、行番号、項目、理由の列を加えたCSV（UTF-8、BOM付き）です。直して、そのまま取り込めます。',
  errors: ['not_checked'],
  params: ofImport,
  response: z.string().meta({ format: 'binary' }),
  isFile: true,
});

export const listImports = call({
  method: 'GET',
  path: '/import/list',
  audience: 'integrator',
  summary: '取り込みの履歴',
  description: '新しい順です。取り込んだものと、期限が過ぎていないアップロードを返します。',
  query: z.strictObject(page),
  isList: true,
  response: z.array(
    getImport.response
      .omit({ review: true, head_sha256: true })
      .extend({
        member_name: z
          .string()
          .nullable()
          .meta({ description: '実行した人です。コマンドで取り込んだものは null です。', examples: ['田中 直樹'] }),
        created_at: z.string().meta({ description: '始めた日時です。', examples: ['2026/11/20 12:00:00'] }),
      })
      .meta({ schemaName: 'ImportHistory' }),
  ),
});
