import { z } from 'zod';
import {
  DEFAULT_RESEND_DAYS,
  LATEST_START_MINUTES,
  MAX_RESEND_DAYS,
  PICKER_MONTHS,
  PICKER_STEP_MINUTES,
} from '#domain/limits.ts';
import { FIRST_TIME, firstAllowedDay, LAST_TIME } from '#domain/sending/picker-window.ts';
import { formatSecond, instantOf } from '#domain/time/tokyo-time.ts';
import { DAY_MS } from '#domain/time-units.ts';
import { call } from '../call.ts';
import {
  attackList,
  attackListItem,
  followUpOf,
  sendTo,
  sentTo,
  skippedTarget,
  target,
} from '../companies/attack-list.ts';
import { listConditions } from '../companies/saved-conditions.ts';
import {
  dateTime,
  dateTimeOrBounds,
  flagFilter,
  idFilter,
  idOrBounds,
  jsonOr,
  MAX_LIST_ROWS_WITH_ATTACK_LIST,
  wholeListCall,
} from '../list.ts';
import { acknowledged, legalFaultsOfTest } from '../senders/legal-profile.ts';
import { orderTimes } from '../senders/sending-rules-hours.ts';
import { flag, id } from '../wire.ts';
import { candidateDate, candidateDates } from './runs.ts';

/** Compares both parts by their JSON. The same schemas parsed them, so equal values have equal texts. */
const agrees = (add: Readonly<Record<string, unknown>>, update: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(update).every(
    ([name, value]) => value === undefined || JSON.stringify(value) === JSON.stringify(add[name]),
  );

export const reserve = call({
  method: 'POST',
  path: '/reservation',
  audience: 'integrator',
  summary: 'アタックリストの送信を予約する',
  description: `同じ送信者・同じ日時・同じテストモード・同じ宛先（\`send_to\`）の予約がまだ送信されていなければ、その予約に送信対象を加えます（\`updated\`）。前からの対象は減りません。

- \`send_at\` は、次の正時（1時間後の時刻の分を切り捨てたもの）か、\
明日${FIRST_TIME}から${PICKER_MONTHS}か月以内の平日${FIRST_TIME}〜${LAST_TIME}の${PICKER_STEP_MINUTES}分単位です。サーバーの時計で判定します。
- 対象は送信するときと同じ規則で判定し、対象外のものは理由とともに \`skipped\` で返します。送信者グループの別の予約、またはこの予約にすでに入っている見込み客は \`reserved\` です。送信日時にもう一度判定します。
- 加えるものがなければ \`no-added\` です。何も保存しません。\`id\` は既存の予約、なければ null です。
- \`datetime_list\` を指定すると、既存の予約の候補日を置き換えます（null は候補日なし）。\`duplicate_key_update_info\` から省くと、既存の候補日を残します。\
候補日だけが変わった場合も \`updated\` です。
- \`duplicate_key_update_info\` の各項目は \`add_info\` と同じ値にしてください。
- \`days_from_lastday\` は再送信間隔（日）です。省略すると${DEFAULT_RESEND_DAYS}日、既存の予約とは長いほうになります。0なら、送信したばかりの見込み客にも送ります。`,
  errors: [
    'not_in_group',
    ['not_found', '送信者がないか、ほかのアカウントのものであるとき'],
    'closed_day',
    'reservation_full',
    'invalid_send_at',
    ['invalid_candidate_date', '候補日に誤りがあるか、予約日時より前に終わるとき'],
    'invalid_test_address',
    'invalid_template',
    'no_sendgrid_template',
    'legal_incomplete',
    'not_connected',
    'sender_unconfirmed',
    'reservation_held',
  ],
  largeBody: true,
  body: z
    .strictObject({
      add_info: z
        .strictObject({
          sender_id: id.describe('送信者（テンプレート）のidです。'),
          send_at: dateTime.meta({
            description: '予約日時です。',
            // Before the example's candidate date (runs.ts).
            exampleAt: (now: number) => formatSecond(instantOf(firstAllowedDay(now + 7 * DAY_MS), 9 * 60)),
          }),
          test_send_mode: flag.meta({ description: 'テスト送信先に送るなら1、本当に送るなら0です。', examples: [1] }),
          datetime_list: candidateDates.optional().describe('メールに入れる候補日です。'),
          attack_list: attackList(target).describe('送信対象です。'),
          active: z.literal(1).describe('1です。'),
        })
        .describe('予約の内容です。'),
      // Without limits of its own, so that a fault of add_info is reported once.
      duplicate_key_update_info: z
        .strictObject({
          datetime_list: jsonOr(z.array(candidateDate).nullable()).optional().describe('`add_info` と同じ値です。'),
          attack_list: jsonOr(z.array(target)).optional().describe('`add_info` と同じ値です。'),
          active: z.literal(1).optional().describe('1です。'),
        })
        .describe('同じ予約がすでにあるときに、加える内容です。'),
      days_from_lastday: z.int().min(0).max(MAX_RESEND_DAYS).optional().describe('再送信間隔（日）です。'),
      follow_up_of: followUpOf,
      list_conditions: listConditions,
      acknowledged,
      send_to: sendTo,
    })
    .refine(({ add_info, duplicate_key_update_info }) => agrees(add_info, duplicate_key_update_info), {
      path: ['duplicate_key_update_info'],
      message: 'duplicate_key_update_info は add_info と同じ値にしてください',
    }),
  response: z.object({
    status: z
      .enum(['added', 'updated', 'no-added'])
      .describe('新しく予約したか、予約に加えたか、加えるものがなかったかです。'),
    id: id.nullable().describe('予約のidです。'),
    skipped: z.array(skippedTarget).meta({ description: '加えなかったものです。', examples: [[]] }),
    legal_faults: legalFaultsOfTest,
    ...orderTimes,
  }),
});

export const listReservations = wholeListCall({
  path: '/reservation/list',
  name: 'Reservation',
  summary: '予約の一覧',
  description:
    '予約日時（`send_at`）、idの順です。`send_at` は日本時間の `YYYY/MM/DD HH:mm:ss` です。`attack_list` の `company_email` は、' +
    '見込み客の現在のアドレス、テスト予約ではテスト送信先です。`datetime_list` は候補日で、なければ null です。' +
    '`limit` を指定したときの続きは `where_info[send_at][gte]` で取得できます。',
  where: {
    id: idOrBounds,
    sender_id: idFilter.meta({ examples: [1] }),
    sender_group_id: idFilter,
    send_at: dateTimeOrBounds.meta({ examples: [{ gt: '2026/11/20 12:00:00' }] }),
    is_sent: flagFilter.meta({ examples: [0] }),
    test_send_mode: flagFilter.meta({ examples: [0] }),
    active: flagFilter.meta({ examples: [1] }),
  },
  row: z.object({
    id: id.describe('予約のidです。'),
    sender_id: id.describe('送信者（テンプレート）のidです。'),
    sender_group_id: id.describe('送信者グループのidです。'),
    send_to: sentTo,
    attack_list: z.array(attackListItem).describe('送信対象です。'),
    send_at: z.string().meta({ description: '予約日時です。', examples: ['2026/11/24 09:00:00'] }),
    is_sent: flag.describe('送信が始まったなら1です。'),
    test_send_mode: flag.describe('テストモードなら1です。'),
    active: flag.meta({ description: '削除した予約なら0です。', examples: [1] }),
    suppressed: z.int().meta({
      description: '送信前の対象のうち、配信停止のため送信日時に外れる見込み客の数です。テスト予約では0です。',
      examples: [0],
    }),
    maybe_refused: z.int().meta({
      description:
        '送信前の対象のうち、配信停止を求めている可能性のある返信があり、送信日時が来ても、返信への対応を選ぶまで送信を待つ見込み客の数です。テスト予約では0です。',
      examples: [0],
    }),
    replied: z.int().meta({
      description:
        '送信前の対象のうち、配信停止ではなく返信があったため、送信日時に外れる見込み客の数です。テスト予約では0です。',
      examples: [0],
    }),
    datetime_list: z.array(candidateDate).nullable().describe('メールに入れる候補日です。'),
    is_missed: flag.meta({
      description: `予約日時から${LATEST_START_MINUTES}分以内に送信を始められず、送信されないなら1です。`,
      examples: [0],
    }),
    is_held: flag.meta({
      description:
        'バックアップから復元した時点の予約で、予定どおり送信するか、送信しないかが決まっていないなら1です（`is_missed` も1です）。',
      examples: [0],
    }),
    refused_reason: z
      .string()
      .nullable()
      .meta({ description: '予約日時を過ぎても送信を始められない理由です。なければ null です。', examples: [null] }),
  }),
  maxRows: MAX_LIST_ROWS_WITH_ATTACK_LIST,
});
