import { expect, test } from 'vitest';
import { retryAfterSeconds, transportRetrySeconds } from './retry.ts';

test('a deferred mail waits 1, 5, 15, 60 and 240 minutes, then it has failed', () => {
  const minutes = [1, 2, 3, 4, 5, 6].map((attempts) => retryAfterSeconds(attempts, 0.5));
  expect(minutes).toStrictEqual([60, 300, 900, 3600, 14_400, null]);
});

test('mails that failed together come again spread by a fifth either way', () => {
  expect(retryAfterSeconds(1, 0)).toBe(48);
  expect(retryAfterSeconds(1, 0.999_999)).toBe(72);
  expect(transportRetrySeconds(0.5)).toBe(30);
});
