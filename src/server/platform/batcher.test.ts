import { expect, test } from 'vitest';
import { batcher } from './batcher.ts';

test('calls of one moment share a batch; each gets its own result', async () => {
  const batches: number[][] = [];
  const double = batcher(async (items: number[]) => {
    batches.push(items);
    return items.map((item) => item * 2);
  }, 3);
  expect(await Promise.all([1, 2, 3, 4].map(double))).toStrictEqual([2, 4, 6, 8]);
  expect(batches).toStrictEqual([[1, 2, 3], [4]]);
});

test('what comes while a batch runs is the next batch', async () => {
  const batches: number[][] = [];
  let release = () => {};
  const work = batcher(async (items: number[]) => {
    batches.push(items);
    if (batches.length === 1) {
      await new Promise<void>((done) => {
        release = done;
      });
    }
    return items;
  }, 10);
  const first = work(1);
  await new Promise(setImmediate);
  const others = [work(2), work(3)];
  release();
  expect(await Promise.all([first, ...others])).toStrictEqual([1, 2, 3]);
  expect(batches).toStrictEqual([[1], [2, 3]]);
});

test('a batch that fails fails for its callers alone', async () => {
  let calls = 0;
  const work = batcher(async (items: number[]) => {
    calls += 1;
    if (calls === 1) throw new Error('no database');
    return items;
  }, 1);
  const results = await Promise.allSettled([work(1), work(2)]);
  expect(results.map(({ status }) => status)).toStrictEqual(['rejected', 'fulfilled']);
});
