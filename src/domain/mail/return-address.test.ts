import { describe, expect, test } from 'vitest';
import { parseMailAddress } from './address.ts';
import { isReturnPattern, readReturnAddress, refusalAddress, returnAddress } from './return-address.ts';

const KEY = '0123456789abcdef0123456789abcdef';
const isAddress = (address: string) => parseMailAddress(address).ok;

describe('a return address', () => {
  test.each(['b-{key}@bounce.example.co.jp', 'kaitaku+{key}@example.co.jp'])('of %s gives its key back', (pattern) => {
    expect(isReturnPattern(pattern, isAddress)).toBe(true);
    const address = returnAddress(pattern, KEY);
    expect(readReturnAddress(pattern, address)).toStrictEqual({ purpose: 'bounce', key: KEY });
    expect(readReturnAddress(pattern, `<${address.toUpperCase()}>`)).toStrictEqual({ purpose: 'bounce', key: KEY });
  });

  test.each([
    ['b-{key}@bounce.example.co.jp', `u-${KEY}@bounce.example.co.jp`],
    ['kaitaku+{key}@example.co.jp', `kaitaku+u-${KEY}@example.co.jp`],
  ])('of %s for refusals is %s', (pattern, address) => {
    expect(refusalAddress(pattern, KEY)).toBe(address);
    expect(readReturnAddress(pattern, address)).toStrictEqual({ purpose: 'refusal', key: KEY });
  });

  test.each([
    `b-${KEY}0@bounce.example.co.jp`,
    `b-${KEY.slice(1)}@bounce.example.co.jp`,
    `b-${KEY}@example.co.jp`,
    `x${KEY}@bounce.example.co.jp`,
    'b-@bounce.example.co.jp',
    '',
    '<>',
  ])('has no key in %j', (address) => {
    expect(readReturnAddress('b-{key}@bounce.example.co.jp', address)).toBeNull();
  });

  test.each([
    'bounce@example.co.jp',
    'b-{key}-{key}@example.co.jp',
    'b@{key}.example.co.jp',
    `${'b'.repeat(31)}{key}@example.co.jp`,
    '{key}',
  ])('cannot be %s', (pattern) => {
    expect(isReturnPattern(pattern, isAddress)).toBe(false);
  });
});
