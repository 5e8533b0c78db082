import { z } from 'zod';
import { MAX_SEARCH_LENGTH } from '#domain/limits.ts';
import { DELIVERY_REASONS, PAUSED_BY, SHOWN_STATES } from '#domain/sending/delivery-state.ts';
import { call } from './call.ts';
import { failureCause } from './failure-cause.ts';
import { finishedMail } from './mail-preview.ts';
import { paging, total } from './paging.ts';
import { suppressionNotice } from './suppression-notice.ts';
import { flag, id, idInPath, text as textOf } from './wire.ts';

const instant = z.string().nullable();

/** One mail of a run. */
const delivery = z
  .object({
    id: id.describe('配信（1通のメール）のidです。'),
    prospect_id: id.describe('見込み客のidです。'),
    company_name: z.string().meta({ description: '会社名です。', examples: ['株式会社みどり製作所'] }),
    mail_to: z
      .string()
      .nullable()
      .meta({ description: '宛先です。メールアドレスがなければ null です。', examples: ['info@midori.example.jp'] }),
    state: z.enum(SHOWN_STATES).meta({ description: '状態です。', examples: ['sent'] }),
    reason: z
      .enum(DELIVERY_REASONS)
      .nullable()
      .meta({
        description:
          '対象外になった理由です。中止したものは `run_cancelled`、送信済みとして扱ったものは `counted_as_sent` です。',
        examples: [null],
      }),
    cause: failureCause,
    attempts: z.int().meta({ description: '送信を試した回数です。', examples: [1] }),
    claim_no: z
      .int()
      .meta({ description: '扱いを決めるとき（`PUT /delivery/{id}`）に指定する番号です。', examples: [1] }),
    finished_at: instant.meta({
      description: '送信が終わった日時（`YYYY/MM/DD HH:mm:ss`）です。終わっていなければ null です。',
      examples: ['2026/11/20 12:00:03'],
    }),
    delivered_at: instant.meta({
      description:
        '相手のメールサーバーが受け取った日時です。SendGridで送り、その知らせが届いたときだけ入り、それまでは null です。',
      examples: [null],
    }),
    next_try_at: instant.meta({
      description: '送信待ちのとき、次に送信を試す日時です。一時停止中と、送信待ちでないときは null です。',
      examples: [null],
    }),
    smtp_reply: z
      .string()
      .nullable()
      .meta({ description: 'メールサーバーの最後の応答です。', examples: ['250 2.0.0 Ok: queued as 4F2A1'] }),
    archived: z
      .boolean()
      .meta({ description: '保存期間を過ぎて保管に移したメールかどうかです。再送信はできません。', examples: [false] }),
  })
  .meta({ schemaName: 'Delivery' });
export type DeliveryRow = z.infer<typeof delivery>;

export const deliveryFilter = {
  state: z.enum(SHOWN_STATES).optional().describe('状態です。省略するとすべてです。'),
  search: textOf(MAX_SEARCH_LENGTH)
    .optional()
    .describe('会社名に含まれる語です。空白で区切ると、すべてを含むものです。'),
};

export const viewDeliveries = call({
  method: 'GET',
  path: '/send_log/:id/deliveries',
  summary: '1回の送信の、1通ごとの結果',
  description: 'アタックリストの順です。',
  params: z.object({ id: idInPath.describe('送信ログのidです。') }),
  query: z.strictObject({ ...deliveryFilter, ...paging }),
  response: z.object({ rows: z.array(delivery).describe('配信です。'), total }),
});

const { subject, from, to, text, html } = finishedMail.shape;

export const getDelivery = call({
  method: 'GET',
  path: '/delivery/:id',
  summary: '送った1通のメール',
  description:
    '結果と、件名・差出人・宛先・本文です。送る前のメールも、送られるとおりに返します。メールを作れない配信では、`mail` は null です。',
  params: z.object({ id: idInPath.describe('配信のidです。') }),
  response: delivery.extend({
    send_log_id: id.describe('送信ログのidです。'),
    sender_group_id: id.describe('送信者グループのidです。'),
    test_send_mode: flag.describe('テストモードなら1です。'),
    run_paused_by: z
      .enum(PAUSED_BY)
      .nullable()
      .meta({
        description: '終わっていない送信が一時停止しているとき、だれが止めたかです（`Run` の `paused_by`）。',
        examples: [null],
      }),
    mail: z.object({ subject, from, to, text, html }).nullable().describe('メールです。'),
    suppressed: suppressionNotice.nullable().describe('宛先の配信停止です。配信停止でなければ null です。'),
  }),
});
