import { z } from 'zod';

/* The figures of a check, of an import and of its undo. */

export const importCounts = {
  added: z.int().meta({ description: '追加する（した）会社の数です。', examples: [9412] }),
  updated: z.int().meta({ description: '変更する（した）会社の数です。', examples: [88] }),
  unchanged: z.int().meta({ description: '同じ内容の会社の数です。', examples: [500] }),
  refused: z.int().meta({ description: '誤りのある行の数です。', examples: [3] }),
  repeated: z.int().meta({ description: '前の行と同じ会社の行の数です。', examples: [0] }),
  closed: z.int().meta({ description: '除いた行（閉鎖された会社、合計や注記の行）の数です。', examples: [0] }),
};

export const reviewKind = z.enum(['refused', 'blanked', 'repeated', 'closed', 'suppressed', 'archived']).meta({
  description:
    '`refused` 誤りのため取り込まない行、`blanked` 値が読めないため取り込まないセル、`repeated` 前の行と同じ会社、' +
    '`closed` 除いた行（閉鎖された会社、合計や注記の行）、`suppressed` 配信停止に登録済み、`archived` アーカイブ済みの会社です。',
  examples: ['refused'],
});
export type ReviewKind = z.infer<typeof reviewKind>;

export const importReview = z
  .object({
    ...importCounts,
    rows: z.int().meta({ description: '見出しを除く行の数です。', examples: [10_003] }),
    blanked: z.int().meta({ description: '値が読めないため取り込まないセルの数です。', examples: [2] }),
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
