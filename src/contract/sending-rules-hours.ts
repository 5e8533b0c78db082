import { z } from 'zod';
import { MAX_CLOSING_DAYS } from '#domain/sending/rules/closing-days.ts';
import { OUTSIDE, type Period } from '#domain/sending/sending-hours.ts';
import { call } from './call.ts';
import { affectedFields, closingDay } from './sending-rules-closing-days.ts';
import { flag, id, idInPath } from './wire.ts';

const STEP_MINUTES = 15;
const DAY_MINUTES = 24 * 60;
const PERIODS_A_WEEKDAY = 2;

const minute = (min: number, max: number) => z.int().min(min).max(max).multipleOf(STEP_MINUTES);

const period = z
  .strictObject({
    weekday: z
      .int()
      .min(0)
      .max(6)
      .meta({ description: '曜日です。0が日曜日、6が土曜日です。', examples: [1] }),
    opens: minute(0, DAY_MINUTES - STEP_MINUTES).meta({
      description: `始まる時刻です。0時からの分で、${STEP_MINUTES}分単位です。`,
      examples: [480],
    }),
    closes: minute(STEP_MINUTES, DAY_MINUTES).meta({
      description: '終わる時刻です。この時刻からは送りません。',
      examples: [1260],
    }),
  })
  .refine(({ opens, closes }) => opens < closes, {
    path: ['closes'],
    message: '終わりの時刻は始まりの時刻より後にしてください（日をまたぐ時間は、2つの曜日に分けてください）',
  });

function overlap(periods: readonly Period[]): boolean {
  return periods.some((one, place) =>
    periods.some(
      (other, at) =>
        at < place && other.weekday === one.weekday && other.opens < one.closes && one.opens < other.closes,
    ),
  );
}

const periods = z
  .array(period)
  .min(1, '送信できる時間を1つ以上選んでください')
  .max(7 * PERIODS_A_WEEKDAY)
  .refine((list) => !overlap(list), '同じ曜日の送信できる時間が重なっています')
  .refine(
    (list) => [...Map.groupBy(list, ({ weekday }) => weekday).values()].every((own) => own.length <= PERIODS_A_WEEKDAY),
    `送信できる時間は、1つの曜日に${PERIODS_A_WEEKDAY}つまでです`,
  )
  .meta({
    description: `送信できる時間です。1つの曜日に${PERIODS_A_WEEKDAY}つまでです。`,
    examples: [[{ weekday: 1, opens: 480, closes: 1260 }]],
  });

const onHolidays = flag.meta({ description: '祝日にも送るなら1です。', examples: [1] });
const outside = z.enum(OUTSIDE).meta({
  description:
    '時間外のときに、確認のうえ送信できる（`warn`）か、次の送信時間になってから送る（`hold`）かです。' +
    '`warn` でも、予約した日時から1時間以上遅れたメールは、次の送信時間になってから送ります。テスト送信はいつでも送ります。',
  examples: ['warn'],
});
const version = z
  .int()
  .min(0)
  .max(2 ** 31 - 1)
  .meta({ description: '保存するたびに増える番号です。まだ保存していなければ0です。', examples: [0] });
const ofGroup = z.object({ sender_group_id: idInPath.describe('送信者グループのidです。') });

const time = z.string().nullable();

export const getSendingRules = call({
  method: 'GET',
  path: '/sending_rules/:sender_group_id',
  summary: '送信者グループの送信ルール',
  description:
    '保存したことがないグループは、月曜日から金曜日の8:00から21:00まで、祝日も送り、時間外は確認のうえ送信できます。',
  params: ofGroup,
  response: z.object({
    sender_group_id: id.describe('送信者グループのidです。'),
    periods,
    on_holidays: onHolidays,
    outside,
    version,
    closing_days: z
      .array(closingDay)
      .max(MAX_CLOSING_DAYS)
      .meta({ description: 'このグループの、これからの休業日と送信する日です。', examples: [[]] }),
    limits: z
      .array(
        z.object({
          profile_id: id.describe('差出人のidです。'),
          limit: z.int().meta({ description: '今日の上限（通）です。', examples: [58] }),
          used: z.int().meta({ description: '今日送った通数です。送信中のものを含みます。', examples: [38] }),
        }),
      )
      .meta({ description: '1日の上限のある差出人です。', examples: [[]] }),
    now: z
      .object({
        open: flag.meta({ description: 'いま送信時間なら1です。', examples: [1] }),
        reason: z
          .string()
          .nullable()
          .meta({ description: '送信時間外の理由です。', examples: [null] }),
        closes_at: time.meta({
          description: 'いまの送信時間の終わりです。時間外なら null です。',
          examples: ['2026/11/20 21:00:00'],
        }),
        next_open_at: time.meta({
          description: '次に送信できる日時です。いま送信できるなら、その日時です。',
          examples: ['2026/11/20 10:00:00'],
        }),
        left_today: z
          .int()
          .nullable()
          .meta({
            description:
              'アカウントで今日あと何通送れるかです。1日の上限を決めていなければ null です。差出人の上限は `limits` です。',
            examples: [null],
          }),
      })
      .describe('いまの状態です。'),
  }),
});

export const updateSendingRules = call({
  method: 'PUT',
  path: '/sending_rules/:sender_group_id',
  needs: 'admin',
  statementSeconds: 300,
  summary: '送信者グループの送信時間を変更する',
  description:
    '指定した項目だけを変更します。送信を待っていたメールは、新しい送信時間に合わせて送ります。予約の日時は変えません。時間外になる予約を `affected` に返します。',
  errors: ['no_open_day', 'sending_rules_changed'],
  params: ofGroup,
  body: z.strictObject({
    version: version.optional().describe('読んだときの `version` です。省略すると、あとから保存したほうが残ります。'),
    update_info: z
      .strictObject({ periods, on_holidays: onHolidays, outside })
      .partial()
      .refine((info) => Object.values(info).some((value) => value !== undefined), '変更する項目を指定してください')
      .describe('変更する項目です。'),
  }),
  response: z.object({
    status: z.literal('updated').describe('変更しました。'),
    version,
    ...affectedFields,
  }),
});

/** What an answer says of the time of an order. */
export const orderTimes = {
  begins_at: z
    .string()
    .optional()
    .meta({
      description: '送信時間外のため、あとで送信が始まるときの、その日時です。すぐに始まるときは省きます。',
      examples: ['2026/11/24 09:00:00'],
    }),
  ends_about: z
    .string()
    .optional()
    .meta({
      description: '送信速度から見積もった、終わる日時です。速度がわからないときと、1日の上限があるときは省きます。',
      examples: ['2026/11/24 09:20:00'],
    }),
};
