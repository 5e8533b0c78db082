import { z } from 'zod';
import { OPT_OUT_REASONS } from '#domain/law/suppression.ts';
import { MAX_SEARCH_LENGTH } from '#domain/limits.ts';
import { call } from './call.ts';
import { memberName } from './member-name.ts';
import { paging } from './paging.ts';
import { suppressedAt, suppressionClass, suppressionKind, suppressionSource } from './suppression-notice.ts';
import { id, idInQuery, text } from './wire.ts';

/** Companies of a row that are named; the others are counted. */
export const MAX_NAMED_COMPANIES = 3;

/** A number of rows, mails or companies. */
export const countOf = (description: string, example = 0) => z.int().meta({ description, examples: [example] });

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
