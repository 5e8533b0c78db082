import { z } from 'zod';
import { firstAllowedDay } from '#domain/sending/picker-window.ts';
import { formatSecond, instantOf } from '#domain/time/tokyo-time.ts';
import { DAY_MS } from '#domain/time-units.ts';
import { call } from '../call.ts';
import { skippedTarget } from '../companies/attack-list.ts';
import { dateTime } from '../list.ts';
import { acknowledged } from '../senders/legal-profile.ts';
import { orderTimes } from '../senders/sending-rules-hours.ts';
import { flag, id, idInPath, int4 } from '../wire.ts';
import { MAX_REMOVED_TARGETS } from './reservations-names.ts';
import { candidateDates, startsAt } from './runs.ts';

/** Changes of reservations that have not started. */

const params = z.object({ id: idInPath.describe('予約のidです。') });
const version = int4.meta({ description: '読んだときの `version` です。', examples: [1] });

export const updateReservation = call({
  method: 'PUT',
  path: '/reservation/:id',
  audience: 'integrator',
  summary: '予約を変更・削除する',
  description: `削除するには、\`active\` だけに0を指定します。応答のあとに、この予約のメールの送信が始まることはありません。すでに削除した予約に対しても \`updated\` を返します。\
ほかの予約にまとめた予約は、\`reservation_changed\` です。

変更するには、\`version\` と、変更する項目を指定します。送信が始まるまで、いつでも変更できます。

- 判定するのは、変わる項目だけです。予約日時と候補日の規則は \`POST /reservation\` と同じです。
- 予約日時を過ぎて送信されなかった予約は、\`send_at\` を変えると、もう一度予約されます。そのあいだに送信の対象外になった会社は、\
\`skipped\` で返します。
- バックアップから復元して止まっている予約（\`state\` が \`held\`）は、これからの日時なら、同じ \`send_at\` を指定しても再開します。
- \`remove_prospect_ids\` の会社は、この予約から外れます。\
この予約にないものは \`not_found\` として \`skipped\` で返します。会社を加えるには \`POST /reservation\` を使います。
- \`sender_id\` には、同じ送信者グループの有効な送信者を指定します。
- 同じ送信者・同じ日時の予約がほかにあれば \`reservation_at_that_time\` です。\`merge\` に1を指定すると、\
会社をその予約に移し、この予約は削除済みになります。候補日はその予約のもの、再送信間隔は長いほうになり、\`id\` はその予約のidです。
- メールの \`account.name\` は、予約した人のままです。\`take_over\` に1を指定すると、変更した人になります。
- すでにそのとおりの内容なら、何も変えずに \`updated\` を返します。`,
  errors: [
    'not_in_group',
    ['not_found', '予約か、選んだ送信者がないか、ほかのアカウントのものであるとき'],
    'reservation_started',
    'reservation_changed',
    'reservation_at_that_time',
    'reservation_held',
    'reservation_full',
    'invalid_send_at',
    'closed_day',
    ['invalid_candidate_date', '候補日に誤りがあるか、予約日時より前に終わるとき'],
    'nothing_left',
    'invalid_template',
    'no_sendgrid_template',
    ['legal_incomplete', 'テストモードではなく、特定電子メール法の求める表示が足りないとき'],
    'not_connected',
    'sender_unconfirmed',
  ],
  params,
  body: z
    .strictObject({
      version: version.optional().describe('読んだときの `version` です。変更するときは必須です。'),
      update_info: z
        .strictObject({
          active: z.literal(0).optional().describe('削除するなら0です。ほかの項目と一緒には指定できません。'),
          send_at: dateTime.optional().meta({
            description: '予約日時です。',
            // Before the example's candidate date (runs.ts).
            exampleAt: (now: number) => formatSecond(instantOf(firstAllowedDay(now + 7 * DAY_MS), 9 * 60)),
          }),
          datetime_list: candidateDates.optional().describe('候補日です。null なら、候補日を入れません。'),
          sender_id: id.optional().describe('送信者（テンプレート）のidです。'),
          remove_prospect_ids: z
            .array(id)
            .min(1)
            .max(MAX_REMOVED_TARGETS, `一度に外せる会社は${MAX_REMOVED_TARGETS}社までです`)
            .optional()
            .describe('外す見込み客のidです。'),
        })
        .describe('変更する項目です。'),
      merge: flag.optional().meta({ description: '同じ日時の予約とまとめるなら1です。', examples: [0] }),
      take_over: flag.optional().meta({ description: '自分の予約にするなら1です。', examples: [0] }),
      acknowledged,
    })
    .superRefine(({ version: seen, update_info: { active, ...changes }, merge, take_over, ...more }, context) => {
      const isChange =
        Object.keys(changes).length > 0 || [merge, take_over, more.acknowledged].some((it) => it !== undefined);
      if (active === 0 && (isChange || seen !== undefined)) {
        context.addIssue({
          code: 'custom',
          path: ['update_info'],
          message: '削除するときは、active だけを指定してください',
        });
      }
      if (active === undefined && seen === undefined) {
        context.addIssue({ code: 'custom', path: ['version'], message: '予約の version を指定してください' });
      }
    })
    .meta({ examples: [{ update_info: { active: 0 } }] }),
  response: z.object({
    status: z.literal('updated').describe('変更しました。'),
    id: id.optional().describe('予約のidです。まとめたときは、まとめた先です。削除したときはありません。'),
    version: int4.optional().describe('いまの `version` です。削除したときはありません。'),
    skipped: z
      .array(skippedTarget)
      .optional()
      .meta({ description: '外せなかったもの、対象外になったものです。', examples: [[]] }),
  }),
});

export const sendReservationNow = call({
  method: 'POST',
  path: '/reservation/:id/send_now',
  summary: '予約日時を待たずに、いま送信する',
  errors: [
    'not_in_group',
    'reservation_started',
    'reservation_changed',
    'sender_off',
    'sending_paused',
    'nothing_left',
    'invalid_candidate_date',
    'invalid_template',
    'no_sendgrid_template',
    'legal_incomplete',
    'not_connected',
    'sender_unconfirmed',
  ],
  params,
  body: z.strictObject({ version, acknowledged }),
  response: z.object({
    status: z.literal('accepted').describe('受け付けました。'),
    send_log_id: id.describe('送信ログのidです。'),
    accepted: z.int().describe('送る件数です。'),
    skipped: z.array(skippedTarget).describe('対象外になったものです。'),
    starts_at: startsAt.optional(),
    ...orderTimes,
  }),
});
