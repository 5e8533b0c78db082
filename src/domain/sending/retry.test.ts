import { expect, test } from 'vitest';
import { pauseSeconds, retryAfterSeconds, transportRetrySeconds } from './retry.ts';

test('a deferred mail waits 1, 5, 15, 60 and 240 minutes, then it has failed', () => {
  const minutes = [1, 2, 3, 4, 5, 6].map((attempts) => retryAfterSeconds(attempts, 0.5));
  expect(minutes).toStrictEqual([60, 300, 900, 3600, 14_400, null]);
});

test('the wait before a retry varies by a fifth either way', () => {
  expect(retryAfterSeconds(1, 0)).toBe(48);
  expect(retryAfterSeconds(1, 0.999_999)).toBe(72);
  expect(transportRetrySeconds(0.5)).toBe(30);
});

test('each pause is twice as long, ten minutes at most, spread by a fifth', () => {
  expect([0, 1, 2, 3, 4, 5, 60].map((pauses) => pauseSeconds(pauses, 0.5))).toStrictEqual([
    30, 60, 120, 240, 480, 600, 600,
  ]);
  expect(pauseSeconds(0, 0)).toBe(24);
  expect(pauseSeconds(60, 0.999_999)).toBe(720);
});
