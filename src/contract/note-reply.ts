import { z } from 'zod';
import { call } from './call.ts';
import { id, idempotencyHeaders, text } from './wire.ts';

const MAX_NOTE_LENGTH = 200;

export const addReply = call({
  method: 'POST',
  path: '/reply',
  summary: '会社に「返信あり」の印を付ける',
  description:
    '電話や、担当者のメールボックスで受けた返信を記録します。送信待ちのメールは取り消します。まだ対応済みにしていない返信がある会社では、何もせずに `no-added` を返します。',
  errors: { not_found: { status: 404, when: '見込み客がないか、ほかのアカウントのものであるとき' } },
  headers: idempotencyHeaders,
  body: z.strictObject({
    add_info: z
      .strictObject({
        prospect_id: id.describe('見込み客のidです。'),
        note: text(MAX_NOTE_LENGTH)
          .optional()
          .meta({ description: 'メモです。', examples: ['電話で返事がありました'] }),
      })
      .describe('付ける印です。'),
  }),
  response: z.object({
    status: z.enum(['added', 'no-added']).describe('印を付けたかどうかです。'),
    id: id.describe('返信のidです。`no-added` なら、すでにある返信のidです。'),
  }),
});
