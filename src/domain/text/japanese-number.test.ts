import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJapaneseNumber } from './japanese-number.ts';

describe('what a list writes for a number', () => {
  test.each([
    ['0', 0],
    ['-0', 0],
    ['1234', 1234],
    ['007', 7],
    ['1,234', 1234],
    ['1,234,567', 1_234_567],
    ['１２３４', 1234],
    ['１，２３４', 1234],
    [' 1234　', 1234],
    ['-500', -500],
    ['－500', -500],
    ['−500', -500],
    ['△1,234', -1234],
    ['▲500', -500],
    ['▲1億', -100_000_000],
    ['1億', 100_000_000],
    ['5000万', 50_000_000],
    ['5,000万', 50_000_000],
    ['1億2千万', 120_000_000],
    ['1億2千3百万', 123_000_000],
    ['１．５億', 150_000_000],
    ['1.5億', 150_000_000],
    ['0.5万', 5000],
    ['3百万', 3_000_000],
    ['1億5', 100_000_005],
    ['2兆', 2_000_000_000_000],
    ['1,000万円', 10_000_000],
    ['1234円', 1234],
    ['¥1,000,000', 1_000_000],
    ['￥５００万', 5_000_000],
    ['\\1億', 100_000_000],
    ['-¥500', -500],
    ['¥-500', -500],
    ['△¥1,234円', -1234],
    ['100.00', 100],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['-9007199254740991', -Number.MAX_SAFE_INTEGER],
  ])('%s is %d', (text, value) => {
    expect(parseJapaneseNumber(text)).toStrictEqual({ ok: true, value });
  });

  test.each(['', ' ', '　', '-', '－', '―', '—', 'ー', '非公開', ' 非公開 '])('%j is no number', (text) => {
    expect(parseJapaneseNumber(text)).toStrictEqual({ ok: true, value: null });
  });

  test.each([
    '1e5',
    '0x10',
    'NaN',
    'Infinity',
    'abc',
    '1,23',
    '12,34',
    ',123',
    '1 234',
    '1.5',
    '1.23456億5.5',
    '0.00001万',
    '.5億',
    '1.億',
    '1.2.3',
    '+1',
    '--1',
    '△▲1',
    '△',
    '億',
    '1億万',
    '千',
    '1万2億',
    '2千3千',
    '円',
    '1234円円',
    '平成3年',
    'H3',
    '1991/4',
    '=1+1',
    '１２３４人',
    '¥',
    '¥億',
    '¥¥500',
    '-¥-500',
    '500¥',
    `${'1'.repeat(65)}`,
  ])('%j is refused', (text) => {
    expect(parseJapaneseNumber(text)).toStrictEqual({ ok: false, isTooLarge: false });
  });

  test.each(['9007199254740992', '123456789012345678901', '-123456789012345678901', '9007兆2千億'])(
    '%s is too large',
    (text) => {
      expect(parseJapaneseNumber(text)).toStrictEqual({ ok: false, isTooLarge: true });
    },
  );
});

test('every safe integer is read back, plain, grouped and full-width', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (value) => {
      const plain = String(value);
      const grouped = plain.replace(/\B(?=(\d{3})+$)/g, ',');
      const wide = grouped.replace(/[!-~]/g, (c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0));
      for (const text of [plain, grouped, wide]) {
        expect(parseJapaneseNumber(text)).toStrictEqual({ ok: true, value: value === 0 ? 0 : value });
      }
    }),
  );
});

test('any text is answered by a safe integer, null or a refusal', () => {
  const noise = fc.string({ unit: fc.constantFrom(...'0123456789,.-△億万千百十円 e'), maxLength: 30 });
  fc.assert(
    fc.property(fc.oneof(noise, fc.string()), (text) => {
      const parsed = parseJapaneseNumber(text);
      if (parsed.ok && parsed.value !== null) expect(Number.isSafeInteger(parsed.value)).toBe(true);
    }),
  );
});
