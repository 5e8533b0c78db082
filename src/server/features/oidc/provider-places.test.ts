import { expect, test } from 'vitest';
import { providerPlaces } from './provider-places.ts';

test('ten of an account and a hundred of a process wait at once, and each end gives a place back', async () => {
  const inPlace = providerPlaces();
  const { promise, resolve } = Promise.withResolvers<'done'>();
  const begin = (accountId: number, times: number) =>
    Array.from({ length: times }, () => inPlace(accountId, () => promise));
  const refused = { code: 'busy', retryAfter: 5 };
  const waiting = begin(1, 10);
  expect(await inPlace(1, async () => 'done')).toMatchObject(refused);
  await expect(inPlace(2, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  for (let accountId = 2; accountId <= 10; accountId += 1) waiting.push(...begin(accountId, 10));
  expect(await inPlace(11, async () => 'done')).toMatchObject(refused);
  resolve('done');
  expect(new Set(await Promise.all(waiting))).toStrictEqual(new Set(['done']));
  expect(await inPlace(1, async () => 'done')).toBe('done');
});
