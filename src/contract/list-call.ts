import { z } from 'zod';
import { parseDateTime } from '#domain/tokyo-time.ts';
import { call } from './call.ts';
import { columns, flag, intInQuery, whereInfo } from './wire.ts';

/** The most rows that a list returns. Calls whose rows hold an attack list return fewer. */
export const MAX_LIST_ROWS = 1000;
export const MAX_LIST_ROWS_WITH_ATTACK_LIST = 200;

/** Adds bounds to a filter, as in `where_info[send_at][gt]=…`. */
const within = <S extends z.ZodType>(value: S) =>
  z
    .strictObject({ gt: value.optional(), gte: value.optional(), lt: value.optional(), lte: value.optional() })
    .refine((bounds) => Object.values(bounds).some((bound) => bound !== undefined), '比較する値を指定してください');

const intOfId = intInQuery(1, Number.MAX_SAFE_INTEGER);

/** Filters of a where_info: equal to a value or, where a list can be paged by it, within bounds. */
export const idFilter = intOfId.optional();
export const idOrBounds = z.union([intOfId, within(intOfId)]).optional();
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

const MAX_OFFSET = 1_000_000_000;

/**
 * Describes a call that lists rows of the account. `where_info` and `columns` accept only the names given here. `limit`
 * and `offset` select a page. `row` is a row with all its columns.
 */
export const listCall = <
  const Path extends `/${string}`,
  Where extends z.ZodRawShape,
  Shape extends Readonly<Record<string, z.ZodType>>,
>({
  path,
  summary,
  description,
  where,
  name,
  row,
  maxRows = MAX_LIST_ROWS,
}: {
  path: Path;
  /** The name of a row in the reference. */
  name: string;
  summary: string;
  description: string;
  where: Where;
  row: z.ZodObject<Shape>;
  maxRows?: number;
}) =>
  call({
    method: 'GET',
    path,
    summary,
    description,
    query: z.strictObject({
      where_info: whereInfo(where),
      columns: columns(row),
      limit: intInQuery(1, maxRows)
        .default(maxRows)
        .describe(`返す件数の上限です（1〜${maxRows}、省略すると${maxRows}）。`),
      offset: intInQuery(0, MAX_OFFSET).default(0).describe('先頭から飛ばす件数です（省略すると0）。'),
    }),
    isList: true,
    response: z.array(row.partial().meta({ schemaName: name })),
  });
