import { z } from 'zod';
import { NOTICE_KINDS, NOTICE_SUBJECTS_MAX } from '#domain/account/notice.ts';
import { call } from '../call.ts';
import { flagFilter, listCall } from '../list.ts';
import { flag, id, idInPath } from '../wire.ts';

export const unreadCount = z.object({
  unread: z.int().describe('未読の通知の数です。'),
});

export const countUnreadNotices = call({
  method: 'GET',
  path: '/notice/unread',
  beforeTwoFactor: true,
  summary: '自分への未読の通知の数',
  response: unreadCount,
});

const kind = z.enum(NOTICE_KINDS).describe('出来事の種類です。');

const instant = z.string();

export const listNotices = listCall({
  path: '/notice/list',
  summary: '自分への通知の一覧',
  where: { is_read: flagFilter },
  row: z.object({
    id: id.describe('通知のidです。'),
    kind,
    count: z.int().describe('まとめた出来事の数です。'),
    percent: z.int().nullable().describe('`failures` では、超えた割合（%）です。ほかは null です。'),
    subjects: z
      .array(
        z.object({
          id: id.describe('送信、予約、見込み客、取り込み、送信者、メールボックスのどれかのidです。'),
          name: z.string().describe('画面に出す名前です。'),
        }),
      )
      .describe(`何についての通知かです（新しいものから${NOTICE_SUBJECTS_MAX}件まで）。`),
    first_at: instant.describe('最初の出来事の日時です。'),
    last_at: instant.describe('最後の出来事の日時です。'),
    is_read: flag.describe('既読なら1です。'),
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
  body: z.strictObject({ until_id: id.describe('一覧にある、いちばん大きな通知のidです。これ以下を既読にします。') }),
  response: updated,
});

const screen = flag.describe('画面（ベル）に出すなら1です。');
const mail = flag.describe('メールでも送るなら1です。');
const failurePercent = z.int().min(1).max(99).describe('失敗が送信対象のこの割合（%）を超えたら通知します。');
const morningSummary = flag.describe('毎朝8時に、前日のまとめをメールで送るなら1です。何もなかった日は送りません。');

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
  body: z.strictObject({
    update_info: z.strictObject({
      kinds: z
        .array(z.strictObject({ kind, screen: screen.optional(), mail: mail.optional() }))
        .max(NOTICE_KINDS.length)
        .optional()
        .describe('変更する種類です。書かなかった種類と項目は変わりません。'),
      failure_percent: failurePercent.optional(),
      morning_summary: morningSummary.optional(),
    }),
  }),
  response: updated,
});
