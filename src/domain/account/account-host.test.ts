import { expect, test } from 'vitest';
import { isHostPattern, readAccountHost } from './account-host.ts';

const OFFERED = ['*.kaitaku.example.jp', 'sales.example.co.jp'];
/** 253 characters, the most. */
const LONGEST = `aaa${'a.'.repeat(116)}kaitaku.example.jp`;

test.each([
  ['acme.kaitaku.example.jp', 'acme.kaitaku.example.jp'],
  ['ACME.Kaitaku.example.jp.', 'acme.kaitaku.example.jp'],
  ['xn--wgv71a.kaitaku.example.jp', 'xn--wgv71a.kaitaku.example.jp'],
  [`${'a'.repeat(63)}.kaitaku.example.jp`, `${'a'.repeat(63)}.kaitaku.example.jp`],
  ['sales.example.co.jp', 'sales.example.co.jp'],
])('takes %s', (text, host) => expect(readAccountHost(text, OFFERED)).toStrictEqual({ host }));

test.each([
  '',
  '.',
  'kaitaku',
  'acme..kaitaku.example.jp',
  '.acme.kaitaku.example.jp',
  'acme.kaitaku.example.jp..',
  '-acme.kaitaku.example.jp',
  'ac_me.kaitaku.example.jp',
  '*.kaitaku.example.jp',
  '日本.kaitaku.example.jp',
  'acme。kaitaku.example.jp',
  'acme.kaitaku.example.jp:8443',
  'https://acme.kaitaku.example.jp',
  'acme.kaitaku.example.jp/login',
  'user@acme.kaitaku.example.jp',
  'acme .kaitaku.example.jp',
  'acme.kaitaku.example.jp\n',
  '10.0.0.7',
  '[::1]',
  '::1',
  `${'a'.repeat(64)}.kaitaku.example.jp`,
  `a${LONGEST}`,
])('%j is no host name', (text) => expect(readAccountHost(text, ['*.example.jp', text])).toBe('not_a_host'));

test('the longest name has 253 characters', () => {
  expect(LONGEST).toHaveLength(253);
  expect(readAccountHost(LONGEST, [LONGEST])).toStrictEqual({ host: LONGEST });
});

test.each(['kaitaku.example.jp', 'a.b.kaitaku.example.jp', 'evil-kaitaku.example.jp', 'www.sales.example.co.jp'])(
  '%s is not offered',
  (text) => expect(readAccountHost(text, OFFERED)).toBe('not_offered'),
);

test.each([
  ['*.kaitaku.example.jp', true],
  ['sales.example.co.jp', true],
  ['*', false],
  ['*.*.example.jp', false],
  ['a.*.example.jp', false],
  ['*.jp', false],
  ['Sales.example.jp:80', false],
])('%s as a pattern: %s', (text, isPattern) => expect(isHostPattern(text)).toBe(isPattern));
