import { expect, test } from 'vitest';
import { parseSuppressionValue } from './suppression-value.ts';

test.each([
  ['Info＠Example.co.jp', 'address', 'info@example.co.jp'],
  [' <a@x.jp> ', 'address', 'a@x.jp'],
  ['@Example.CO.JP', 'domain', 'example.co.jp'],
  ['＠ｅxample.co.jp。', 'domain', 'example.co.jp'],
])('%j is the %s %s', (written, kind, value) => {
  expect(parseSuppressionValue(written)).toStrictEqual({ ok: true, kind, value });
});

test.each([
  ['', 'blank'],
  ['*', 'no_at'],
  ['jp', 'no_at'],
  ['example.co.jp', 'no_at'],
  ['@jp', 'domain'],
  ['@', 'domain'],
  ['@例え.jp', 'idn'],
  ['@a@b.jp', 'list'],
  ['a@x.jp,b@x.jp', 'list'],
  ['@*.example.jp', 'domain'],
])('%j is refused: %s', (written, reason) => {
  expect(parseSuppressionValue(written)).toStrictEqual({ ok: false, reason });
});
