import { z } from 'zod';
import { SKIP_REASONS } from '#domain/eligibility.ts';
import { MAX_CANDIDATE_DATES, MAX_TARGETS, PICKER_MONTHS, PICKER_STEP_MINUTES } from '#domain/limits.ts';
import { FIRST_TIME, firstAllowedDay, LAST_TIME } from '#domain/picker-window.ts';
import { DAY_MS } from '#domain/time-units.ts';
import { emailText, id, jsonOr, text } from './wire.ts';

/** The client's fields for the companies to be mailed, and the answer for each one that is left out. */

/**
 * A target as a client sends it. The server identifies it by prospect_id alone. company_email is read in test mode
 * only, where it is the test address; each `[n]` in it becomes the row's index. The client sends null where its list
 * had no address.
 */
export const target = z
  .strictObject({
    prospect_id: id.describe('見込み客のidです。'),
    company_name: text(1000).optional().describe('会社名です。メールには、見込み客に登録された会社名が入ります。'),
    company_email: emailText.nullish().meta({
      description:
        'テストモードのときの送信先です。`[n]` は、0から始まる行の番号になります。null なら対象外（`no_email`）です。テストモードでなければ使いません。',
      examples: ['test+[n]@example.jp'],
    }),
    person_in_charge: text(1000)
      .nullish()
      .describe('宛名です。メールには、見込み客に登録された代表者が入ります。登録されていなければ「ご担当者様」です。'),
  })
  .meta({ schemaName: 'AttackListTarget' });
export type AskedTarget = z.output<typeof target>;

export const attackList = <Entry extends z.ZodType>(entry: Entry) =>
  jsonOr(z.array(entry).min(1, 'アタックリストが0件です').max(MAX_TARGETS));

const timeOfDay = z.string().regex(/^\d{1,2}:\d{2}$/);

/** A meeting slot offered in the mail: date YYYY-MM-DD, times H:mm or HH:mm. */
export const candidateDate = z
  .strictObject({
    date: z
      .string()
      .regex(/^\d{4}-\d{2}-\d{2}$/)
      .meta({
        description: `日付（\`YYYY-MM-DD\`）です。平日で、時間帯の全体が明日${FIRST_TIME}から${PICKER_MONTHS}か月以内に入るものです。`,
        exampleAt: (now: number) => firstAllowedDay(now + 10 * DAY_MS),
      }),
    start_time: timeOfDay.meta({
      description: `開始時刻です。${FIRST_TIME}から${LAST_TIME}までの${PICKER_STEP_MINUTES}分単位です。`,
      examples: ['9:00'],
    }),
    end_time: timeOfDay.meta({
      description: '終了時刻です。開始時刻より後で、同じ範囲と単位です。',
      examples: ['18:00'],
    }),
  })
  .meta({ schemaName: 'CandidateDate' });

/** The candidate dates of a mail; null: it offers none. */
export const candidateDates = jsonOr(z.array(candidateDate).min(1).max(MAX_CANDIDATE_DATES).nullable());

export const skippedTarget = z
  .object({
    prospect_id: id.describe('見込み客のidです。'),
    reason: z.enum(SKIP_REASONS).describe('対象外の理由です。'),
  })
  .meta({ schemaName: 'SkippedTarget' });

/** Makes the mails of a list follow-ups. */
export const followUpOf = id.optional().meta({
  description:
    'フォローアップにする送信ログのidです。その送信のメールへの返信の形（件名は「Re: 」と元の件名）で送ります。' +
    '届いていない、返信があった、あとにメールを送った、またはフォローアップの送信だった見込み客は対象外です。省略すると、はじめてのメールです。',
  examples: [12],
});
