import { z } from 'zod';
import { MAX_RESEND_DAYS } from '#domain/limits.ts';
import { call } from './call.ts';
import { attackList, candidateDates, skippedTarget, target } from './target.ts';
import { flag, id, idInPath } from './wire.ts';

/**
 * Header `Idempotency-Key` (optional, 8–200 characters): the same key with the same body answers the first result again,
 * with another body 409. days_from_lastday: the interval the client's list was made with.
 */
export const sendMail = call({
  method: 'POST',
  path: '/mail/send/:sender_id',
  summary: 'アタックリストを送信する（テストモードではテスト送信先に送る）',
  params: z.object({ sender_id: idInPath }),
  headers: z.object({
    'idempotency-key': z
      .string()
      .regex(/^[\x21-\x7e]{8,200}$/, '操作の識別子（Idempotency-Key）は8〜200文字の英数字・記号にしてください')
      .optional(),
  }),
  body: z.strictObject({
    test_send_mode: flag,
    attack_list: attackList(target),
    datetime_list: candidateDates.optional(),
    days_from_lastday: z.int().min(1).max(MAX_RESEND_DAYS).optional(),
  }),
  response: z.object({
    status: z.literal('accepted'),
    send_log_id: id,
    accepted: z.int(),
    skipped: z.array(skippedTarget),
  }),
});

/** How far a run is. targets = queued + sending + sent + failed + unknown + cancelled; `sending` counts claimed ones too. */
export const getSendLog = call({
  method: 'GET',
  path: '/send_log/:id',
  summary: '1回の送信の進み具合',
  params: z.object({ id: idInPath }),
  response: z.object({
    id,
    test_send_mode: flag,
    sent_at: z.string(),
    targets: z.int(),
    queued: z.int(),
    sending: z.int(),
    sent: z.int(),
    failed: z.int(),
    unknown: z.int(),
    cancelled: z.int(),
    finished: z.boolean(),
  }),
});
