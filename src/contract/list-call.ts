import { z } from 'zod';
import { call } from './call.ts';
import { columns, whereInfo } from './json-parameter.ts';
import { intInQuery } from './wire.ts';

/** The most rows that a list returns. Calls whose rows hold an attack list return fewer. */
export const MAX_LIST_ROWS = 1000;
export const MAX_LIST_ROWS_WITH_ATTACK_LIST = 200;

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
