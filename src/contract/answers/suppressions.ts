import { z } from 'zod';
import { MAX_IMPORT_PART_BYTES } from '#domain/company/import-limits.ts';
import {
  LIFT_REASONS,
  OPT_OUT_REASONS,
  SUPPRESSION_CLASSES,
  SUPPRESSION_KINDS,
  SUPPRESSION_SOURCES,
} from '#domain/law/suppression.ts';
import { parseSuppressionValue } from '#domain/law/suppression-value.ts';
import { MAX_SEARCH_LENGTH } from '#domain/limits.ts';
import { unmarkedCell } from '#domain/text/harmless-cell.ts';
import { isDay } from '#domain/time/calendar.ts';
import { call } from '../call.ts';
import { paging } from '../list.ts';
import { flag, id, idempotencyHeaders, idInPath, idInQuery, MAIL_MESSAGES, memberName, text } from '../wire.ts';

const suppressionKind = z.enum(SUPPRESSION_KINDS).describe('`address` はアドレス、`domain` はドメインです。');
const suppressionClass = z
  .enum(SUPPRESSION_CLASSES)
  .describe('理由です。`refused` は本人の希望、`undeliverable` は宛先不明、`blocked` は自社で禁止です。');
const suppressionSource = z
  .enum(SUPPRESSION_SOURCES)
  .describe(
    '登録元です。`link` は配信停止のページ、`one_click` はメールソフトのワンクリック、`mailto` と `reply` は配信停止のメールと返信、' +
      '`manual` は手動、`csv` はCSV、`smtp` と `dsn` は送信先のサーバー、`complaint` は迷惑メールの報告、' +
      '`sendgrid` はSendGrid、`erased` は個人情報の消去です。',
  );
const suppressedAt = z.string().meta({ description: '登録日時です。', examples: ['2026/11/23 04:09:00'] });

/** Why an address is suppressed, for the pages of a company and of a mail. */
export const suppressionNotice = z.object({
  id: id.describe('配信停止のidです。'),
  kind: suppressionKind,
  class: suppressionClass,
  source: suppressionSource,
  reason: z.string().meta({
    description: '理由の説明です。送信先のサーバーの応答か、`class` の名前です。',
    examples: ['自社で禁止'],
  }),
  created_at: suppressedAt,
});

/** The companies of a row that are named; others are only counted. */
export const MAX_NAMED_COMPANIES = 3;

/** A number of rows, mails or companies. */
const countOf = (description: string, example = 0) => z.int().meta({ description, examples: [example] });

const suppression = z
  .object({
    id: id.describe('配信停止のidです。'),
    kind: suppressionKind,
    value: z.string().meta({ description: 'アドレスか、ドメインです。', examples: ['contact@mizuho.example.jp'] }),
    class: suppressionClass,
    source: suppressionSource,
    reason: z.string().meta({ description: '送信先のサーバーの応答です。なければ空です。', examples: ['550 5.1.1'] }),
    opt_out_reason: z
      .enum(OPT_OUT_REASONS)
      .nullable()
      .meta({
        description:
          '本人が選んだ理由です。`irrelevant` は関係がない、`too_many` は回数が多い、`unknown_sender` は覚えがない、`other` はその他で、選ばなければ null です。',
        examples: [null],
      }),
    note: z.string().meta({ description: 'メモです。', examples: ['電話で受付'] }),
    created_at: suppressedAt,
    created_by: memberName,
    delivery_id: id.nullable().describe('きっかけになった配信のidです。なければ null です。'),
    send_log_id: id.nullable().describe('その送信ログのidです。なければ null です。'),
    companies: z
      .array(z.object({ id: id.describe('見込み客のidです。'), company_name: z.string().describe('会社名です。') }))
      .describe(`このアドレスの見込み客です。${MAX_NAMED_COMPANIES}件までです。ドメインでは空です。`),
    companies_total: countOf('このアドレスの見込み客の数です。ドメインでは0です。', 1),
  })
  .meta({ schemaName: 'Suppression' });
export type SuppressionRow = z.infer<typeof suppression>;

export const suppressionFilter = {
  search: text(MAX_SEARCH_LENGTH).optional().describe('アドレス、ドメインか会社名に含まれる語です。'),
  kind: suppressionKind.optional(),
  class: suppressionClass.optional(),
  source: suppressionSource.optional(),
};

export const viewSuppressions = call({
  method: 'GET',
  path: '/suppression/view',
  audience: 'integrator',
  summary: '配信停止の1ページ',
  description: '新しい順です。1つのアドレスに理由が2つあれば、2行です。解除したものは入りません。',
  query: z.strictObject({
    ...suppressionFilter,
    delivery_id: idInQuery.optional().describe('この配信がきっかけのものです。'),
    ...paging,
  }),
  response: z.object({
    rows: z.array(suppression).describe('配信停止です。'),
    total: countOf('条件に合う件数です。', 1),
    addresses: countOf('登録されているアドレスの数です（条件によりません）。', 128),
    domains: countOf('登録されているドメインの数です（条件によりません）。', 6),
  }),
});

/** The most values of one request, and the most rows of one file. */
const MAX_VALUES = 1000;
export const MAX_SUPPRESSION_ROWS = 200_000;
const MAX_NOTE_LENGTH = 200;
const suppressionValue = z
  .string()
  .transform((written, context) => {
    // The value may be copied from an exported file.
    const { ok, ...parsed } = parseSuppressionValue(unmarkedCell(written.trim()));
    if (ok) return parsed as Extract<ReturnType<typeof parseSuppressionValue>, { ok: true }>;
    const { reason } = parsed as Extract<ReturnType<typeof parseSuppressionValue>, { ok: false }>;
    context.addIssue({ code: 'custom', message: MAIL_MESSAGES[reason] });
    return z.NEVER;
  })
  .meta({ documentedAs: z.string(), examples: ['contact@mizuho.example.jp'] });

/** The classes that a member may set: only the program records a mail server's. */
const givenClass = z
  .enum(['refused', 'blocked'])
  .describe('理由です。`refused` は本人の希望（電話や手紙で受けたものなど）、`blocked` は自社で禁止です。');

const note = text(MAX_NOTE_LENGTH)
  .optional()
  .meta({ description: 'メモです。', examples: ['電話で受付'] });

/** The effects of a new suppression. */
const effects = {
  added: countOf('登録する（した）件数です。', 2),
  already: countOf('同じ理由ですでに登録されている件数です。', 3),
  companies: countOf('対象の見込み客の数です。', 5),
  reserved: countOf('送信前の予約に入っている、対象の見込み客の数です。送信日時に送信対象から外れます。', 2),
  queued: countOf('対象の見込み客への、送信待ちのメールの数です。取り消されます。'),
};

export const addSuppressions = call({
  method: 'POST',
  path: '/suppression',
  audience: 'integrator',
  summary: '配信停止にアドレスかドメインを登録する',
  description: `アカウントのすべての送信者グループから、そのアドレスに送らなくなります。送信待ちのメールは取り消します。

- ドメインは \`@example.co.jp\` の形です。サブドメインのアドレスは対象になりません。
- \`dry_run\` が1なら何も登録せず、件数だけを返します。`,
  errors: ['too_wide_domain'],
  headers: idempotencyHeaders,
  largeBody: true,
  body: z.strictObject({
    add_info: z
      .strictObject({
        values: z
          .array(suppressionValue)
          .min(1, 'アドレスかドメインを入力してください')
          .max(MAX_VALUES, `一度に登録できるのは${MAX_VALUES.toLocaleString('ja-JP')}件までです`)
          .describe(`アドレスか、\`@\` から始まるドメインです。${MAX_VALUES}件までです。`),
        class: givenClass,
        note,
      })
      .meta({ examples: [{ values: ['contact@mizuho.example.jp', '@example.co.jp'], class: 'blocked' }] })
      .describe('登録する内容です。'),
    dry_run: flag.optional().meta({ description: '1なら、何も変えません。', examples: [1] }),
  }),
  response: z.object({ status: z.enum(['added', 'no-added']).describe('登録したかどうかです。'), ...effects }),
});

export const liftSuppression = call({
  method: 'PUT',
  path: '/suppression/:id',
  audience: 'integrator',
  needs: 'admin',
  summary: '配信停止を解除する',
  description: `解除したことは操作の記録に残ります。取り消したメールは元に戻りません。

- 本人の希望（\`refused\`）を解除するには、\`reason\` が必須です。\`asked_again\` は本人から再開の依頼があったとき、\`mistake\` は登録の誤りのときです。
- ほかの理由でも登録されていれば、送信は止まったままです。`,
  errors: [['not_found', '配信停止がないか、ほかのアカウントのものであるとき'], 'refused_by_recipient'],
  params: z.object({ id: idInPath.describe('配信停止のidです。') }),
  body: z.strictObject({
    update_info: z
      .strictObject({
        lifted: z.literal(1).meta({ type: 'integer', description: '1なら解除します。', examples: [1] }),
        reason: z.enum(LIFT_REASONS).optional().describe('解除の理由です。'),
        consented_on: z
          .string()
          .refine(isDay, '日付を確かめてください')
          .optional()
          .meta({ description: '本人が同意した日（`YYYY-MM-DD`）です。', examples: ['2026-11-20'] }),
        note,
      })
      .meta({ examples: [{ lifted: 1, reason: 'asked_again', consented_on: '2026-11-20' }] })
      .describe('変更する項目です。'),
  }),
  response: z.object({ status: z.literal('updated').describe('解除しました。') }),
});

export const importSuppressions = call({
  method: 'POST',
  path: '/suppression/import',
  audience: 'integrator',
  statementSeconds: 120,
  summary: '配信停止をファイルから登録する',
  description: `CSV（UTF-8かShift_JIS）かxlsxの中身を、\`application/octet-stream\` で送ります。\
${MAX_IMPORT_PART_BYTES / 1024 / 1024}MB、${MAX_SUPPRESSION_ROWS.toLocaleString('ja-JP')}行までです。

- \`メールアドレス\` の列か、最初の列を読みます。アドレスか、\`@\` から始まるドメインです。見出しの行はなくてもかまいません。
- 登録するだけで、ファイルにないものを解除することはありません。読めない行は飛ばして、\`faults\` で返します。
- \`dry_run=1\` なら何も登録せず、件数だけを返します。`,
  errors: [
    'unreadable_file',
    ['busy', 'ほかのExcelのファイルをいくつも読んでいるとき。`Retry-After` の秒数を待ってください'],
  ],
  query: z.strictObject({
    class: givenClass,
    dry_run: z
      .enum(['0', '1'])
      .optional()
      .meta({ description: '1なら、何も変えません。', examples: ['1'] }),
  }),
  maxRawBytes: MAX_IMPORT_PART_BYTES,
  response: z.object({
    status: z.enum(['added', 'no-added']).describe('登録したかどうかです。'),
    ...effects,
    faults_total: countOf('読めない行の数です。'),
    faults: z
      .array(
        z.object({
          row: countOf('ファイルの行です。1から数えます。', 3),
          value: z.string().meta({ description: '書かれている値です。', examples: ['example.co.jp'] }),
          message: z.string().meta({ description: '誤りの内容です。', examples: ['メールアドレスに@がありません。'] }),
        }),
      )
      .describe('読めない行です。はじめの100行までです。'),
  }),
});
