import { z } from 'zod';
import { MAX_RESEND_DAYS, MAX_SEARCH_LENGTH } from '#domain/limits.ts';
import { DELIVERY_REASONS, PAUSED_BY, RUN_STATES, SHOWN_STATES } from '#domain/sending/delivery-state.ts';
import { isDay } from '#domain/time/calendar.ts';
import { suppressionNotice } from '../answers/suppressions.ts';
import { call } from '../call.ts';
import { attackList, skippedTarget, target } from '../companies/attack-list.ts';
import { mailedPerson } from '../companies/people.ts';
import { recordedConditions } from '../companies/saved-conditions.ts';
import {
  dateTime,
  dateTimeOrBounds,
  flagFilter,
  idFilter,
  idOrBounds,
  MAX_LIST_ROWS_WITH_ATTACK_LIST,
  paging,
  total,
  wholeListCall,
} from '../list.ts';
import { unreadCount } from '../notices/notices.ts';
import { failureCause, flag, id, idInPath, memberName, text as textOf } from '../wire.ts';
import { finishedMail } from './mail-preview.ts';
import { run } from './runs.ts';

export const listSendLogs = wholeListCall({
  path: '/send_log/list',
  name: 'SendLog',
  summary: '送信ログの一覧',
  description:
    '新しい順（idの大きい順）です。`attack_list` は、メールを送った見込み客（送信済みと連絡不明）のidです。送信待ち・失敗・取り消しは入りません。ツールの外で送った記録では、記録した見込み客のid、' +
    '`sender_id` は null です。`sent_at` は日本時間の `YYYY/MM/DD HH:mm:ss` です。' +
    '`limit` を指定したときの続きは `where_info[id][lt]` に最後のidを指定すると取得できます。',
  where: {
    id: idOrBounds,
    sender_group_id: idFilter.meta({ examples: [1] }),
    sender_id: idFilter,
    test_send_mode: flagFilter.meta({ examples: [0] }),
    sent_at: dateTimeOrBounds,
  },
  row: z.object({
    id: id.describe('送信ログのidです。'),
    sender_group_id: id.describe('送信者グループのidです。'),
    sender_id: id.nullable().describe('送信者のidです。'),
    sent_at: z.string().meta({ description: '送信日時です。', examples: ['2026/11/20 12:00:00'] }),
    attack_list: z.array(id).meta({ description: '送った見込み客のidです。', examples: [[1, 2, 5]] }),
    test_send_mode: flag.describe('テストモードなら1です。'),
  }),
  maxRows: MAX_LIST_ROWS_WITH_ATTACK_LIST,
});

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
    person: mailedPerson,
    state: z.enum(SHOWN_STATES).meta({ description: '状態です。', examples: ['sent'] }),
    reason: z
      .enum(DELIVERY_REASONS)
      .nullable()
      .meta({
        description:
          '対象外になった理由です。送信を取り消したか中止したものは `run_cancelled`、送信済みとして扱ったものは `counted_as_sent` です。',
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
      .meta({ description: '保存期間を過ぎて宛先を消したメールかどうかです。再送信はできません。', examples: [false] }),
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
  audience: 'integrator',
  summary: '1回の送信の、1通ごとの結果',
  description: 'アタックリストの順です。',
  params: z.object({ id: idInPath.describe('送信ログのidです。') }),
  query: z.strictObject({
    ...deliveryFilter,
    ...paging,
    order: z
      .enum(['failed_first'])
      .optional()
      .describe('`failed_first` なら、失敗したメールを先に、それぞれアタックリストの順に並べます。'),
  }),
  response: z.object({ rows: z.array(delivery).describe('配信です。'), total }),
});

const { subject, from, to, text, html } = finishedMail.shape;

export const getDelivery = call({
  method: 'GET',
  path: '/delivery/:id',
  audience: 'integrator',
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

const day = (description: string) =>
  z
    .string()
    .refine(isDay, '日付は YYYY-MM-DD の形で指定してください')
    .optional()
    .meta({ description, examples: ['2026-11-01'] });

/** The filters of the history, in addition to the search. */
export const runFilter = {
  from: day('この日（日本時間）からの送信です。'),
  to: day('この日（日本時間）までの送信です。'),
  state: z
    .enum(RUN_STATES)
    .optional()
    .describe('`sending` は送信中か送信待ち、`paused` は一時停止中、`finished` は終わった送信です。'),
  search: textOf(MAX_SEARCH_LENGTH).optional().describe('件名に含まれる語です。空白で区切ると、すべてを含むものです。'),
};

const listedRun = run.extend({ member_name: memberName });
export type ListedRun = z.infer<typeof listedRun>;

export const viewSendLogs = call({
  method: 'GET',
  path: '/send_log/view',
  summary: '送信履歴の1ページ',
  query: z.strictObject({
    ...runFilter,
    sender_group_id: idFilter.describe('送信者グループのidです。'),
    template_id: idFilter.describe('テンプレートのidです。'),
    test_send_mode: flagFilter.describe('0なら本番の送信だけ、1ならテスト送信だけです。'),
    ...paging,
  }),
  response: z.object({
    rows: z.array(listedRun).describe('送信です。'),
    total,
    database_rewound: z.boolean().describe('過去の状態に戻ったデータベースで、すべての送信を止めているかどうかです。'),
  }),
});

export const viewRunOrigin = call({
  method: 'GET',
  path: '/send_log/:id/origin',
  summary: '1回の送信の実行者・差出人・条件と、対象外の件数',
  params: z.object({ id: idInPath.describe('送信ログのidです。') }),
  response: z.object({
    member_name: memberName,
    sender_group_id: id.describe('送信者グループのidです。'),
    sender_id: id.describe('送信者のidです。'),
    from: finishedMail.shape.from,
    days_from_lastday: z.int().describe('再送信間隔（日）です。'),
    list_conditions: recordedConditions,
    companies_chosen: z
      .boolean()
      .describe('条件ではなく、会社を1社ずつ選んだリストに送ったなら true です。記録がなければ false です。'),
    left_out: z
      .array(
        z.object({
          reason: z.enum(DELIVERY_REASONS).describe('理由です。'),
          count: z.int().describe('件数です。'),
        }),
      )
      .describe('対象外になって送らなかったメールの、理由別の件数です。'),
  }),
});

export const recordSendLog = call({
  method: 'POST',
  path: '/send_log',
  audience: 'integrator',
  summary: 'このツールの外で送ったメールを記録する',
  description: `記録した見込み客は、その日時に送信済みとして扱います（再送信間隔の判定と最終送信日時に反映します）。このツールから送ったメールは自動で記録するので、この呼び出しは要りません。

- \`attack_list\` は見込み客のid、または \`prospect_id\` を含むオブジェクトの配列です。
- \`sent_at\` は省略すると現在の日時です。未来の日時と、${MAX_RESEND_DAYS}日より前の日時は記録できません。
- 自分のリストにない見込み客は \`not_found\`、2回目以降の同じ見込み客は \`duplicate\` として \`skipped\` で返します。記録するものがなければ \`no-added\` です。何も保存せず、\
\`id\` は null です。`,
  errors: [
    'not_in_group',
    'invalid_sent_at',
    ['not_found', '送信者グループがないか、ほかのアカウントのものであるとき'],
  ],
  largeBody: true,
  body: z.strictObject({
    sender_group_id: id.describe('送信者グループのidです。'),
    attack_list: attackList(z.union([id, target])).meta({ description: '送った見込み客です。', examples: [[1, 2, 5]] }),
    sent_at: dateTime.optional().describe('送信日時です。'),
    test_send_mode: z.literal(0).optional().describe('記録できるのは、本当に送ったメールだけです。'),
  }),
  response: z.object({
    status: z.enum(['added', 'no-added']).describe('記録したか、記録するものがなかったかです。'),
    id: id.nullable().describe('送信ログのidです。'),
    skipped: z.array(skippedTarget).describe('記録しなかったものです。'),
  }),
});

/** Streams until the client disconnects. */
export const followSendLogs = call({
  method: 'GET',
  path: '/send_log/events',
  summary: '送信の進み具合を、変わるたびに受け取る（Server-Sent Events）',
  errors: ['too_many_streams'],
  response: z.union([run, unreadCount]),
  isStream: true,
});
