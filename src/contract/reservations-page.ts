import { z } from 'zod';
import { LATEST_START_MINUTES, MAX_SEARCH_LENGTH } from '#domain/limits.ts';
import { SKIP_REASONS } from '#domain/sending/eligibility.ts';
import { isDay } from '#domain/time/calendar.ts';
import { attackListItem } from './attack-list.ts';
import { type CallAnswer, call } from './call.ts';
import { flagFilter, idFilter, paging, total } from './list.ts';
import {
  CALENDAR_ITEMS,
  MAX_CALENDAR_DAYS,
  RESERVATION_FILTER_STATES,
  RESERVATION_SORTS,
  RESERVATION_STATES,
} from './reservations-names.ts';
import { candidateDate } from './runs.ts';
import { flag, id, idInPath, int4, memberName, text } from './wire.ts';

/** The screen of all reservations: pages, one with its history, its targets, the calendar. */

const day = z.string().refine(isDay, '日付は YYYY-MM-DD の形で指定してください');
const exampleDay = { examples: ['2026-12-01'] };

const sendAt = z
  .string()
  .meta({ description: '予約日時（`YYYY/MM/DD HH:mm:ss`）です。', examples: ['2026/12/01 08:00:00'] });
const state = z.enum(RESERVATION_STATES).meta({
  description:
    `\`pending\`（予約中）、\`missed\`（予約日時から${LATEST_START_MINUTES}分以内に始められず、送信されない）、` +
    '`held`（バックアップから復元した時点の予約で、送信するかどうかが決まっていない）、' +
    '`refused`（予約日時を過ぎたが、まだ始められない）、`waiting`（始まったが、残りのメールが次の送信時間を待っている）、' +
    '`sent`（送信を始めた。結果は `send_log_id` の送信ログ）、`cancelled`（始めた送信を、1通も送らずに取り消した）、' +
    '`deleted`（削除した）のどれかです。',
  examples: ['pending'],
});
const subject = z.string().meta({ description: '件名のひな形です。', examples: ['受発注業務の効率化のご提案'] });
const group = z
  .object({
    id: id.describe('送信者グループのidです。'),
    group_name: z.string().meta({ description: '名前です。', examples: ['首都圏営業部'] }),
  })
  .describe('送信者グループです。');
const targets = z.int().meta({ description: '対象の会社の数です。', examples: [98] });

const reservationRow = z
  .object({
    id: id.describe('予約のidです。'),
    send_at: sendAt,
    state,
    refused_reason: z
      .string()
      .nullable()
      .meta({ description: '予約日時を過ぎても始められない理由です。なければ null です。', examples: [null] }),
    put_off_until: z
      .string()
      .nullable()
      .meta({ description: '`waiting` のとき、送信を再開する日時です。', examples: [null] }),
    sender: z
      .object({
        id: id.describe('送信者のidです。'),
        subject,
        person_in_charge: z.string().meta({ description: '差出人の名前です。', examples: ['田中 直樹'] }),
        template_name: z.string().meta({ description: 'テンプレートの名前です。', examples: ['ご提案'] }),
      })
      .describe('送信者です。送信日時の内容で送ります。'),
    group,
    targets,
    leaving: z
      .object({
        suppressed: z.int().meta({ description: '配信停止の会社の数です。', examples: [1] }),
        replied: z.int().meta({ description: '返信のあった会社の数です。', examples: [1] }),
      })
      .describe('送信前の対象のうち、送信日時に外れる会社の数です。テスト予約では0です。'),
    maybe_refused: z.int().meta({
      description: '配信停止の希望かもしれない返信があり、対応を選ぶまで送信を待つ会社の数です。',
      examples: [0],
    }),
    datetime_list: z.array(candidateDate).nullable().describe('メールに入れる候補日です。'),
    test_send_mode: flag.meta({ description: 'テストモードなら1です。', examples: [0] }),
    member_name: memberName.describe('予約した人の氏名です。わからなければ null です。'),
    changed_by: memberName.describe('最後に変更した人の氏名です。変更していなければ null です。'),
    changed_at: z
      .string()
      .nullable()
      .meta({ description: '最後に変更した日時です。変更していなければ null です。', examples: [null] }),
    version: int4.describe('変更するとき（`PUT /reservation/{id}`）に指定する番号です。変更のたびに増えます。'),
    send_log_id: id.nullable().describe('送信ログのidです。始まっていなければ null です。'),
  })
  .meta({ schemaName: 'ReservationRow' });
export type ReservationRow = z.infer<typeof reservationRow>;

export const viewReservations = call({
  method: 'GET',
  path: '/reservation/view',
  summary: '予約の1ページ',
  description:
    'すべての送信者グループの予約です。削除した予約は入りません。`state` を省略すると、`sent` と `cancelled` のほかのすべてです。`test_send_mode` を省略すると、本番とテストの両方です。',
  query: z.strictObject({
    from: day.optional().meta({ description: 'この日（日本時間）からの予約です。', ...exampleDay }),
    to: day.optional().meta({ description: 'この日（日本時間）までの予約です。', ...exampleDay }),
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

/** What one change of a reservation changed. Absent: not that. It holds no names of companies, which may be erased. */
const changes = z.object({
  send_at: change(sendAt).describe('予約日時です。'),
  datetime_list: change(candidateList).describe('候補日です。'),
  subject: change(subject).describe('ほかのテンプレートを選んだときの件名です。'),
  added: z
    .int()
    .optional()
    .meta({ description: '加えた会社の数です。', examples: [2] }),
  removed: z
    .int()
    .optional()
    .meta({ description: '外した会社の数です。', examples: [2] }),
  merged_into: id.optional().describe('まとめた先の予約のidです。'),
  merged_from: id.optional().describe('ここにまとめた予約のidです。'),
  taken_over: flag.optional().describe('変更した人の予約にしたなら1です。'),
  let_go: flag.optional().describe('復元して止まっていた予約を、予定どおり送信することにしたなら1です。'),
  sent_now: flag.optional().describe('予約日時を待たずに送信したなら1です。'),
  taken_back: flag.optional().describe('その送信を取り消して、元の日時に戻したなら1です。'),
});
export type ReservationChanges = z.infer<typeof changes>;

export const getReservation = call({
  method: 'GET',
  path: '/reservation/:id',
  summary: '1件の予約と、その履歴',
  description: '削除した予約も返します（`state` が `deleted`）。履歴は新しい順に100件までです。',
  params: z.object({ id: idInPath.describe('予約のidです。') }),
  response: reservationRow.extend({
    history: z
      .array(
        z.object({
          at: z.string().meta({ description: '日時です。', examples: ['2026/11/27 10:02:00'] }),
          member_name: memberName,
          kind: z
            .enum(['made', 'changed', 'deleted', 'started'])
            .meta({ description: '予約、変更、削除、送信の開始のどれかです。', examples: ['changed'] }),
          changes: changes.describe('変更した項目です。'),
        }),
      )
      .describe('履歴です。'),
    notes: z
      .array(
        z.object({
          code: z
            .enum(['holiday', 'closed_day', 'outside_hours', 'over_limit', 'sender_off', 'sender_unconfirmed'])
            .describe(
              '祝日、休業日、そのほかの送信時間外、この日の予約が1日の上限を超える、送信者が無効、差出人のアドレスが確認されていない、のどれかです。' +
                '時間は送信者グループの送信ルールによります。送信ルールを保存していないグループには、祝日も知らせます。',
            ),
          text: z.string().meta({ description: '画面に出す文です。', examples: ['元日（祝日）です'] }),
          next_open_at: z
            .string()
            .nullable()
            .meta({
              description:
                '送信できて、予約もできる次の日時です。`over_limit` では、次に送信できる日の始まりです。日時によらない注記では null です。',
              examples: ['2027/01/04 08:00:00'],
            }),
        }),
      )
      .meta({ description: '送信の前に確かめる点です。', examples: [[]] }),
  }),
});
export type ReservationDetail = CallAnswer<typeof getReservation>;

export const viewReservationTargets = call({
  method: 'GET',
  path: '/reservation/:id/targets',
  summary: '予約の対象の会社と、送信するかどうか',
  description:
    '予約した順です。送信するときと同じ規則で、いま判定します。再送信間隔だけは、予約日時までの日数で判定します。送信日時にもう一度判定します。',
  params: z.object({ id: idInPath.describe('予約のidです。') }),
  query: z.strictObject({
    search: text(MAX_SEARCH_LENGTH)
      .optional()
      .describe('会社名に含まれる語です。空白で区切ると、すべてを含むものです。'),
    ...paging,
  }),
  response: z.object({
    rows: z
      .array(
        attackListItem.extend({
          state: z
            .enum(['will_send', ...SKIP_REASONS])
            .meta({ description: '送信するか（`will_send`）、外れる理由です。', examples: ['will_send'] }),
        }),
      )
      .describe('対象の会社です。'),
    total,
  }),
});

export const viewReservationCalendar = call({
  method: 'GET',
  path: '/reservation/calendar',
  summary: '日ごとの予約',
  description: `\`from\` から \`to\` までの本番の予約です（${MAX_CALENDAR_DAYS}日まで）。テストと、削除した予約は入りません。`,
  errors: ['invalid_period'],
  query: z.strictObject({
    from: day.meta({ description: '最初の日（日本時間）です。', ...exampleDay }),
    to: day.meta({ description: '最後の日（日本時間）です。', examples: ['2026-12-31'] }),
    sender_group_id: idFilter.describe('送信者グループのidです。'),
  }),
  response: z.object({
    days: z
      .array(
        z.object({
          day: z.string().meta({ description: '日です。', ...exampleDay }),
          holiday: z
            .string()
            .nullable()
            .meta({ description: '祝日の名前です。なければ null です。', examples: [null] }),
          closing_day: z
            .string()
            .nullable()
            .meta({ description: '休業日の名前です。なければ null です。', examples: [null] }),
          is_open: flag.meta({
            description:
              '送信できる時間のある日なら1です。送信者グループを指定しなければ、すべてのグループの休業日と、平日かどうかで判定します。',
            examples: [1],
          }),
          limit: z
            .int()
            .nullable()
            .meta({ description: 'アカウントの1日の上限（通）です。なければ null です。', examples: [300] }),
          planned: z.int().meta({
            description: 'これから送る予約（`pending` と `refused`）の対象の会社の数です。',
            examples: [120],
          }),
          sent: z.int().meta({
            description: 'この日に送信したメールの数です。予約によらないものも数えます。',
            examples: [0],
          }),
          items: z
            .array(z.object({ id: id.describe('予約のidです。'), send_at: sendAt, subject, group, targets, state }))
            .describe(`予約です。予約日時の順に${CALENDAR_ITEMS}件までです。`),
          more: z.int().meta({ description: '`items` に入らない予約の数です。', examples: [0] }),
        }),
      )
      .describe('1日ずつです。'),
  }),
});
