import { z } from 'zod';
import { IMPORT_HOURS, MAX_IMPORT_COLUMNS } from '#domain/company/import-limits.ts';
import { MAX_IMPORT_TAGS, MAX_PEOPLE_OF_COMPANY } from '#domain/limits.ts';
import { call } from '../call.ts';
import { flag, id, idempotencyHeaders, intInQuery, text } from '../wire.ts';
import { cutPhones, ofImport, startedJob } from './imports.ts';
import { chosenColumn, mappedColumn, offeredColumn } from './imports-columns.ts';

/** How a file is read, and the fields of its columns. */

export const IMPORT_ENCODINGS = ['utf-8', 'cp932', 'utf-16le', 'utf-16be'] as const;
export const IMPORT_SEPARATORS = ['comma', 'tab', 'semicolon'] as const;
export const MAX_HEADER_ROW = 50;
export const encoding = z
  .enum(IMPORT_ENCODINGS)
  .meta({ description: '文字コードです。`cp932` はShift_JISです。', examples: ['cp932'] });
export const separator = z.enum(IMPORT_SEPARATORS).meta({ description: '区切りです。', examples: ['comma'] });
const headerRowMeta = { description: '見出しの行です。0は見出しなしです。', examples: [1] };
export const headerRow = z.int().min(0).max(MAX_HEADER_ROW).meta(headerRowMeta);

/** Above the number of sheets that Excel opens. */
const MAX_SHEETS = 10_000;
const sheetMeta = { description: 'Excelのシートの位置です。0から数えます。', examples: [0] };
export const sheet = z
  .int()
  .min(0)
  .max(MAX_SHEETS - 1)
  .meta(sheetMeta);

const cells = z.array(z.string().meta({ examples: ['株式会社みどり'] }));

export const lookAtImport = call({
  method: 'GET',
  path: '/import/:id/look',
  audience: 'integrator',
  summary: '取り込むファイルの先頭を読む',
  description: `文字コード、区切り、見出しの行と、列の対応の案を返します。指定したものは、判定せずにその値で読みます。
CSVは先頭の部分だけを読むので、アップロードの途中でも使えます。Excel（.xlsx）は、すべて届いてから読みます。

Excelのファイルは、\`sheet\` を省略すると、会社名の見出しがある最初のシート（なければ、値のある最初のシート）を読みます。文字コードと区切りには意味がありません。
数式は計算済みの値を、日付は表示どおりの日付を、結合したセルは左上の値を読みます。非表示の行と列も読みます。外部リンクはたどりません。`,
  errors: [
    ['not_uploaded', 'まだ何も届いていないか、ファイルの期限が過ぎているとき'],
    'empty_file',
    'not_a_table',
    'unknown_encoding',
    'not_complete',
    'encrypted',
    'macros',
    'broken_workbook',
    'not_calculated',
    'sheet_missing',
    ['file_too_large', 'ブック（または展開した大きさ）が大きすぎるとき'],
    'too_many_columns',
    'record_too_long',
    ['busy', 'ほかのExcelのファイルをいくつも読んでいるとき。`Retry-After` の秒数を待ってください'],
  ],
  params: ofImport,
  query: z.strictObject({
    encoding: encoding.optional(),
    separator: separator.optional(),
    header_row: intInQuery(0, MAX_HEADER_ROW).optional().meta(headerRowMeta),
    sheet: intInQuery(0, MAX_SHEETS - 1)
      .optional()
      .meta(sheetMeta),
  }),
  response: z
    .object({
      encoding,
      separator,
      sheets: z
        .array(z.object({ index: sheet, name: z.string().meta({ description: '名前です。', examples: ['会社一覧'] }) }))
        .describe('Excelのシートです。CSVでは空です。'),
      sheet: sheet.nullable().describe('読んだシートです。CSVでは null です。'),
      header_row: headerRow,
      heading: cells.describe('見出しです。見出しがなければ空です。'),
      rows: z
        .array(
          z.object({
            row: z.int().meta({ description: '表計算ソフトで数えた行番号です。', examples: [2] }),
            cells: cells.describe('値です。'),
          }),
        )
        .describe('見出しの後の5行です。'),
      columns: z
        .array(
          z.object({
            index: mappedColumn.index,
            heading: z.string().meta({ description: '見出しです。', examples: ['企業名'] }),
            samples: cells.describe('値の見本（3件まで）です。'),
            field: mappedColumn.field.nullable().describe('対応する項目の案です。'),
            unit: mappedColumn.unit,
            ...offeredColumn,
          }),
        )
        .describe('列と、対応する項目の案です。対応しない列は `field` が null です。'),
      sure: flag.meta({
        description:
          '読み方が確かなら1です（文字コードに誤りがなく、シートが1つで、知っている見出しが2つ以上あるとき）。' +
          '1なら、読み方を人が確かめなくても、列の対応に進めます。',
        examples: [1],
      }),
      mapping: z.enum(['auto', 'saved']).meta({
        description: '対応の案が、見出しから判定したもの（`auto`）か、前回保存したもの（`saved`）かです。',
        examples: ['auto'],
      }),
      missing: z.array(mappedColumn.field).meta({ description: '対応する列がない、必須の項目です。', examples: [[]] }),
    })
    .meta({ schemaName: 'ImportLook' }),
});

/** The calls that start the jobs of check, import and undo. */

export const checkImport = call({
  method: 'POST',
  path: '/import/:id/check',
  audience: 'integrator',
  summary: '取り込むファイルを確認する',
  description: `ファイル全体を読み、取り込んだときに変わるものを数えます。何も変わりません。
結果は \`GET /import/{id}\` の \`review\`、\`GET /import/{id}/change/list\`、\`GET /import/{id}/line/list\` で読めます。

- \`encoding\` を省略すると、文字コードを判定します。
- \`sheet\` を省略すると、Excelの、会社名の見出しがある最初のシート（なければ、値のある最初のシート）を読みます。
- \`table\` を省略すると、区切り、見出し、列の対応を見出しから判定します。新しい項目は作りません。
- 氏名、部署、役職、担当者メールなどの列があるファイルでは、会社と、その相手の人を取り込みます。人は1社に${MAX_PEOPLE_OF_COMPANY}人までです。
- 自社の項目（\`own\`）には \`custom_field_id\` か \`new_field\` を指定します。新しい項目と選択肢は、取り込むときに作ります。
- タグは足すだけで、外しません。1つのファイルで新しく作るタグは${MAX_IMPORT_TAGS}個までです。
- 住所には、いくつもの列を対応させられます。順につなぎます。
- 備考は \`sender_group_id\` のグループに残します。省略すると取り込みません。空欄は今の備考を残します。
- Excelで先頭の0が消えた電話番号（\`312345678\`）には、0を補います。海外の住所、国、\`+\` のある行では補いません。
  \`{"as_before": 1, "phones": "as_written"}\` で、前回の確認を、0を補わずにやり直せます。`,
  errors: [
    'import_busy',
    'too_many_jobs',
    'not_uploaded',
    'import_ended',
    'no_company_name_column',
    'duplicate_column',
    'no_remarks_group',
    ['field_changed', '自社の項目が、使われなくなっているとき'],
    ['label_taken', '新しい項目の名前が、会社や人の項目の名前か見出しと同じとき'],
    'too_many_fields',
    ['not_found', '取り込みか送信者グループがないか、ほかのアカウントのものであるとき'],
  ],
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
              .array(chosenColumn)
              .min(1)
              .max(MAX_IMPORT_COLUMNS)
              .describe('列と、対応する項目です。ほかの列は取り込みません。'),
          })
          .optional()
          .describe('表の読み方です。'),
        sender_group_id: id.optional().describe('備考を残す送信者グループのidです。'),
        tag: text(100)
          .min(1)
          .optional()
          .meta({ description: 'この取り込みのすべての会社に付けるタグです。', examples: ['2026年秋の名簿'] }),
        phones: cutPhones.optional().describe('先頭の0が消えた電話番号の扱いです。省略すると、前回の確認と同じです。'),
        as_before: flag
          .optional()
          .meta({ description: '1にすると、指定しないものを、すべて前回の確認と同じにします。', examples: [1] }),
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
  audience: 'integrator',
  summary: '確認したファイルを取り込む',
  description: `最後の確認と同じ読み方で取り込みます。すべて取り込むか、何も取り込まないかのどちらかです。
画面を閉じても続きます。取り込んだ後${IMPORT_HOURS}時間は \`POST /import/{id}/undo\` で取り消せます。`,
  errors: [
    'not_in_group',
    'import_busy',
    'too_many_jobs',
    ['not_uploaded', 'ファイルの期限が過ぎているとき'],
    'too_many_companies',
    ['too_many_people', '人の数がアカウントの上限（`PEOPLE_MAX`）を超えるとき'],
    ['not_checked', 'まだ確認していないとき'],
    'import_ended',
  ],
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
  audience: 'integrator',
  summary: '取り込みを取り消す',
  description: `取り込んでから${IMPORT_HOURS}時間まで取り消せます。
追加した会社と人を外し、変更した会社と人、自社の項目、タグを元に戻します。作った項目は、使われていなければなくします。その後に編集・取り込み・予約・送信した会社は残し、その数を理由ごとに返します
（\`GET /import/{id}\` の \`undone\`）。`,
  errors: ['not_in_group', 'import_busy', 'too_many_jobs', 'not_undoable'],
  params: ofImport,
  response: startedJob,
});

export const deleteImportFile = call({
  method: 'POST',
  path: '/import/:id/file/delete',
  audience: 'integrator',
  summary: '取り込んだファイルを削除する',
  description: `取り込みが終わったファイルの中身を消して、保存できるファイルの大きさを空けます。元に戻せません。
取り込みの結果、取り込めない行、取り消し（\`POST /import/{id}/undo\`）は、そのまま残ります。すでに消してあれば、何も変わりません。
取り込む前のファイルは \`POST /import/{id}/discard\` で破棄してください。`,
  errors: ['import_busy', 'not_imported'],
  params: ofImport,
  response: z.object({ status: z.literal('deleted').describe('削除しました。') }),
});

export const discardImport = call({
  method: 'POST',
  path: '/import/:id/discard',
  audience: 'integrator',
  summary: '取り込む前のファイルを破棄する',
  description: 'アップロードしたファイルと確認の結果を消します。見込み客は変わりません。',
  errors: ['import_busy', 'import_ended'],
  params: ofImport,
  response: z.object({ status: z.literal('deleted').describe('破棄しました。') }),
});
