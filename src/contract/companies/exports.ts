import { z } from 'zod';
import { EXPORT_DAYS, MAX_OWN_FIELDS, MAX_STORED_BYTES, MAX_XLSX_ROWS } from '#domain/limits.ts';
import { fileSize } from '#domain/text/file-size.ts';
import { auditFilter, periodFits } from '../account/audit.ts';
import { suppressionFilter } from '../answers/suppressions.ts';
import { call } from '../call.ts';
import { deliveryFilter, runFilter } from '../sending/send-logs.ts';
import { flag, id, idempotencyHeaders, idInPath } from '../wire.ts';
import { VIEW_STATUSES } from './prospects.ts';
import { filtersFit, ownColumns, PROSPECT_COLUMNS, prospectFilter, prospectSort } from './prospects-filter.ts';

/** The file formats, as the dialog offers them. */
export const EXPORT_FORMATS = ['csv_utf8', 'csv_cp932', 'xlsx'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** The most companies of an export that names them one by one. */
const MAX_CHOSEN = 1000;

const format = z
  .enum(EXPORT_FORMATS)
  .describe(
    'ファイルの形式です。`csv_utf8` はCSV（UTF-8、BOM付き）、`csv_cp932` はCSV（Shift_JIS）、`xlsx` はExcelです。',
  );

/** The companies of an export, and their columns. */
const companies = {
  format,
  sender_group_id: id.describe('有効・無効、備考、送信日時を書き出す送信者グループのidです。'),
  ids: z.array(id).min(1).max(MAX_CHOSEN).optional().describe('選んだ見込み客のidです。指定すると、条件は使いません。'),
  columns: z
    .array(z.enum(PROSPECT_COLUMNS))
    .min(1)
    .max(PROSPECT_COLUMNS.length)
    .optional()
    .describe('書き出す列です。省略すると、自社の項目、タグ、主担当も含めて、すべての列です。'),
  own_columns: ownColumns(
    MAX_OWN_FIELDS + 2,
    '`columns` のほかに書き出す、自社の項目の差し込み名と、`tags`（タグ）、`primary`（主担当）です。コンマで区切ります。',
  ),
  status: z.enum(VIEW_STATUSES).optional().describe('送信状況です。省略するとすべてです。'),
  ...prospectFilter,
  ...prospectSort,
};

const exportRequest = z
  .discriminatedUnion('what', [
    z.strictObject({ what: z.literal('prospects').describe('見込み客です。'), ...companies }).superRefine(filtersFit),
    z
      .strictObject({
        what: z.literal('people').describe('見込み客の相手の人です。1人が1行です。人のいない見込み客も1行あります。'),
        ...companies,
      })
      .superRefine(filtersFit),
    z.strictObject({
      what: z.literal('runs').describe('送信履歴です。'),
      format,
      ...runFilter,
      sender_group_id: id.optional().describe('送信者グループのidです。'),
      template_id: id.optional().describe('テンプレートのidです。'),
      test_send_mode: flag.optional().describe('0なら本番の送信だけ、1ならテスト送信だけです。'),
    }),
    z.strictObject({
      what: z.literal('deliveries').describe('1回の送信の、1通ごとの結果です。'),
      format,
      send_log_id: id.describe('送信ログのidです。'),
      ...deliveryFilter,
    }),
    z.strictObject({ what: z.literal('suppressions').describe('配信停止です。'), format, ...suppressionFilter }),
    z
      .strictObject({
        what: z.literal('audit').describe('操作履歴です。管理者だけが書き出せます。'),
        format,
        ...auditFilter,
      })
      .superRefine(periodFits),
  ])
  .meta({
    description: '書き出すものです。',
    examples: [{ what: 'prospects', format: 'csv_utf8', sender_group_id: 1, address: '東京都' }],
  });
/** The stored input of an export. */
export type ExportRequest = z.output<typeof exportRequest>;

export const startExport = call({
  method: 'POST',
  path: '/export',
  audience: 'integrator',
  summary: '見込み客・相手の人・送信履歴・送信の結果・配信停止・操作履歴の書き出しを始める',
  description: `ファイルはワーカーが作ります。進み具合は \`GET /job/{id}\` で、できたファイルは \`GET /export/{id}/file\` で受け取ります。
ファイルは${EXPORT_DAYS}日間受け取れます。画面を閉じても、書き出しは続きます。
途中で保存できるファイルの大きさ（アカウント全体で${fileSize(MAX_STORED_BYTES)}）を使い切ると、書き出しは失敗し、処理の \`message\` が削除できるファイルの名前を挙げます。

- CSVの値が \`=\`、\`+\`、\`-\`、\`@\`、タブなどで始まる文字のときは、表計算ソフトが式として実行しないように、先頭に \`'\` を付けます。数値はそのままです。
- Shift_JISにない文字は「〓」になります。その数は \`GET /export/list\` の \`replaced\` でわかります。
- 配信停止のファイルは、そのまま \`POST /suppression/import\` で読めます。
- 見込み客のファイルも、相手の人のファイルも、そのまま取り込めます。変えなければ、取り込んでも何も変わりません。
- xlsxは${MAX_XLSX_ROWS.toLocaleString('ja-JP')}行までです。列が多いと、行はもっと少なくなります。`,
  errors: [
    ['not_found', '送信者グループか送信ログがないか、ほかのアカウントのものであるとき'],
    'account_storage_full',
    'too_many_jobs',
  ],
  headers: idempotencyHeaders,
  largeBody: true,
  body: z.strictObject({ add_info: exportRequest }),
  response: z.object({
    status: z.literal('added').describe('受け付けました。'),
    id: id.describe('処理（書き出し）のidです。'),
  }),
});

export const listExports = call({
  method: 'GET',
  path: '/export/list',
  audience: 'integrator',
  summary: '書き出しの一覧',
  description:
    '新しい順です。ファイルがあるものと、まだ終わっていないもののすべてと、最近の50件です。操作履歴の書き出しは、管理者にだけ返します。',
  response: z.array(
    z
      .object({
        id: id.describe('処理（書き出し）のidです。'),
        what: z
          .enum(['prospects', 'people', 'runs', 'deliveries', 'suppressions', 'audit'])
          .describe('書き出したものです。'),
        format,
        state: z.enum(['queued', 'running', 'done', 'failed', 'cancelled']).describe('処理の状態です。'),
        created_at: z.string().meta({ description: '受け付けた日時です。', examples: ['2026/11/20 12:00:00'] }),
        file: z
          .object({
            name: z.string().meta({ description: 'ファイルの名前です。', examples: ['見込み客_20261120_1200.csv'] }),
            bytes: z.int().meta({ description: '大きさ（バイト）です。', examples: [25000] }),
            rows: z.int().meta({ description: '行数（見出しを除く）です。', examples: [1000] }),
            replaced: z.int().meta({ description: '「〓」にした文字の数です。', examples: [0] }),
            expires_at: z
              .string()
              .meta({ description: 'この日時まで受け取れます。', examples: ['2026/11/27 12:00:00'] }),
          })
          .nullable()
          .describe('ファイルです。まだできていないか、期限が過ぎていれば null です。'),
      })
      .meta({ schemaName: 'Export' }),
  ),
});

const ofExport = z.object({ id: idInPath.describe('処理（書き出し）のidです。') });

export const deleteExport = call({
  method: 'POST',
  path: '/export/:id/delete',
  audience: 'integrator',
  summary: '書き出しを削除する',
  description: '書き出しとそのファイルを消します。元に戻せません。まだ終わっていない書き出しは中止します。',
  params: ofExport,
  response: z.object({ status: z.literal('deleted').describe('削除しました。') }),
});

export const getExportFile = call({
  method: 'GET',
  path: '/export/:id/file',
  audience: 'integrator',
  needs: 'sales',
  summary: '書き出したファイルを受け取る',
  description: 'ファイルがまだできていないか、期限が過ぎていれば404です。',
  params: ofExport,
  response: z.string().meta({ format: 'binary' }),
  isFile: true,
});
