import { beforeAll, expect, test } from 'vitest';
import { HOUR_MS } from '#domain/time-units.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { giveBackHourly, limitKey, secondsLeft, takeHourly } from './rate-limit.ts';

const NOW = Date.UTC(2026, 10, 21);

let database: TestDatabase;
beforeAll(async () => {
  database = await emptyDatabase();
});

test('concurrent uses cannot exceed the hourly limit', async () => {
  const limit = { key: limitKey('test', 1), limit: 5 };
  const answers = await Promise.all(Array.from({ length: 50 }, () => takeHourly(database.login, limit, NOW)));
  expect(answers.filter(Boolean)).toHaveLength(5);
  expect(await secondsLeft(database.login, limit.key, NOW + 1000)).toBe(3599);
  expect(await takeHourly(database.login, limit, NOW + HOUR_MS - 1)).toBe(false);
  expect(await takeHourly(database.login, limit, NOW + HOUR_MS)).toBe(true);
  expect(await takeHourly(database.login, { ...limit, limit: 1 }, NOW + HOUR_MS)).toBe(false);
});

test('a use given back can be taken again', async () => {
  const limit = { key: limitKey('test', 2), limit: 1 };
  expect(await takeHourly(database.login, limit, NOW)).toBe(true);
  await giveBackHourly(database.login, limit);
  await giveBackHourly(database.login, limit);
  expect(await takeHourly(database.login, limit, NOW)).toBe(true);
  expect(await takeHourly(database.login, limit, NOW)).toBe(false);
});

test('keys differ by the boundaries of their parts, and reveal no part', () => {
  expect(limitKey('a', 'bc')).not.toBe(limitKey('ab', 'c'));
  expect(limitKey('login', 'taro@example.com')).toMatch(/^[\w-]{43}$/);
});
