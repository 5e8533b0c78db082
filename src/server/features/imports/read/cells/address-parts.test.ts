import { expect, it } from 'vitest';
import { type AddressCell, joinAddress } from './address-parts.ts';

const cells = (parts: Partial<Record<AddressCell['part'], string | string[]>>): AddressCell[] =>
  Object.entries(parts).flatMap(([part, texts]) =>
    [texts].flat().map((text) => ({ part: part as AddressCell['part'], text })),
  );

it.each([
  [{ address: '東京都港区虎ノ門1-2-3', rest: '霞ビル5階' }, '東京都港区虎ノ門1-2-3霞ビル5階'],
  [{ address: '東京都港区虎ノ門1-2-3', rest: '5F' }, '東京都港区虎ノ門1-2-3 5F'],
  [{ address: '東京都港区虎ノ門１－２－３', rest: '５Ｆ' }, '東京都港区虎ノ門１－２－３ ５Ｆ'],
  [{ address: '東京都', rest: ['港区虎ノ門', '1-2-3'] }, '東京都港区虎ノ門1-2-3'],
  [{ building: '霞ビル', rest: '1-2-3', city: '港区', prefecture: '東京都' }, '東京都港区1-2-3 霞ビル'],
  [{ prefecture: '東京都', address: '東京都港区1' }, '東京都港区1'],
  [{ prefecture: '東京都', address: '港区1' }, '東京都港区1'],
  [{ prefecture: '東京都', city: '港区', address: '東京都港区1' }, '東京都港区1'],
  [{ prefecture: '東京都', city: '港区', address: '港区1' }, '東京都港区1'],
  [{ prefecture: '東京都', city: '東京都港区', rest: '1' }, '東京都港区1'],
  [{ prefecture: '東京都', city: '', rest: '-', building: 'なし' }, '東京都'],
  [{ address: ' 東京都\r\n港区 ', rest: '\n1-1' }, '東京都 港区1-1'],
  [{ prefecture: '', address: '' }, ''],
])('bad-inputs 229: %j is %j', (parts, joined) => {
  expect(joinAddress(cells(parts))).toBe(joined);
});
