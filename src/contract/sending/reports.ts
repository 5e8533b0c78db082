import { z } from 'zod';
import { isDay } from '#domain/time/calendar.ts';
import { JUDGED_AFTER_DAYS, MAX_REPORT_DAYS } from '#domain/time/report-period.ts';
import { call } from '../call.ts';
import { flag, id, idInPath, idInQuery } from '../wire.ts';

/** The most industries of a report: those with the most mails. */
export const REPORTED_INDUSTRIES = 10;

const day = z
  .string()
  .refine(isDay, '日付は 2026-11-20 の形で入力してください')
  .meta({ documentedAs: z.iso.date().meta({ examples: ['2026-11-20'] }) });

const queryId = idInQuery.optional();

const count = (description: string) => z.int().min(0).describe(description);

const results = {
  sent: count('送信済みの数です。'),
  failed: count('届かなかった数です。送信後に戻ったメールも入ります。'),
  unknown: count('届いたか分からない（不明）数です。'),
  replied: count('返信があった数です。不在などの自動返信は入りません。'),
  refused: count('配信停止を希望された数です。本人が取り消したものは入りません。'),
};

const figures = z.object({
  ...results,
  complained: count('迷惑メールとして報告された数です。'),
  dead: count('宛先が存在しないなど、届かないと分かったアドレスの数です。'),
});
export type ReportFigures = z.infer<typeof figures>;
export type ReportResults = Omit<ReportFigures, 'complained' | 'dead'>;

const reportedDay = z.string().describe('日本時間の日付です。');

export const viewReport = call({
  method: 'GET',
  path: '/report/view',
  summary: '期間の送信の結果',
  errors: ['invalid_period'],
  query: z.strictObject({
    from: day.describe('期間の初めの日です。'),
    to: day.describe(`期間の終わりの日です（この日も入ります）。${MAX_REPORT_DAYS}日までです。`),
    before_from: day.optional().describe('比べる期間の初めの日です。'),
    before_to: day.optional().describe('比べる期間の終わりの日です。'),
    sender_group_id: queryId.describe('送信者グループのidです。省略するとすべてです。'),
    template_id: queryId.describe('テンプレートのidです。省略するとすべてです。'),
  }),
  response: z.object({
    from: reportedDay,
    to: reportedDay,
    before_from: reportedDay,
    before_to: reportedDay,
    total: figures
      .extend({ replied_by_hand: count('`replied` のうち、利用者の記録だけによる数です。') })
      .describe('期間の合計です。'),
    judged: z
      .object({
        ...figures.shape,
        is_enough: flag.describe('目安と比べられるなら1です。'),
      })
      .describe(`期間のうち、${JUDGED_AFTER_DAYS}日以上前に送ったメールの合計です。`),
    before: figures.describe('比べる期間の合計です。'),
    days: z.array(z.object({ day: reportedDay, ...results })).describe('日ごとの数です。送信がない日は入りません。'),
    templates: z
      .array(
        z.object({
          template_id: id.nullable().describe('テンプレートのidです。記録がなければ null です。'),
          name: z.string().nullable().describe('テンプレート名です。'),
          ...results,
        }),
      )
      .describe('テンプレートごとの数です。送信の多い順です。'),
    hours: z
      .array(
        z.object({
          weekday: z.int().min(0).max(6).describe('曜日です。0が日曜日です。'),
          hour: z.int().min(0).max(23).describe('時刻（時）です。'),
          ...results,
        }),
      )
      .describe('曜日と時間帯ごとの数です。送信がない時間帯は入りません。'),
    industries: z
      .array(
        z.object({
          name: z.string().nullable().describe('業種です。記録がなければ null です。'),
          ...results,
        }),
      )
      .describe(`業種ごとの数です。送信の多い順に、${REPORTED_INDUSTRIES}件までです。`),
  }),
});

/** How long a bar of a run's chart may be, in minutes: the shortest that gives some sixty bars. */
export const RUN_STEPS = [1, 10, 60, 1440] as const;

export const viewRunResults = call({
  method: 'GET',
  path: '/send_log/:id/results',
  summary: '1回の送信の時間ごとの結果',
  params: z.object({ id: idInPath.describe('送信ログのidです。') }),
  response: z.object({
    step_minutes: z.literal(RUN_STEPS).describe('1区切りの長さ（分）です。'),
    times: z
      .array(
        z.object({
          at: z.string().describe('区切りの初めの時刻です。'),
          ...results,
        }),
      )
      .describe('時刻ごとの数です。終わったメールがない区切りは入りません。'),
  }),
});
