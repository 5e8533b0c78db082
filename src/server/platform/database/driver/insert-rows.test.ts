import { expect, test } from 'vitest';
import { emptyDatabase } from '#test/db.ts';
import { addTenant } from '#test/prospects.ts';
import { insertRows, SLICE_ROWS, slicesOf } from './insert-rows.ts';

const TYPES = { account_id: 'bigint', name_search: 'text', name: 'text' };

test('rows are inserted in order, one statement per slice', async () => {
  const { db } = await emptyDatabase();
  const { accountId: account_id } = await addTenant(db);
  const rows = Array.from({ length: 2 * SLICE_ROWS + 1 }, (_, n) => ({
    account_id,
    name_search: `${(n * 7919) % 10_007}`,
    name: n % 2 === 0 ? `“${n}”, {\\}\n` : null,
  }));
  let statements = 0;
  const written = await db.transaction().execute((tx) =>
    insertRows(tx, 'industry', TYPES, rows, (insert) => {
      statements += 1;
      return insert.returning(['id', 'name_search', 'name']);
    }),
  );
  expect(statements).toBe(3);
  expect(written.map(({ name_search, name }) => ({ account_id, name_search, name }))).toStrictEqual(rows);
  const ids = written.map(({ id }) => id);
  expect(ids).toStrictEqual(ids.toSorted((a, b) => a - b));
});

test('without rows no statement is sent', async () => {
  const { db } = await emptyDatabase();
  const written = await db.transaction().execute((tx) =>
    insertRows(tx, 'industry', TYPES, [], () => {
      throw new Error('a statement was made');
    }),
  );
  expect(written).toStrictEqual([]);
});

test('rows of an iterator are made when their slice is taken', () => {
  let made = 0;
  const rows = Array.from({ length: SLICE_ROWS * 2 }, (_, n) => n)
    .values()
    .map((n) => {
      made += 1;
      return n;
    });
  const [first] = slicesOf(rows);
  expect([first?.length, made]).toStrictEqual([SLICE_ROWS, SLICE_ROWS]);
});
