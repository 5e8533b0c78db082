import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseCorporateNumber } from './corporate-number.ts';

// The numbers of the National Tax Agency, the Digital Agency and Toyota.
test.each([
  ['7000012050002', '7000012050002'],
  ['8000012010038', '8000012010038'],
  ['1180301018771', '1180301018771'],
  ['７００００１２０５０００２', '7000012050002'],
  ['7-0000-1205-0002', '7000012050002'],
  ['７－００００－１２０５－０００２', '7000012050002'],
  [' 7 0000 1205 0002 ', '7000012050002'],
])('bad-inputs 230: %j is read', (written, number) => {
  expect(parseCorporateNumber(written)).toStrictEqual({ ok: true, number });
});

test.each([
  ['7.00001E+12', 'scientific'],
  ['1.01E+12', 'scientific'],
  ['１．０１Ｅ＋１２', 'scientific'],
  ['000012050002', 'length'],
  ['70000120500020', 'length'],
  ['', 'length'],
  ['7'.repeat(1000), 'length'],
  ['6000012050002', 'check_digit'],
  ['0000000000000', 'check_digit'],
  ['T7000012050002', 'characters'],
  ['700001205000二', 'characters'],
])('bad-inputs 230: %j is refused: %s', (written, reason) => {
  expect(parseCorporateNumber(written)).toStrictEqual({ ok: false, reason });
});

test('exactly one of the ten first digits is a valid check digit', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^\d{12}$/), (rest) => {
      const right = Array.from({ length: 10 }, (_, first) => `${first}${rest}`).filter(
        (number) => parseCorporateNumber(number).ok,
      );
      expect(right).toHaveLength(1);
    }),
  );
});
