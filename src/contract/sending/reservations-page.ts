import { z } from 'zod';
import { MAX_SEARCH_LENGTH } from '#domain/limits.ts';
import { SKIP_REASONS } from '#domain/sending/eligibility.ts';
import { isDay } from '#domain/time/calendar.ts';
import { type CallAnswer, call } from '../call.ts';
import { attackListItem, sentTo } from '../companies/attack-list.ts';
import { flagFilter, idFilter, paging, total } from '../list.ts';
import { flag, id, idInPath, int4, memberName, text } from '../wire.ts';
import {
  CALENDAR_ITEMS,
  RESERVATION_FILTER_STATES,
  RESERVATION_SORTS,
  RESERVATION_STATES,
} from './reservations-names.ts';
import { candidateDate } from './runs.ts';

/** The screen of all reservations: pages, one with its history, its targets, the calendar. */

const day = z.string().refine(isDay, '日付は YYYY-MM-DD の形で指定してください');
const sendAt = z.string().describe('予約日時（`YYYY/MM/DD HH:mm:ss`）です。');
const state = z.enum(RESERVATION_STATES).describe('予約の状態です。');
const subject = z.string().describe('件名のひな形です。');
const group = z.object({
  id: id.describe('送信者グループのidです。'),
  group_name: z.string().describe('名前です。'),
});
const targets = z.int().describe('対象の会社の数です。');

const reservationRow = z.object({
  id: id.describe('予約のidです。'),
  send_at: sendAt,
  state,
  refused_reason: z.string().nullable().describe('予約日時を過ぎても始められない理由です。なければ null です。'),
  put_off_until: z.string().nullable().describe('`waiting` のとき、送信を再開する日時です。'),
  sender: z
    .object({
      id: id.describe('送信者のidです。'),
      subject,
      person_in_charge: z.string().describe('差出人の名前です。'),
      template_name: z.string().describe('テンプレートの名前です。'),
    })
    .describe('送信者です。送信日時の内容で送ります。'),
  group,
  targets,
  leaving: z
    .object({
      suppressed: z.int().describe('配信停止の会社の数です。'),
      replied: z.int().describe('返信のあった会社の数です。'),
    })
    .describe('送信前の対象のうち、送信日時に外れる会社の数です。テスト予約では0です。'),
  maybe_refused: z.int().describe('配信停止を求めている可能性のある返信があり、対応を選ぶまで送信を待つ会社の数です。'),
  datetime_list: z.array(candidateDate).nullable().describe('メールに入れる候補日です。'),
  test_send_mode: flag.describe('テストモードなら1です。'),
  send_to: sentTo,
  member_name: memberName.describe('予約した人の氏名です。わからなければ null です。'),
  changed_by: memberName.describe('最後に変更した人の氏名です。変更していなければ null です。'),
  changed_at: z.string().nullable().describe('最後に変更した日時です。変更していなければ null です。'),
  version: int4.describe('変更するとき（`PUT /reservation/{id}`）に指定する番号です。変更のたびに増えます。'),
  send_log_id: id.nullable().describe('送信ログのidです。始まっていなければ null です。'),
});
export type ReservationRow = z.infer<typeof reservationRow>;

export const viewReservations = call({
  method: 'GET',
  path: '/reservation/view',
  summary: '予約の1ページ',
  query: z.strictObject({
    from: day.optional().describe('この日（日本時間）からの予約です。'),
    to: day.optional().describe('この日（日本時間）までの予約です。'),
    sender_group_id: idFilter.describe('送信者グループのidです。'),
    sender_id: idFilter.describe('送信者のidです。'),
    test_send_mode: flagFilter.describe('0なら本番だけ、1ならテストだけです。'),
    state: z.enum(RESERVATION_FILTER_STATES).optional().describe('状態です。`all` はすべてです。'),
    search: text(MAX_SEARCH_LENGTH)
      .optional()
      .describe('件名か、対象の会社名に含まれる語です。空白で区切ると、すべてを含むものです。'),
    sort: z.enum(RESERVATION_SORTS).default('send_at').describe('並び順です。省略すると予約日時です。'),
    order: z.enum(['asc', 'desc']).default('asc').describe('昇順か降順です。'),
    ...paging,
  }),
  response: z.object({ rows: z.array(reservationRow).describe('予約です。'), total }),
});

const candidateList = z.array(candidateDate).nullable();
const change = <S extends z.ZodType>(value: S) =>
  z.object({ from: value.describe('前の値です。'), to: value.describe('後の値です。') }).optional();

/** What one reservation change altered. Absent: unchanged. It holds no company names, which may be erased. */
const changes = z.object({
  send_at: change(sendAt).describe('予約日時です。'),
  datetime_list: change(candidateList).describe('候補日です。'),
  subject: change(subject).describe('ほかのテンプレートを選んだときの件名です。'),
  added: z.int().optional().describe('加えた会社の数です。'),
  removed: z.int().optional().describe('外した会社の数です。'),
  merged_into: id.optional().describe('まとめた先の予約のidです。'),
  merged_from: id.optional().describe('ここにまとめた予約のidです。'),
  taken_over: flag.optional().describe('作成者を、変更した人か、利用を停止した人から引き継ぐ人にしたなら1です。'),
  let_go: flag.optional().describe('復元して止まっていた予約を、予定どおり送信することにしたなら1です。'),
  sent_now: flag.optional().describe('予約日時を待たずに送信したなら1です。'),
  taken_back: flag.optional().describe('その送信を取り消して、元の日時に戻したなら1です。'),
});
export type ReservationChanges = z.infer<typeof changes>;

export const getReservation = call({
  method: 'GET',
  path: '/reservation/:id',
  summary: '1件の予約と、その履歴',
  params: z.object({ id: idInPath.describe('予約のidです。') }),
  response: reservationRow.extend({
    history: z.array(
      z.object({
        at: z.string().describe('日時です。'),
        member_name: memberName,
        kind: z.enum(['made', 'changed', 'deleted', 'started']).describe('予約、変更、削除、送信の開始のどれかです。'),
        changes: changes.describe('変更した項目です。'),
      }),
    ),
    notes: z.array(
      z.object({
        code: z
          .enum(['holiday', 'closed_day', 'outside_hours', 'over_limit', 'sender_off', 'sender_unconfirmed'])
          .describe('確かめたい点の種類です。'),
        text: z.string().describe('画面に出す文です。'),
        next_open_at: z.string().nullable().describe('送信できて、予約もできる次の日時です。'),
      }),
    ),
  }),
});
export type ReservationDetail = CallAnswer<typeof getReservation>;

export const viewReservationTargets = call({
  method: 'GET',
  path: '/reservation/:id/targets',
  summary: '予約の対象の会社と、送信するかどうか',
  params: z.object({ id: idInPath.describe('予約のidです。') }),
  query: z.strictObject({
    search: text(MAX_SEARCH_LENGTH)
      .optional()
      .describe('会社名に含まれる語です。空白で区切ると、すべてを含むものです。'),
    ...paging,
  }),
  response: z.object({
    rows: z.array(
      attackListItem.extend({
        state: z.enum(['will_send', ...SKIP_REASONS]).describe('送信するか（`will_send`）、外れる理由です。'),
      }),
    ),
    total,
  }),
});

export const viewReservationCalendar = call({
  method: 'GET',
  path: '/reservation/calendar',
  summary: '日ごとの予約',
  errors: ['invalid_period'],
  query: z.strictObject({
    from: day.describe('最初の日（日本時間）です。'),
    to: day.describe('最後の日（日本時間）です。'),
    sender_group_id: idFilter.describe('送信者グループのidです。'),
  }),
  response: z.object({
    days: z.array(
      z.object({
        day: z.string().describe('日です。'),
        holiday: z.string().nullable().describe('祝日の名前です。なければ null です。'),
        closing_day: z.string().nullable().describe('休業日の名前です。なければ null です。'),
        is_open: flag.describe('送信できる時間のある日なら1です。'),
        limit: z.int().nullable().describe('アカウントの1日の上限（通）です。なければ null です。'),
        planned: z.int().describe('これから送る予約（`pending` と `refused`）の対象の会社の数です。'),
        sent: z.int().describe('この日に送信したメールの数です。予約によらないものも数えます。'),
        items: z
          .array(z.object({ id: id.describe('予約のidです。'), send_at: sendAt, subject, group, targets, state }))
          .describe(`予約です。予約日時の順に${CALENDAR_ITEMS}件までです。`),
        more: z.int().describe('`items` に入らない予約の数です。'),
      }),
    ),
  }),
});
