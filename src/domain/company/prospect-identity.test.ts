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
  ['㈱甲', '東京', '株式会社甲', '東京'],
  ['（株） 甲', '東京', '株式会社　甲', '東京'],
  ['甲(有)', null, '甲 有限会社', null],
  ['(同)甲', null, '合同会社甲', null],
  ['㍿甲', null, '株式会社甲', null],
  ['㈻甲', null, '学校法人甲', null],
  // What CP932 makes of characters that it does not have.
  ['甲〜乙', '1−2', '甲～乙', '1－2'],
  ['甲‖乙', '—', '甲∥乙', '―'],
  ['〝甲〞', '¥', '〝甲〟', '\\'],
  ['甲·乙', null, '甲・乙', null],
  // The dashes of an address.
  ...Array.from('－‐‑–—―─−ーｰ﹣', (dash): [string, string, string, string] => [
    '甲',
    `芝1${dash}2${dash}3`,
    '甲',
    '芝1-2-3',
  ]),
  ['甲', '芝1－Ｂ', '甲', '芝1ーB'],
  ['甲', '芝二ー三', '甲', '芝二-三'],
])('%j at %j is %j at %j', (name, address, otherName, otherAddress) => {
  expect(key(name, address)).toBe(key(otherName, otherAddress));
});

test.each([
  ['株式会社A', '東京', '株式会社A', '大阪'],
  ['株式会社A', '東京', '株式会社B', '東京'],
  ['A', 'B C', 'A B', 'C'],
  ['AB', '', 'A', 'B'],
  ['株式会社甲', '', '甲株式会社', ''],
  ['甲(株)乙', '', '甲株式会社乙', ''],
  ['髙田', '', '高田', ''],
  ['甲', '港区スーパー通り1', '甲', '港区ス-パ-通り1'],
  ['甲', 'タワー1', '甲', 'タワ-1'],
  ['甲ー1', '', '甲-1', ''],
  ['甲', '(株)', '甲', '株式会社'],
])('%j at %j is not %j at %j', (name, address, otherName, otherAddress) => {
  expect(key(name, address)).not.toBe(key(otherName, otherAddress));
});

test('a key separates name and address: moved letters give another key', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (name, address) => {
      expect(key(name, address).split('\n')).toStrictEqual([key(name, '').slice(0, -1), key('', address).slice(1)]);
    }),
  );
});

test('a key is the key of its own name and address', () => {
  const part = fc.string({ unit: fc.constantFrom('(', '株', ')', '株式会社', '㈲', ' ', '甲', '〜', '社', '1', 'ー') });
  fc.assert(
    fc.property(part, part, (name, address) => {
      const [folded = '', at = ''] = key(name, address).split('\n');
      expect(key(folded, at)).toBe(key(name, address));
    }),
  );
});
