import fc from 'fast-check';
import { expect, test } from 'vitest';
import { identityKey } from './prospect-identity.ts';

const key = (company_name: string, address: string | null) => identityKey({ company_name, address });

test.each([
  ['株式会社ABC', '東京都港区１－２', '株式会社ＡＢＣ', '東京都港区1-2'],
  ['㈱テスト', '東京', '(株)ﾃｽﾄ', '東京'],
  [' 株式会社  A\n', ' 東京 ', '株式会社　A', '東京'],
  ['ガス', null, 'カ\u3099ス', ''],
  ['Abc', '　', 'ABC', null],
])('%j at %j is %j at %j', (name, address, otherName, otherAddress) => {
  expect(key(name, address)).toBe(key(otherName, otherAddress));
});

test.each([
  ['株式会社A', '東京', '株式会社A', '大阪'],
  ['株式会社A', '東京', '株式会社B', '東京'],
  ['A', 'B C', 'A B', 'C'],
  ['AB', '', 'A', 'B'],
])('%j at %j is not %j at %j', (name, address, otherName, otherAddress) => {
  expect(key(name, address)).not.toBe(key(otherName, otherAddress));
});

test('the key tells where the name ends', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (name, address) => {
      expect(key(name, address).split('\n')).toStrictEqual([key(name, '').slice(0, -1), key('', address).slice(1)]);
    }),
  );
});
