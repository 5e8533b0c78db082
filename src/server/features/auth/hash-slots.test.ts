import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { slots } from './hash-slots.ts';

test('a gate limits concurrent and waiting tasks, and refuses others at once', async () => {
  const inSlot = slots(2, 3);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const answers = Array.from({ length: 7 }, (_, n) =>
    inSlot(async () => {
      begun.push(n);
      await new Promise<void>((done) => ends.push(done));
      return n;
    }),
  );
  expect(await Promise.all(answers.slice(5))).toStrictEqual([null, null]);
  expect(begun).toStrictEqual([0, 1]);
  for (let n = 0; n < 5; n += 1) {
    ends[n]?.();
    await answers[n];
    await turn();
    expect(begun).toStrictEqual(Array.from({ length: Math.min(5, n + 3) }, (_, at) => at));
  }
  expect(await Promise.all(answers)).toStrictEqual([0, 1, 2, 3, 4, null, null]);
});

test('a failed task passes its slot to the next one', async () => {
  const inSlot = slots(1, 1);
  const fails = inSlot(() => Promise.reject(new Error('no')));
  const waits = inSlot(async () => 'done');
  await expect(fails).rejects.toThrow('no');
  expect(await waits).toBe('done');
  expect(await inSlot(async () => 'again')).toBe('again');
});
