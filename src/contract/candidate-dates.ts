import { z } from 'zod';
import { MAX_CANDIDATE_DATES, PICKER_MONTHS, PICKER_STEP_MINUTES } from '#domain/limits.ts';
import { FIRST_TIME, firstAllowedDay, LAST_TIME } from '#domain/sending/picker-window.ts';
import { DAY_MS } from '#domain/time-units.ts';
import { jsonOr } from './json-parameter.ts';

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
