import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { emptyDatabase } from '#test/db.ts';
import { shapedQuery } from './shaped-query.ts';

test('a query is put together once a shape, and takes the values of each call', async () => {
  const { db } = await emptyDatabase();
  const build = vi.fn(({ down }: { down: boolean }, { from, to }: { from: number; to: number }) => {
    const order = down ? sql`DESC` : sql`ASC`;
    return sql<{
      n: number;
    }>`SELECT n FROM generate_series(${from}::int, ${to}::int) AS n ORDER BY n ${order} LIMIT ${2}`;
  });
  const count = shapedQuery(build);
  expect(await count(db, { down: false }, { from: 1, to: 5 })).toStrictEqual([{ n: 1 }, { n: 2 }]);
  expect(await count(db, { down: true }, { from: 1, to: 5 })).toStrictEqual([{ n: 5 }, { n: 4 }]);
  expect(await count(db, { down: false }, { from: 7, to: 9 })).toStrictEqual([{ n: 7 }, { n: 8 }]);
  expect(build).toHaveBeenCalledTimes(2);
});
