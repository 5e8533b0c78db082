import { expect, test } from 'vitest';
import { addressKey, domainOf } from './address-key.ts';

test('addresses that differ in case have one key, look-alike letters another', () => {
  expect(addressKey('Kimiko+A@Example.COM')).toBe('kimiko+a@example.com');
  for (const twin of ['\u212Aimiko@example.com', 'kım\u0131ko@example.com', 'İ@example.com', 'ｋimiko@example.com']) {
    expect(addressKey(twin)).toBe(twin);
  }
});

test.each([
  ['Info@Example.CO.JP', 'example.co.jp'],
  ['"a@b"@x.jp', 'x.jp'],
  ['x.jp', 'x.jp'],
  ['info@', ''],
])('the domain of %s is %s', (address, domain) => {
  expect(domainOf(address)).toBe(domain);
});
