import { z } from 'zod';
import { parseDateTime } from '#domain/time/tokyo-time.ts';
import { flag, idInQuery } from './wire.ts';

/** Adds bounds to a filter, as in `where_info[send_at][gt]=…`. */
const within = <S extends z.ZodType>(value: S) =>
  z
    .strictObject({ gt: value.optional(), gte: value.optional(), lt: value.optional(), lte: value.optional() })
    .refine((bounds) => Object.values(bounds).some((bound) => bound !== undefined), '比較する値を指定してください');

/** Filters of a where_info: equal to a value or, where a list can be paged by it, within bounds. */
export const idFilter = idInQuery.optional();
export const idOrBounds = z.union([idInQuery, within(idInQuery)]).optional();
export const flagFilter = z
  .union([flag, z.enum(['0', '1']).transform(Number)])
  .transform((value) => value === 1)
  .meta({ documentedAs: flag })
  .optional();

/** An instant: `YYYY/MM/DD HH:mm[:ss]` in Asia/Tokyo, or ISO 8601 with an offset. */
export const dateTime = z
  .string()
  .max(40)
  .transform((written, context) => {
    const instant = parseDateTime(written);
    if (instant !== null) return new Date(instant);
    context.addIssue({ code: 'custom', message: '日時は 2026/11/20 09:00:00 の形で入力してください' });
    return z.NEVER;
  })
  .meta({ documentedAs: z.string().meta({ examples: ['2026/11/20 09:00:00'] }) });

export const dateTimeOrBounds = z.union([dateTime, within(dateTime)]).optional();
