import { z } from 'zod';
import { parseJson } from '#domain/text/json.ts';

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

/** The requested columns of a list; without it, all. Unknown names are refused. */
export const columns = <Shape extends z.core.$ZodLooseShape>(row: z.ZodObject<Shape>) =>
  jsonOr(z.array(row.keyof()).min(1).max(Object.keys(row.shape).length))
    .optional()
    .describe(
      '返す項目です。省略するとすべて返します。`columns[]=id` の形でも、JSON文字列 `columns=["id"]` の形でも書けます。',
    );
