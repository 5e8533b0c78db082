import { z } from 'zod';
import { MAX_CLOSING_DAYS } from '#domain/sending/rules/closing-days.ts';
import { OUTSIDE, type Period } from '#domain/sending/sending-hours.ts';
import { call } from '../call.ts';
import { flag, id, idInPath } from '../wire.ts';
import { affectedFields, closingDay } from './sending-rules-closing-days.ts';

const STEP_MINUTES = 15;
const DAY_MINUTES = 24 * 60;
const PERIODS_A_WEEKDAY = 2;

const minute = (min: number, max: number) => z.int().min(min).max(max).multipleOf(STEP_MINUTES);

const period = z
  .strictObject({
    weekday: z.int().min(0).max(6).describe('曜日です。0が日曜日、6が土曜日です。'),
    opens: minute(0, DAY_MINUTES - STEP_MINUTES).describe(`始まる時刻です。0時からの分で、${STEP_MINUTES}分単位です。`),
    closes: minute(STEP_MINUTES, DAY_MINUTES).describe('終わる時刻です。この時刻からは送りません。'),
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
  .describe(`送信できる時間です。1つの曜日に${PERIODS_A_WEEKDAY}つまでです。`);

const onHolidays = flag.describe('祝日にも送るなら1です。');
const outside = z
  .enum(OUTSIDE)
  .describe('時間外のときに、確認のうえ送信できる（`warn`）か、次の送信時間になってから送る（`hold`）かです。');
const version = z
  .int()
  .min(0)
  .max(2 ** 31 - 1)
  .describe('保存するたびに増える番号です。まだ保存していなければ0です。');
const ofGroup = z.object({ sender_group_id: idInPath.describe('送信者グループのidです。') });

const time = z.string().nullable();

export const getSendingRules = call({
  method: 'GET',
  path: '/sending_rules/:sender_group_id',
  summary: '送信者グループの送信ルール',
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
      .describe('このグループの、これからの休業日と送信する日です。'),
    limits: z.array(
      z.object({
        profile_id: id.describe('差出人のidです。'),
        limit: z.int().describe('今日の上限（通）です。'),
        used: z.int().describe('今日送った通数です。送信中のものを含みます。'),
      }),
    ),
    now: z.object({
      open: flag.describe('いま送信時間なら1です。'),
      reason: z.string().nullable().describe('送信時間外の理由です。'),
      closes_at: time.describe('いまの送信時間の終わりです。時間外なら null です。'),
      next_open_at: time.describe('次に送信できる日時です。いま送信できるなら、その日時です。'),
      left_today: z.int().nullable().describe('アカウントで今日あと何通送れるかです。'),
    }),
  }),
});

export const updateSendingRules = call({
  method: 'PUT',
  path: '/sending_rules/:sender_group_id',
  needs: 'admin',
  statementSeconds: 300,
  summary: '送信者グループの送信時間を変更する',
  errors: ['no_open_day', 'sending_rules_changed'],
  params: ofGroup,
  body: z.strictObject({
    version: version.optional().describe('読んだときの `version` です。省略すると、あとから保存したほうが残ります。'),
    update_info: z
      .strictObject({ periods, on_holidays: onHolidays, outside })
      .partial()
      .refine((info) => Object.values(info).some((value) => value !== undefined), '変更する項目を指定してください'),
  }),
  response: z.object({
    status: z.literal('updated').describe('変更しました。'),
    version,
    ...affectedFields,
  }),
});

/** The times in the answer of an order. */
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
