import { expect, test } from 'vitest';
import { dynamicModules, firstLoad, SCREENS } from '../../bench/first-load.ts';

/** How much of the built client each screen loads first, gzipped, in kB (design: 120 for /login, 260 for the list). */
const BARS: Readonly<Record<string, number>> = {
  '/login': 120,
  '/': 260,
  '/sends': 260,
  '/sends/1': 260,
  '/template/1': 400,
  '/account': 260,
  '/confirmation': 260,
};

test.each(Object.entries(SCREENS))('%s loads no more than its bar', (path, modules) => {
  const { js, css, all } = firstLoad(modules);
  expect(js).toBeGreaterThan(50);
  expect(css).toBeGreaterThan(1);
  expect(all).toBeLessThanOrEqual(BARS[path] ?? 0);
});

/** Loaded when somebody does something. */
const LATER = ['app/log-out-question.tsx', '../../node_modules/@holiday-jp/holiday_jp/lib/holidays.js'];

test('all that is loaded by itself is counted for a screen, or comes later', () => {
  const known = new Set([...LATER, ...Object.values(SCREENS).flat()]);
  expect(dynamicModules().filter((name) => !known.has(name))).toStrictEqual([]);
  expect([...known].filter((name) => !dynamicModules().includes(name))).toStrictEqual([]);
});
