import { expect, test } from 'vitest';
import { fromBase32 } from '#test/second-step.ts';
import { base32, hashOfCode, isTotpCode, newRecoveryCodes, readCode, stepOf, totpOf, totpUri } from './totp.ts';

const SECRET = Buffer.from('12345678901234567890');

// RFC 6238, appendix B: the last six of its eight digits.
test.each([
  [59, '287082'],
  [1111111109, '081804'],
  [1111111111, '050471'],
  [1234567890, '005924'],
  [2000000000, '279037'],
  [20000000000, '353130'],
])('RFC 6238: at %i s the code is %s', (seconds, code) => {
  expect(totpOf(SECRET, Math.floor(seconds / 30))).toBe(code);
});

test('RFC 4226, appendix D: the codes of the first ten counters', () => {
  const codes = Array.from({ length: 10 }, (_, counter) => totpOf(SECRET, counter));
  expect(codes.join(' ')).toBe('755224 287082 359152 969429 338314 254676 287922 162583 399871 520489');
});

test('codes of one step before and after are accepted, no others', () => {
  const now = 1111111111_000;
  const present = Math.floor(now / 30_000);
  for (const around of [-1, 0, 1]) expect(stepOf(SECRET, totpOf(SECRET, present + around), now)).toBe(present + around);
  for (const around of [-3, -2, 2, 3]) expect(stepOf(SECRET, totpOf(SECRET, present + around), now)).toBeNull();
});

test('base32 is that of RFC 4648, and reads back', () => {
  expect(base32(Buffer.from('fooba'))).toBe('MZXW6YTB');
  expect(base32(SECRET)).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ');
  expect(fromBase32(base32(SECRET))).toStrictEqual(SECRET);
  expect(totpUri(SECRET, 'a+b@例え.jp')).toBe(
    `otpauth://totp/Kaitaku:a%2Bb%40${encodeURIComponent('例え')}.jp?secret=${base32(SECRET)}&issuer=Kaitaku`,
  );
});

test.each([
  ['１２３４５６', '123456'],
  [' 123 456\n', '123456'],
  ['123-456', '123456'],
  ['12345', '12345'],
  ['abcd-efgh‐ijkl－mnop', 'ABCDEFGHIJKLMNOP'],
  ['\u200Babcd\u3000efgh', 'ABCDEFGH'],
])('%j is read as %j', (typed, code) => {
  expect(readCode(typed)).toBe(code);
});

test.each(['12345', '1234567', '12345a', '', '१२३४५६', '12345\n'])('%j is no code of an app', (code) => {
  expect(isTotpCode(code)).toBe(false);
});

test('ten recovery codes of 80 bits in fours, all different, and hashed as they are read', () => {
  const codes = newRecoveryCodes();
  expect(new Set(codes).size).toBe(10);
  for (const code of codes) {
    expect(code).toMatch(/^(?:[A-Z2-7]{4}-){3}[A-Z2-7]{4}$/);
    expect(hashOfCode(code.toLowerCase().replaceAll('-', ' '))).toStrictEqual(hashOfCode(code));
  }
});
