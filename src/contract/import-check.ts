import { z } from 'zod';
import { IMPORT_HOURS, MAX_IMPORT_COLUMNS } from '#domain/company/import-limits.ts';
import { call } from './call.ts';
import { ofImport, startedJob } from './import.ts';
import { encoding, headerRow, mappedColumn, separator, sheet } from './import-look.ts';
import { flag, id, idempotencyHeaders } from './wire.ts';

/** The calls that check, import and undo. Each begins a job. */

const tooMany = {
  too_many_jobs: { status: 409, when: '待っている処理が多すぎるとき。`message` が、待っているものの名前を挙げます' },
} as const;
const busy = { import_busy: { status: 409, when: 'この取り込みの処理が、まだ終わっていないとき' } } as const;
const reused = {
  idempotency_key_reused: { status: 409, when: '同じ Idempotency-Key が、別の内容で使われたとき' },
} as const;

export const checkImport = call({
  method: 'POST',
  path: '/import/:id/check',
  summary: '取り込むファイルを確認する',
  description: `ファイル全体を読み、取り込んだときに変わるものを数えます。何も変わりません。
結果は \`GET /import/{id}\` の \`review\`、\`GET /import/{id}/change/list\`、\`GET /import/{id}/line/list\` で読めます。

- \`encoding\` を省略すると、文字コードを判定します。
- \`sheet\` を省略すると、Excelの、会社名の見出しがある最初のシート（なければ、値のある最初のシート）を読みます。
- \`table\` を省略すると、区切り、見出し、列の対応を見出しから判定します。
- 住所には、いくつもの列を対応させられます。順につなぎます。
- 備考は \`sender_group_id\` のグループに残します。省略すると取り込みません。空欄は今の備考を残します。`,
  errors: {
    ...busy,
    ...tooMany,
    ...reused,
    not_uploaded: { status: 409, when: 'ファイルが届ききっていないか、期限が過ぎているとき' },
    import_ended: { status: 409, when: 'すでに取り込んであるとき' },
    no_company_name_column: { status: 400, when: '「会社名」に対応する列がないとき' },
    duplicate_column: { status: 400, when: '同じ項目に2つの列が対応しているとき' },
    no_remarks_group: { status: 400, when: '備考に対応する列があり、`sender_group_id` がないとき' },
    not_found: { status: 404, when: '取り込みか送信者グループがないか、ほかのアカウントのものであるとき' },
  },
  params: ofImport,
  headers: idempotencyHeaders,
  largeBody: true,
  body: z.strictObject({
    add_info: z
      .strictObject({
        encoding: encoding.optional(),
        sheet: sheet.optional(),
        table: z
          .strictObject({
            separator,
            header_row: headerRow,
            columns: z
              .array(z.strictObject(mappedColumn))
              .min(1)
              .max(MAX_IMPORT_COLUMNS)
              .describe('列と、対応する項目です。ほかの列は取り込みません。'),
          })
          .optional()
          .describe('表の読み方です。'),
        sender_group_id: id.optional().describe('備考を残す送信者グループのidです。'),
        remember: flag
          .optional()
          .meta({ description: '1にすると、この見出しの対応を次回のために保存します。', examples: [1] }),
      })
      .describe('読み方です。'),
  }),
  response: startedJob,
});

export const runImport = call({
  method: 'POST',
  path: '/import/:id/run',
  summary: '確認したファイルを取り込む',
  description: `最後の確認と同じ読み方で取り込みます。すべて取り込むか、何も取り込まないかのどちらかです。
画面を閉じても続きます。取り込んだ後${IMPORT_HOURS}時間は \`POST /import/{id}/undo\` で取り消せます。`,
  errors: {
    ...busy,
    ...tooMany,
    ...reused,
    not_uploaded: { status: 409, when: 'ファイルの期限が過ぎているとき' },
    not_checked: { status: 409, when: 'まだ確認していないとき' },
    import_ended: { status: 409, when: 'すでに取り込んであるとき' },
  },
  params: ofImport,
  headers: idempotencyHeaders,
  body: z.strictObject({
    add_info: z
      .strictObject({
        mode: z.enum(['leave_out', 'strict']).meta({
          description:
            '`leave_out` は取り込めない行を除いて取り込みます。`strict` は、取り込めない行があれば何も取り込みません。',
          examples: ['leave_out'],
        }),
      })
      .describe('取り込み方です。'),
  }),
  response: startedJob,
});

export const undoImport = call({
  method: 'POST',
  path: '/import/:id/undo',
  summary: '取り込みを取り消す',
  description: `取り込んでから${IMPORT_HOURS}時間まで取り消せます。
追加した会社を外し、変更した会社を元の値に戻します。その後に編集・取り込み・予約・送信した会社は残し、その数を理由ごとに返します
（\`GET /import/{id}\` の \`undone\`）。`,
  errors: {
    ...busy,
    ...tooMany,
    not_undoable: { status: 409, when: '取り込んでいないか、取り消せる期限が過ぎているとき' },
  },
  params: ofImport,
  response: startedJob,
});

export const deleteImportFile = call({
  method: 'POST',
  path: '/import/:id/file/delete',
  summary: '取り込んだファイルを削除する',
  description: `取り込みが終わったファイルの中身を消して、保存できるファイルの大きさを空けます。元に戻せません。
取り込みの結果、取り込めない行、取り消し（\`POST /import/{id}/undo\`）は、そのまま残ります。すでに消してあれば、何も変わりません。
取り込む前のファイルは \`POST /import/{id}/discard\` で破棄してください。`,
  errors: {
    ...busy,
    not_imported: { status: 409, when: 'まだ取り込んでいないとき' },
  },
  params: ofImport,
  response: z.object({ status: z.literal('deleted').describe('削除しました。') }),
});

export const discardImport = call({
  method: 'POST',
  path: '/import/:id/discard',
  summary: '取り込む前のファイルを破棄する',
  description: 'アップロードしたファイルと確認の結果を消します。見込み客は変わりません。',
  errors: {
    ...busy,
    import_ended: { status: 409, when: 'すでに取り込んであるとき' },
  },
  params: ofImport,
  response: z.object({ status: z.literal('deleted').describe('破棄しました。') }),
});
