import { z } from 'zod';
import {
  IMPORT_HEAD_BYTES,
  IMPORT_HOURS,
  MAX_IMPORT_BYTES,
  MAX_IMPORT_PART_BYTES,
  MAX_WORKBOOK_BYTES,
  MAX_WORKBOOK_ROWS,
  MB,
} from '#domain/company/import-limits.ts';
import {
  MAX_MEMBER_UPLOADS,
  MAX_OPEN_UPLOADS,
  MAX_STORED_BYTES,
  MAX_STORED_FILES,
  STALLED_UPLOAD_MINUTES,
} from '#domain/limits.ts';
import { fileSize } from '#domain/text/file-size.ts';
import { call } from '../call.ts';
import { id, idempotencyHeaders, idInPath, intInQuery, text } from '../wire.ts';

const left = (description: string) => z.int().meta({ description, examples: [0] });
export const undoCounts = z
  .object({
    removed: z.int().meta({ description: '外した会社の数です。', examples: [9400] }),
    archived: left('記録が残っているため、アーカイブした会社の数です。'),
    restored: z.int().meta({ description: '元の値に戻した会社の数です。', examples: [88] }),
    mailed: left('その後に送信した（送信を待つメールがある）ため残った会社の数です。'),
    reserved: left('予約があるため残った会社の数です。'),
    edited: left('その後に編集・取り込みされたため残った会社の数です（備考は、取り込んだものと違うとき）。'),
    people: z
      .object({
        removed: z.int().meta({ description: '外した人の数です。', examples: [3000] }),
        restored: z.int().meta({ description: '元の値に戻した人の数です。', examples: [12] }),
      })
      .optional()
      .describe('人の取り消しの結果です。人のない取り込みにはありません。'),
  })
  .meta({ schemaName: 'ImportUndo' });
export type UndoCounts = z.infer<typeof undoCounts>;

/* The figures of a check, of an import and of its undo. */

const importCounts = {
  added: z.int().meta({ description: '追加する（した）会社の数です。', examples: [9412] }),
  updated: z.int().meta({ description: '変更する（した）会社の数です。', examples: [88] }),
  unchanged: z.int().meta({ description: '同じ内容の会社の数です。', examples: [500] }),
  refused: z.int().meta({ description: '誤りのある行の数です。', examples: [3] }),
  repeated: z.int().meta({ description: '前の行と同じ会社（または同じ人）の行の数です。', examples: [0] }),
  closed: z.int().meta({ description: '除いた行（閉鎖された会社、合計や注記の行）の数です。', examples: [0] }),
  people: z
    .object({
      added: z.int().meta({ description: '追加する（した）人の数です。', examples: [3000] }),
      updated: z.int().meta({ description: '変更する（した）人の数です。', examples: [12] }),
      unchanged: z.int().meta({ description: '同じ内容の人の数です。', examples: [0] }),
    })
    .optional()
    .describe('相手の人の数です。人のないファイルにはありません。'),
};

const REVIEW_KINDS = [
  'refused',
  'blanked',
  'not_taken',
  'cut_phone',
  'repeated',
  'closed',
  'suppressed',
  'archived',
] as const;
export const reviewKind = z.enum(REVIEW_KINDS).meta({
  description:
    '`refused` 誤りのため取り込まない行、`blanked` 値が読めないため取り込まないセル、' +
    '`not_taken` 同じ会社のほかの行の値を取り込むため、取り込まない値、' +
    '`cut_phone` Excelで先頭の0が消えた電話番号、`repeated` 前の行と同じ会社（または同じ人）、' +
    '`closed` 除いた行（閉鎖された会社、合計や注記の行）、`suppressed` 配信停止に登録済み、`archived` アーカイブ済みの会社です。',
  examples: ['refused'],
});
export type ReviewKind = z.infer<typeof reviewKind>;

/** What to do with telephone numbers that lost their first 0 in a spreadsheet. */
export const cutPhones = z.enum(['mend', 'as_written']).meta({
  description:
    'Excelで先頭の0が消えた電話番号を、0を補って取り込む（`mend`）か、ファイルのまま取り込む（`as_written`）かです。',
  examples: ['mend'],
});

const importReview = z
  .object({
    ...importCounts,
    rows: z.int().meta({ description: '見出しを除く行の数です。', examples: [10_003] }),
    blanked: z.int().meta({ description: '値が読めないため取り込まないセルの数です。', examples: [2] }),
    not_taken: z
      .int()
      .meta({ description: '同じ会社のほかの行の値を取り込むため、取り込まない値の数です。', examples: [0] }),
    new_fields: z
      .array(z.string())
      .optional()
      .meta({
        description: '取り込むときに作る（または使えるように戻す）自社の項目の名前です。',
        examples: [['ランク']],
      }),
    cut_phone: z.int().meta({ description: 'Excelで先頭の0が消えた電話番号の数です。', examples: [0] }),
    phones: cutPhones,
    suppressed: z.int().meta({ description: '配信停止に登録済みの会社の数です。', examples: [12] }),
    archived: z.int().meta({ description: 'アーカイブ済みの会社の数です。', examples: [0] }),
    encoding: z
      .string()
      .meta({ description: '文字コードです。Excelのファイルでは `xlsx` です。', examples: ['cp932'] }),
    ignored_columns: z.array(z.string()).meta({ description: '取り込まない列の見出しです。', examples: [['FAX']] }),
    groups: z
      .array(
        z.object({
          kind: reviewKind,
          column: z.string().meta({ description: '項目です。行全体なら空です。', examples: ['代表メール'] }),
          reason: z.string().meta({ description: '理由です。', examples: ['「@」がありません'] }),
          count: z.int().meta({ description: '行の数です。', examples: [3] }),
        }),
      )
      .describe('誤りなどを理由ごとにまとめたものです。'),
  })
  .meta({ schemaName: 'ImportReview' });
export type ImportReview = z.infer<typeof importReview>;

/** The calls that upload a file and read its beginning. imports-steps.ts has those that check and import it. */

export const ofImport = z.object({ id: idInPath.describe('取り込みのidです。') });
/** The answer of a call that starts a job. */
export const startedJob = z.object({
  status: z.literal('added').describe('受け付けました。'),
  id: id.describe('処理のidです。進み具合は `GET /job/{id}/events` で受け取れます。'),
});

const headHash = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .meta({
    description: `ファイルの先頭${IMPORT_HEAD_BYTES / 1024}KBのSHA-256（16進数）です。再開したファイルが同じものかを確かめます。`,
    examples: ['e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  });

/** The states of an import, as the screens show them. */
export const IMPORT_STATES = [
  'uploading',
  'uploaded',
  'checking',
  'checked',
  'importing',
  'imported',
  'undoing',
  'undone',
] as const;
const importState = z.enum(IMPORT_STATES).meta({
  description:
    '`uploading` アップロード中、`uploaded` アップロード済み、`checking` 確認中、`checked` 確認済み、' +
    '`importing` 取り込み中、`imported` 取り込み済み、`undoing` 取り消し中、`undone` 取り消し済みです。',
  examples: ['uploading'],
});
export type ImportState = z.infer<typeof importState>;

export const startImport = call({
  method: 'POST',
  path: '/import',
  audience: 'integrator',
  summary: 'リスト（CSV・Excel）の取り込みを始める',
  description: `ファイルの名前と大きさを登録します。中身は、続けて \`PUT /import/{id}/content\` で送ります。
${MAX_IMPORT_BYTES / MB}MBまで、
Excel（.xlsx）は${MAX_WORKBOOK_BYTES / MB}MB・${MAX_WORKBOOK_ROWS / 10_000}万行までです。ファイルは${IMPORT_HOURS}時間残り、その間は続きから再開できます。

途中のアップロードは、1人${MAX_MEMBER_UPLOADS}件、アカウント全体で${MAX_OPEN_UPLOADS}件まで、
アカウント全体で保存できるファイルは書き出しと合わせて${fileSize(MAX_STORED_BYTES)}・${MAX_STORED_FILES.toLocaleString('ja-JP')}件までです
（途中のアップロードは、登録した大きさで数えます）。途中のアップロードがいっぱいのときは、
本人のもので${STALLED_UPLOAD_MINUTES}分以上何も届いていない最も古いものか、利用を停止した人のものを破棄して始め、その名前を \`discarded\` で返します。`,
  errors: [['file_too_large', 'ファイルが大きすぎるとき'], 'too_many_uploads', 'account_storage_full'],
  headers: idempotencyHeaders,
  body: z.strictObject({
    add_info: z
      .strictObject({
        name: text(255)
          .min(1)
          .meta({ description: 'ファイルの名前です。', examples: ['見込み客.csv'] }),
        bytes: z
          .int()
          .min(0)
          .max(Number.MAX_SAFE_INTEGER)
          .meta({ description: 'ファイルの大きさ（バイト）です。', examples: [1_250_000] }),
        head_sha256: headHash.optional(),
      })
      .describe('取り込むファイルです。'),
  }),
  response: z.object({
    status: z.literal('added').describe('受け付けました。'),
    id: id.describe('取り込みのidです。'),
    discarded: z
      .array(z.string())
      .meta({ description: '代わりに破棄した、途中のアップロードのファイルの名前です。', examples: [[]] }),
  }),
});

export const uploadImport = call({
  method: 'PUT',
  path: '/import/:id/content',
  audience: 'integrator',
  summary: '取り込むファイルの中身を送る',
  description: `先頭から順に、${MAX_IMPORT_PART_BYTES / MB}MBまでずつ、\`application/octet-stream\` で送ります。
\`start\` が届いている長さと違うときは409です。\`GET /import/{id}\` の \`uploaded\` から送り直してください。
1つの部分を送り終えてから、次の部分を送ってください。アカウント全体で、同時に受け取るのは1つです。`,
  errors: ['wrong_start', 'other_file', 'empty_part'],
  params: ofImport,
  query: z.strictObject({
    start: intInQuery(0, MAX_IMPORT_BYTES).meta({ description: 'この部分の、ファイルの中の位置です。', examples: [0] }),
    head_sha256: headHash.optional(),
  }),
  maxRawBytes: MAX_IMPORT_PART_BYTES,
  response: z.object({
    uploaded: z.int().meta({ description: '届いている長さ（バイト）です。', examples: [1_250_000] }),
  }),
});

const importFields = {
  id: id.describe('取り込みのidです。'),
  name: z.string().meta({ description: 'ファイルの名前です。', examples: ['見込み客.csv'] }),
  state: importState,
  bytes: z
    .int()
    .nullable()
    .meta({ description: '大きさ（バイト）です。', examples: [1_250_000] }),
  uploaded: z
    .int()
    .nullable()
    .meta({
      description: '届いている長さ（バイト）です。取り込んだ後に削除していれば0、期限が過ぎていれば null です。',
      examples: [1_250_000],
    }),
  head_sha256: headHash.nullable().describe('ファイルの先頭のSHA-256です。まだわからなければ null です。'),
  expires_at: z
    .string()
    .nullable()
    .meta({ description: 'この日時まで再開できます。', examples: ['2026/11/21 12:00:00'] }),
  job_id: id.nullable().describe('最後の処理（確認、取り込み、取り消し）のidです。'),
  message: z
    .string()
    .nullable()
    .meta({ description: '最後の処理が失敗したときの理由です。', examples: [null] }),
  remarks_group_name: z
    .string()
    .nullable()
    .meta({
      description: '備考を残す送信者グループの名前です。備考を取り込まなければ null です。',
      examples: ['首都圏営業部'],
    }),
  review: importReview.nullable().describe('確認の結果です。'),
  counts: z.object(importCounts).nullable().describe('取り込みの結果です。'),
  imported_at: z
    .string()
    .nullable()
    .meta({ description: '取り込んだ日時です。', examples: ['2026/11/20 12:00:00'] }),
  undo_until: z
    .string()
    .nullable()
    .meta({ description: 'この日時まで取り消せます。', examples: ['2026/11/21 12:00:00'] }),
  undone: undoCounts.nullable().describe('取り消しの結果です。'),
  own_columns: z
    .array(z.string())
    .optional()
    .meta({
      description:
        '取り込んだ自社の列です。`primary` は主担当、`tags` はタグ、ほかは自社の項目の差し込み名です。' +
        '1件の取り込みが `imported` のときだけあります。',
      examples: [['primary', 'rank']],
    }),
};
const importRow = z.object(importFields).meta({ schemaName: 'Import' });
export type Import = z.infer<typeof importRow>;

export const getImport = call({
  method: 'GET',
  path: '/import/:id',
  audience: 'integrator',
  summary: '取り込みの状態',
  params: ofImport,
  response: importRow,
});
