import { expect, test } from 'vitest';
import { readPage } from './page.queries.ts';

test('bad-inputs 238: a page may be a list of a million companies, in two parts', async () => {
  const numbers = Array.from({ length: 500_000 }, (_, id) => id);
  const page = await readPage(
    { offset: 0, limit: 1_000_000, sort: { sort: 'active', order: 'asc' } },
    async (part) => ({
      total: 1_000_000,
      numbers: part === 0 ? numbers : numbers.map((id) => id + 500_000),
    }),
  );
  expect(page?.ids).toHaveLength(1_000_000);
  expect(page?.ids.at(-1)).toBe(999_999);
});
