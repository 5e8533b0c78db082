import { z } from 'zod';
import { SKIP_REASONS } from '#domain/eligibility.ts';
import { MAX_RESEND_DAYS, MAX_TARGETS } from '#domain/limits.ts';
import { call } from './call.ts';
import { emailText, flag, id, idInPath, jsonOr, text } from './wire.ts';

/**
 * A target as a client sends it. The server goes by prospect_id alone; company_email counts in test mode only, where it is
 * the test address (a `[n]` left in it becomes the row's index).
 */
const target = z.strictObject({
  prospect_id: id,
  company_name: text(1000).optional(),
  company_email: emailText.optional(),
  person_in_charge: text(1000).optional(),
});

/** A meeting slot offered in the mail: date YYYY-MM-DD, times H:mm or HH:mm. */
const candidateDate = z.strictObject({
  date: z.string().regex(/^\d{4}-\d{2}-\d{2}$/),
  start_time: z.string().regex(/^\d{1,2}:\d{2}$/),
  end_time: z.string().regex(/^\d{1,2}:\d{2}$/),
});

export const skippedTarget = z.object({ prospect_id: id, reason: z.enum(SKIP_REASONS) });

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
    attack_list: jsonOr(z.array(target).min(1, 'アタックリストが0件です').max(MAX_TARGETS)),
    datetime_list: jsonOr(z.array(candidateDate).min(1).max(100).nullable()).optional(),
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
