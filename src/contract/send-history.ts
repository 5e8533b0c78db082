import { z } from 'zod';
import { isDay } from '#domain/calendar.ts';
import { DELIVERY_REASONS, RUN_STATES } from '#domain/delivery-state.ts';
import { MAX_SEARCH_LENGTH, MAX_STREAMS } from '#domain/limits.ts';
import { call } from './call.ts';
import { flagFilter, idFilter } from './list-call.ts';
import { recordedConditions } from './list-conditions.ts';
import { finishedMail } from './mail-preview.ts';
import { memberName } from './member-name.ts';
import { unreadCount } from './notice.ts';
import { paging, total } from './paging.ts';
import { run } from './sending.ts';
import { id, idInPath, text } from './wire.ts';

const day = (description: string) =>
  z
    .string()
    .refine(isDay, '日付は YYYY-MM-DD の形で指定してください')
    .optional()
    .meta({ description, examples: ['2026-11-01'] });

/** What the history is narrowed to. A person searches within it. */
export const runFilter = {
  from: day('この日（日本時間）からの送信です。'),
  to: day('この日（日本時間）までの送信です。'),
  state: z
    .enum(RUN_STATES)
    .optional()
    .describe('`sending` は送信中か送信待ち、`paused` は一時停止中、`finished` は終わった送信です。'),
  search: text(MAX_SEARCH_LENGTH).optional().describe('件名に含まれる語です。空白で区切ると、すべてを含むものです。'),
};

const listedRun = run.extend({ member_name: memberName }).meta({ schemaName: 'ListedRun' });
export type ListedRun = z.infer<typeof listedRun>;

export const viewSendLogs = call({
  method: 'GET',
  path: '/send_log/view',
  summary: '送信履歴の1ページ',
  description:
    'このツールから送った送信を、新しい順に返します。予約から始まった送信とテスト送信も入ります。ツールの外で送った記録は入りません。',
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
    database_rewound: z.boolean().meta({
      description:
        'データベースが過去の状態に戻ったため、運用者の確認を待って、すべての送信と予約を止めているなら true です。',
      examples: [false],
    }),
  }),
});

export const viewRunOrigin = call({
  method: 'GET',
  path: '/send_log/:id/origin',
  summary: '1回の送信の実行者・差出人・条件と、対象外の件数',
  description:
    'だれが、どの送信者から、どの条件のリストに送ったかと、取り消したメールの理由別の件数です。ツールの外で送った記録では 404 です。',
  params: z.object({ id: idInPath.describe('送信ログのidです。') }),
  response: z.object({
    member_name: memberName,
    sender_group_id: id.describe('送信者グループのidです。'),
    sender_id: id.describe('送信者のidです。'),
    from: finishedMail.shape.from,
    days_from_lastday: z.int().meta({ description: '再送信間隔（日）です。', examples: [7] }),
    list_conditions: recordedConditions,
    left_out: z
      .array(
        z.object({
          reason: z.enum(DELIVERY_REASONS).describe('理由です。'),
          count: z.int().describe('件数です。'),
        }),
      )
      .meta({
        description:
          '対象外になって送らなかったメールの、理由別の件数です。多い順です。中止したもの（`run_cancelled`）は入りません。',
        examples: [[{ reason: 'suppressed', count: 2 }]],
      }),
  }),
});

/** Streams until the client disconnects. */
export const followSendLogs = call({
  method: 'GET',
  path: '/send_log/events',
  summary: '送信の進み具合を、変わるたびに受け取る（Server-Sent Events）',
  description: `応答は \`text/event-stream\` で、閉じるまで続きます。\`event: run\` の \`data\` に、\
\`GET /send_log/{id}\` と同じJSONが1行で入ります。\`event: notices\` の \`data\` は、自分への未読の通知の数（\`{"unread":3}\`）です。

- 最初に、終わっていない送信すべてと、未読の通知の数を送ります。そのあとは、変わった送信と新しい送信を、1秒ほどで送ります。
- 15秒ごとに、コメントの行（\`:\`）を送ります。ログアウトするか、ログインの有効期限が切れると、応答は終わります。
- axios では受け取れません。ブラウザーでは \`fetch\` の \`response.body\` を読んでください。受け取れないときは、\`GET /send_log/{id}\` をくり返し呼び出してください。`,
  errors: { too_many_streams: { status: 429, when: `同じアカウントで${MAX_STREAMS}本より多く開いたとき` } },
  response: z.union([run, unreadCount]),
  isStream: true,
});
