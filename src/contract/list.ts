import { z } from 'zod';
import { DEFAULT_PAGE_SIZE, MAX_WHOLE_LIST_ROWS, MAX_WHOLE_LIST_TARGETS, PAGE_SIZES } from '#domain/limits.ts';
import { parseJson } from '#domain/text/json.ts';
import { parseDateTime } from '#domain/time/tokyo-time.ts';
import { call } from './call.ts';
import { choiceInQuery, flag, idInQuery, intInQuery } from './wire.ts';

const jsonText = z.string().meta({ contentMediaType: 'application/json' });

/** A parameter as a JSON string, as the specification sends it, or as the value itself. */
export const jsonOr = <S extends z.ZodType>(schema: S) =>
  z
    .preprocess((value, context) => {
      if (typeof value !== 'string') return value;
      try {
        return parseJson(value);
      } catch (error) {
        context.issues.push({ code: 'custom', message: (error as SyntaxError).message, input: value });
        return value;
      }
    }, schema)
    .meta({ documentedAs: z.union([schema, jsonText]) });

/** A query object in brackets (`where_info[id]=1`) or as a JSON string (`where_info={"id":1}`). */
export const whereInfo = <Shape extends z.ZodRawShape>(shape: Shape) =>
  jsonOr(z.strictObject(shape))
    .optional()
    .describe(
      '絞り込みの条件です。すべての条件を満たすものだけを返します。`where_info[id]=1` の形でも、JSON文字列 `where_info={"id":1}` の形でも書けます。',
    );

/** The requested columns of a list; absent: all. Unknown names are refused. */
export const columns = <Shape extends z.core.$ZodLooseShape>(row: z.ZodObject<Shape>) =>
  jsonOr(z.array(row.keyof()).min(1).max(Object.keys(row.shape).length))
    .optional()
    .describe(
      '返す項目です。省略するとすべて返します。`columns[]=id` の形でも、JSON文字列 `columns=["id"]` の形でも書けます。',
    );

/** Adds bounds to a filter, as in `where_info[send_at][gt]=…`. */
const within = <S extends z.ZodType>(value: S) =>
  z
    .strictObject({ gt: value.optional(), gte: value.optional(), lt: value.optional(), lte: value.optional() })
    .refine((bounds) => Object.values(bounds).some((bound) => bound !== undefined), '比較する値を指定してください');

/** Filters of a where_info: equal to a value, or within bounds if a list can be paged by it. */
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

/** The most rows of one page, by `limit`. Calls whose rows hold an attack list return fewer. */
export const MAX_LIST_ROWS = 1000;
export const MAX_LIST_ROWS_WITH_ATTACK_LIST = 200;

const MAX_OFFSET = 1_000_000_000;

interface ListGiven<
  Path extends `/${string}`,
  Where extends z.ZodRawShape,
  Shape extends Readonly<Record<string, z.ZodType>>,
> {
  readonly path: Path;
  readonly summary: string;
  readonly where: Where;
  /** A row with all its columns. */
  readonly row: z.ZodObject<Shape>;
  readonly maxRows?: number;
}

/**
 * Describes a call that lists rows of the account. `where_info` and `columns` accept only the names given here. `limit`
 * and `offset` select a page.
 */
export const listCall = <
  const Path extends `/${string}`,
  Where extends z.ZodRawShape,
  Shape extends Readonly<Record<string, z.ZodType>>,
>({
  path,
  summary,
  where,
  row,
  maxRows = MAX_LIST_ROWS,
}: ListGiven<Path, Where, Shape>) =>
  call({
    method: 'GET',
    path,
    summary,
    query: z.strictObject({
      where_info: whereInfo(where),
      columns: columns(row),
      limit: intInQuery(1, maxRows)
        .default(maxRows)
        .describe(`返す件数の上限です（1〜${maxRows}、省略すると${maxRows}）。`),
      offset: intInQuery(0, MAX_OFFSET).default(0).describe('先頭から飛ばす件数です（省略すると0）。'),
    }),
    isList: true,
    response: z.array(row.partial()),
  });

/** The columns of whole lists for which each target of a row is read or judged. */
export const TARGET_COLUMNS = ['attack_list', 'suppressed', 'replied', 'maybe_refused'] as const;

/**
 * Describes a list that the specification's client reads without `limit`: it is returned whole, or refused by 422. The
 * client shows its user no message for 400 and 404 (spec section 8).
 */
export const wholeListCall = <
  const Path extends `/${string}`,
  Where extends z.ZodRawShape,
  Shape extends Readonly<Record<string, z.ZodType>>,
>(
  given: ListGiven<Path, Where, Shape> & {
    /** The name of a row in the reference. */
    readonly name: string;
    readonly description: string;
  },
) => {
  const { maxRows = MAX_LIST_ROWS, name, description, row } = given;
  const { query, ...list } = listCall(given);
  const ofTargets = TARGET_COLUMNS.filter((name) => name in row.shape).map((name) => `\`${name}\``);
  const most = `${MAX_WHOLE_LIST_ROWS.toLocaleString('ja-JP')}件${
    ofTargets.length > 0
      ? `、${ofTargets.join('、')} の宛先は合わせて${MAX_WHOLE_LIST_TARGETS.toLocaleString('ja-JP')}件`
      : ''
  }`;
  return call({
    ...list,
    audience: 'integrator',
    description,
    errors: [['too_many_rows', `\`limit\` を指定せず、返すものが多すぎるとき（${most}まで）`]],
    query: query.extend({
      limit: intInQuery(1, maxRows)
        .optional()
        .describe(`返す件数の上限です（1〜${maxRows}）。省略するとすべて返します（${most}まで）。`),
    }),
    response: z.array(row.partial().meta({ schemaName: name })),
  });
};

/** The parameters of a call that returns a page. */
export const paging = {
  pagenate_count: choiceInQuery(PAGE_SIZES)
    .default(DEFAULT_PAGE_SIZE)
    .describe('1ページの件数です。20、50、100、200のどれかです（省略すると50）。'),
  pagenate_num: intInQuery(1, 1_000_000).default(1).describe('ページ番号です。1から数えます（省略すると1）。'),
};

/** The number of rows of all pages. */
export const total = z.int().meta({ description: '全体の件数です。', examples: [1] });
