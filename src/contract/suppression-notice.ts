import { z } from 'zod';
import { SUPPRESSION_CLASSES, SUPPRESSION_KINDS, SUPPRESSION_SOURCES } from '#domain/law/suppression.ts';
import { id } from './wire.ts';

export const suppressionKind = z.enum(SUPPRESSION_KINDS).describe('`address` はアドレス、`domain` はドメインです。');
export const suppressionClass = z
  .enum(SUPPRESSION_CLASSES)
  .describe('理由です。`refused` は本人の希望、`undeliverable` は宛先不明、`blocked` は自社で禁止です。');
export const suppressionSource = z
  .enum(SUPPRESSION_SOURCES)
  .describe(
    '登録元です。`link` は配信停止のページ、`one_click` はメールソフトのワンクリック、`mailto` と `reply` は配信停止のメールと返信、' +
      '`manual` は手動、`csv` はCSV、`smtp` と `dsn` は送信先のサーバー、`complaint` は迷惑メールの報告、' +
      '`sendgrid` はSendGrid、`erased` は個人情報の消去です。',
  );
export const suppressedAt = z.string().meta({ description: '登録日時です。', examples: ['2026/11/23 04:09:00'] });

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
