import { z } from 'zod';
import { NOTICE_DAYS, NOTICE_KINDS, NOTICE_SUBJECTS_MAX, NOTICE_WINDOW_MINUTES } from '#domain/account/notice.ts';
import { call } from './call.ts';
import { flagFilter, listCall } from './list.ts';
import { flag, id, idInPath } from './wire.ts';

export const unreadCount = z.object({
  unread: z.int().meta({ description: '未読の通知の数です。', examples: [3] }),
});

export const countUnreadNotices = call({
  method: 'GET',
  path: '/notice/unread',
  summary: '自分への未読の通知の数',
  description: '変わるたびに受け取るには、`GET /send_log/events` の `notices` を使います。',
  response: unreadCount,
});

const kind = z.enum(NOTICE_KINDS).meta({
  description:
    '`run_ended`（送信が終わった）、`failures`（失敗が、決めた割合を超えた）、`stopped`（送信が止まった）、' +
    '`reservation_missed`（予約が送信されなかった）、`reply`（返信が来た）、`doubtful_reply`（配信停止の希望かもしれない返信が来た）、`refusal`（配信停止の希望が来た）、' +
    '`import_ended`（取り込みが終わった）、`domain_bad`（差出人のドメインの設定に問題が出た）、' +
    '`restored`（バックアップから復元したため、送信と予約が止まっている）、' +
    '`receipts_unwritable`（送信の記録をサーバーのディスクに保存できない）のどれかです。',
  examples: ['reply'],
});

const instant = z.string();

export const listNotices = listCall({
  path: '/notice/list',
  name: 'Notice',
  summary: '自分への通知の一覧',
  description:
    `${NOTICE_DAYS}日以内の通知を、新しい順に返します。同じ種類の出来事は、未読のあいだ${NOTICE_WINDOW_MINUTES}分以内なら、` +
    '1件にまとめて数えます。画面に出さない設定の種類は含みません。テスト送信の終わりは通知しません。',
  where: { is_read: flagFilter },
  row: z.object({
    id: id.describe('通知のidです。'),
    kind,
    count: z.int().meta({ description: 'まとめた出来事の数です。', examples: [2] }),
    percent: z
      .int()
      .nullable()
      .meta({ description: '`failures` では、超えた割合（%）です。ほかは null です。', examples: [null] }),
    subjects: z
      .array(
        z.object({
          id: id.describe('送信、予約、見込み客、取り込み、送信者のどれかのidです。'),
          name: z.string().meta({ description: '画面に出す名前です。', examples: ['株式会社みどり製作所'] }),
        }),
      )
      .describe(
        `何についての通知かです（新しいものから${NOTICE_SUBJECTS_MAX}件まで）。送信（\`run_ended\`、\`failures\`、\`stopped\`）、予約、` +
          '見込み客（`reply`、`doubtful_reply`、`refusal`）、取り込み、ドメインの送信者です。消去したものは含みません。全体についての通知では空です。',
      ),
    first_at: instant.meta({ description: '最初の出来事の日時です。', examples: ['2026/11/20 09:00:00'] }),
    last_at: instant.meta({ description: '最後の出来事の日時です。', examples: ['2026/11/20 09:12:00'] }),
    is_read: flag.meta({ description: '既読なら1です。', examples: [0] }),
  }),
});

const updated = z.object({ status: z.literal('updated').describe('変更しました。') });

export const updateNotice = call({
  method: 'PUT',
  path: '/notice/:id',
  needs: 'viewer',
  summary: '通知を既読にする',
  errors: ['not_found'],
  params: z.object({ id: idInPath.describe('通知のidです。') }),
  body: z.strictObject({
    update_info: z.strictObject({ is_read: z.literal(1).describe('1で既読にします。') }).describe('変更する項目です。'),
  }),
  response: updated,
});

export const readNotices = call({
  method: 'POST',
  path: '/notice/read',
  needs: 'viewer',
  summary: 'すべての通知を既読にする',
  description: '一覧で見た通知より後に届いた通知は、未読のまま残ります。',
  body: z.strictObject({ until_id: id.describe('一覧にある、いちばん大きな通知のidです。これ以下を既読にします。') }),
  response: updated,
});

const screen = flag.meta({ description: '画面（ベル）に出すなら1です。', examples: [1] });
const mail = flag.meta({ description: 'メールでも送るなら1です。', examples: [0] });
const failurePercent = z
  .int()
  .min(1)
  .max(99)
  .meta({ description: '失敗が送信対象のこの割合（%）を超えたら通知します。', examples: [10] });
const morningSummary = flag.meta({
  description: '毎朝8時に、前日のまとめをメールで送るなら1です。何もなかった日は送りません。',
  examples: [1],
});

export const getNoticeSettings = call({
  method: 'GET',
  path: '/notice_setting',
  summary: '自分の通知の設定',
  response: z.object({
    kinds: z.array(z.object({ kind, screen, mail })).describe('種類ごとの設定です。すべての種類を返します。'),
    failure_percent: failurePercent,
    morning_summary: morningSummary,
  }),
});

export const updateNoticeSettings = call({
  method: 'PUT',
  path: '/notice_setting',
  needs: 'viewer',
  summary: '自分の通知の設定を変更する',
  description: '設定はこれからの出来事に使います。届いた通知は消えません。',
  body: z.strictObject({
    update_info: z
      .strictObject({
        kinds: z
          .array(z.strictObject({ kind, screen: screen.optional(), mail: mail.optional() }))
          .max(NOTICE_KINDS.length)
          .optional()
          .describe('変更する種類です。書かなかった種類と項目は変わりません。'),
        failure_percent: failurePercent.optional(),
        morning_summary: morningSummary.optional(),
      })
      .describe('変更する項目です。'),
  }),
  response: updated,
});
