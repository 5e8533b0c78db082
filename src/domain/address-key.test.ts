import { expect, test } from 'vitest';
import { addressKey } from './address-key.ts';

test('capitals do not tell addresses apart, look-alikes do', () => {
  expect(addressKey('Kimiko+A@Example.COM')).toBe('kimiko+a@example.com');
  for (const twin of ['\u212Aimiko@example.com', 'kım\u0131ko@example.com', 'İ@example.com', 'ｋimiko@example.com']) {
    expect(addressKey(twin)).toBe(twin);
  }
});
