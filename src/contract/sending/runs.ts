import { z } from 'zod';
import {
  DEFAULT_RESEND_DAYS,
  MAX_CANDIDATE_DATES,
  MAX_RESEND_DAYS,
  PICKER_MONTHS,
  PICKER_STEP_MINUTES,
} from '#domain/limits.ts';
import { PAUSED_BY } from '#domain/sending/delivery-state.ts';
import { FIRST_TIME, firstAllowedDay, LAST_TIME } from '#domain/sending/picker-window.ts';
import { DAY_MS } from '#domain/time-units.ts';
import { type CallAnswer, call } from '../call.ts';
import { attackList, followUpOf, sendTo, sentTo, skippedTarget, target } from '../companies/attack-list.ts';
import { listConditions } from '../companies/saved-conditions.ts';
import { jsonOr } from '../list.ts';
import { acknowledged, legalFaultsOfTest } from '../senders/legal-profile.ts';
import { MAILBOX_WAITS } from '../senders/mailboxes-names.ts';
import { orderTimes } from '../senders/sending-rules-hours.ts';
import { flag, id, idempotencyHeaders, idInPath } from '../wire.ts';

const timeOfDay = z.string().regex(/^\d{1,2}:\d{2}$/);

/** A meeting slot offered in the mail: date YYYY-MM-DD, times H:mm or HH:mm. */
export const candidateDate = z
  .strictObject({
    date: z
      .string()
      .regex(/^\d{4}-\d{2}-\d{2}$/)
      .meta({
        description: `日付（\`YYYY-MM-DD\`）です。平日で、時間帯の全体が明日${FIRST_TIME}から${PICKER_MONTHS}か月以内に入るものです。`,
        exampleAt: (now: number) => firstAllowedDay(now + 10 * DAY_MS),
      }),
    start_time: timeOfDay.meta({
      description: `開始時刻です。${FIRST_TIME}から${LAST_TIME}までの${PICKER_STEP_MINUTES}分単位です。`,
      examples: ['9:00'],
    }),
    end_time: timeOfDay.meta({
      description: '終了時刻です。開始時刻より後で、同じ範囲と単位です。',
      examples: ['18:00'],
    }),
  })
  .meta({ schemaName: 'CandidateDate' });

/** The candidate dates of a mail; null: it offers none. */
export const candidateDates = jsonOr(z.array(candidateDate).min(1).max(MAX_CANDIDATE_DATES).nullable());

export const startsAt = z.string().meta({
  description: '送信を取り消せる時間の終わりの日時（`YYYY/MM/DD HH:mm:ss`）です。それまで、メールは送られません。',
  examples: ['2026/11/20 12:00:30'],
});

/** Starts a run. days_from_lastday is the re-send interval of the client's list. */
export const sendMail = call({
  method: 'POST',
  path: '/mail/send/:sender_id',
  audience: 'integrator',
  summary: 'アタックリストを送信する（テストモードではテスト送信先に送る）',
  description: `受け付けると、すぐに答えます。メールはそのあとに送られ、進み具合は \`GET /send_log/{id}\` で読めます。送信の記録も自動で残ります。

- 対象は送る前にもう一度判定し、対象外のものは理由とともに \`skipped\` で返します。ほかのものはそのまま送ります。
- 送れるものが1件もなければ \`no-added\` です。送信の記録は残りません。
- 宛先は見込み客に登録されたメールアドレス（\`send_to\` を指定すると、主担当のメールアドレス）です。\`company_email\` はテストモードのときだけ、テスト送信先として使います。
- \`Idempotency-Key\` を付けると、同じキーと同じ内容の2回目からは送らず、最初の答えを返します。通信が切れてやり直すときに、二重の送信を防げます。\
\`no-added\` は何もしていないので、同じキーで再び判定します。
- テストモードの送信は、送信済みに数えません。
- 送信を取り消せる時間があれば、答えに \`starts_at\` が入ります。それまでは \`PUT /send_log/{id}\` の \`cancelled\` で、1通も送らずに取り消せます。`,
  errors: [
    'not_in_group',
    'invalid_candidate_date',
    'invalid_test_address',
    'invalid_template',
    'no_sendgrid_template',
    'legal_incomplete',
    'not_connected',
    'sender_unconfirmed',
  ],
  params: z.object({ sender_id: idInPath.describe('送信者（テンプレート）のidです。') }),
  headers: idempotencyHeaders,
  largeBody: true,
  body: z.strictObject({
    test_send_mode: flag.meta({ description: 'テスト送信先に送るなら1、本当に送るなら0です。', examples: [1] }),
    attack_list: attackList(target).describe('送信対象です。'),
    datetime_list: candidateDates.optional().describe('メールに入れる候補日です。入れないなら null か省略です。'),
    days_from_lastday: z
      .int()
      .min(0)
      .max(MAX_RESEND_DAYS)
      .optional()
      .describe(
        `再送信間隔（日）です。省略すると${DEFAULT_RESEND_DAYS}日です。0なら、送信したばかりの見込み客にも送ります。`,
      ),
    follow_up_of: followUpOf,
    list_conditions: listConditions,
    acknowledged,
    send_to: sendTo,
  }),
  response: z.object({
    status: z
      .enum(['accepted', 'no-added'])
      .meta({ description: '受け付けたか、送れるものがなかったかです。', examples: ['accepted'] }),
    send_log_id: id.nullable().describe('送信ログのidです。`no-added` なら null です。'),
    accepted: z.int().meta({ description: '送る件数です。', examples: [1] }),
    skipped: z.array(skippedTarget).meta({ description: '対象外になったものです。', examples: [[]] }),
    starts_at: startsAt.optional(),
    legal_faults: legalFaultsOfTest,
    ...orderTimes,
  }),
});

export type SendAnswer = CallAnswer<typeof sendMail>;

/**
 * The progress of a run, in mails. `sending` includes claimed mails.
 * targets = queued + sending + sent + failed + unknown + cancelled
 */
export const run = z
  .object({
    id: id.describe('送信ログのidです。'),
    test_send_mode: flag.describe('テストモードなら1です。'),
    sent_at: z
      .string()
      .meta({ description: '受け付けた日時（`YYYY/MM/DD HH:mm:ss`）です。', examples: ['2026/11/20 12:00:00'] }),
    starts_at: startsAt.nullable().meta({
      description:
        '送信を取り消せる時間の終わりの日時（`YYYY/MM/DD HH:mm:ss`）です。それまで、メールは送られません。取り消せる時間のない送信では null です。',
      examples: [null],
    }),
    group_name: z.string().meta({ description: '送信者グループの名前です。', examples: ['営業部'] }),
    send_to: sentTo,
    subject: z.string().meta({
      description: '件名です。差し込み項目は、テンプレートに書かれたままです。',
      examples: ['受発注業務の効率化のご提案'],
    }),
    targets: z.int().meta({ description: '全体の件数です。', examples: [96] }),
    queued: z.int().meta({ description: '送信待ちの件数です。', examples: [40] }),
    sending: z.int().meta({ description: '送信中の件数です。', examples: [4] }),
    sent: z.int().meta({ description: 'メールサーバーが受け取った件数です。', examples: [50] }),
    failed: z.int().meta({ description: '送れなかった件数です。', examples: [1] }),
    unknown: z.int().meta({ description: '届いたかどうかわからない件数です。自動では送り直しません。', examples: [0] }),
    cancelled: z
      .int()
      .meta({ description: '対象外になったか、送信の取り消しまたは中止で、送らなかった件数です。', examples: [1] }),
    replied: z.int().meta({ description: '返信のあったメールの件数です。自動返信は数えません。', examples: [1] }),
    replied_by_hand: z.int().meta({
      description: '`replied` のうち、返信が届いてはいず、利用者が「返信を記録」で記録したメールの件数です。',
      examples: [0],
    }),
    refused: z.int().meta({
      description: '受け取った人が配信停止を希望したメールの件数です。本人が取り消したものは数えません。',
      examples: [0],
    }),
    archived: z.int().meta({
      description: '保存期間を過ぎて宛先を消した件数です。上の件数に含みます。再送信とフォローアップはできません。',
      examples: [0],
    }),
    finished: z.boolean().meta({ description: 'すべて終わったかどうかです。', examples: [false] }),
    undone: flag.meta({
      description: '取り消せる時間のある送信（`starts_at`）を、1通も送らないうちに取り消したなら1です。',
      examples: [0],
    }),
    paused_by: z
      .enum(PAUSED_BY)
      .nullable()
      .meta({
        description:
          '一時停止しているとき、だれが止めたかです。利用者（`user`）、差出人を拒否したメールサーバー（`sender_refused`）、' +
          '送ったあとに戻ったメールで、送信元を続けて拒否した宛先のサーバー（`policy_bounces`）。送信時間を待つあいだに候補日が過ぎると' +
          '`dates_over`、バックアップから復元した時点で送信が終わっていなければ `restored` です。止まっていなければ null です。',
        examples: [null],
      }),
    transport_paused_until: z
      .string()
      .nullable()
      .meta({
        description:
          'メールサーバーに接続できないか、全体の送信の上限に達したため、すべての送信を待っているとき、次に試す日時' +
          '（`YYYY/MM/DD HH:mm:ss`）です。待っていなければ null です。',
        examples: [null],
      }),
    limited_until: z
      .string()
      .nullable()
      .meta({
        description:
          'メールサーバーの送信の上限に達したため、この送信者、またはすべての送信を待っているとき、' +
          '遅くとも送信を再開する見込みの日時（`YYYY/MM/DD HH:mm:ss`）です。それまでも、15分ごとに1通ずつ試します。' +
          '待っていなければ null です。',
        examples: [null],
      }),
    mailbox_wait: z
      .enum(MAILBOX_WAITS)
      .nullable()
      .meta({
        description:
          '差出人のメールボックスのために送信を待っている理由です。つながらない（`fault`）、送信の上限（`limited`）、接続の数' +
          '（`crowded`）、ログインできない（`log_in`）、つながれていない（`disconnected`）、返信を受信できない（`unread`）。' +
          '待っていなければ null です。',
        examples: [null],
      }),
    mailbox_until: z
      .string()
      .nullable()
      .meta({
        description:
          'そのために待っているとき、次に試す日時（`YYYY/MM/DD HH:mm:ss`）です。利用者がつなぐまで待つときは null です。',
        examples: [null],
      }),
    database_rewound: z.boolean().meta({
      description:
        'データベースが過去の状態（復元したバックアップなど）に戻り、送ったメールの記録が欠けているため、すべての送信を止めているかどうかです。',
      examples: [false],
    }),
    put_off_until: z
      .string()
      .nullable()
      .meta({
        description:
          '送信時間外のため、または1日の上限に達したため、送信を待っているとき、送信を始める日時（`YYYY/MM/DD HH:mm:ss`）です。待っていなければ null です。',
        examples: [null],
      }),
    put_off_reason: z
      .string()
      .nullable()
      .meta({ description: '`put_off_until` まで待つ理由です。待っていなければ null です。', examples: [null] }),
    put_off_by: z
      .enum(['hours', 'limit'])
      .nullable()
      .meta({
        description:
          '`put_off_until` まで待つのが、送信時間外のため（`hours`）か、1日の上限のため（`limit`）かです。待っていなければ null です。',
        examples: [null],
      }),
    estimated_end_at: z
      .string()
      .nullable()
      .meta({
        description:
          '終了予定の日時（`YYYY/MM/DD HH:mm:ss`）です。送信者の送信速度と、前に並んでいるメールから見積もります。終わった送信、止まっている送信、まだ速度がわからない送信では null です。',
        examples: ['2026/11/20 12:03:00'],
      }),
  })
  .meta({ schemaName: 'Run' });
export type Run = z.infer<typeof run>;

export const getSendLog = call({
  method: 'GET',
  path: '/send_log/:id',
  audience: 'integrator',
  summary: '1回の送信の進み具合',
  description: '`targets` は、いつでも `queued`、`sending`、`sent`、`failed`、`unknown`、`cancelled` の合計です。',
  params: z.object({ id: idInPath.describe('送信ログのidです。') }),
  response: run,
});
