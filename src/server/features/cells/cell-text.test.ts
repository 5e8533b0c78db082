import { expect, it } from 'vitest';
import { cleanCell } from './cell-text.ts';

it.each([
  ['  株式会社 甲　', '株式会社 甲'],
  ['株式会社\r\n甲\t乙', '株式会社 甲 乙'],
  ['\u200b甲\ufeff乙', '甲乙'],
  ['ハ\u3099ンタ\u3099イ ほ\u309aぷら', 'バンダイ ぽぷら'],
  ['ﾊﾞﾝﾀﾞｲ', 'ﾊﾞﾝﾀﾞｲ'],
  ['\ufa19崎', '\ufa19崎'],
  ['=HYPERLINK("http://x")', '=HYPERLINK("http://x")'],
  ['="5010401067252"', '5010401067252'],
  [' ="  甲 " ', '甲'],
  ['="a""b"', 'a"b'],
  ['=""', ''],
  ['="a"&"b"', '="a"&"b"'],
  ['=“甲”', '=“甲”'],
  ['👨\u200d👩', '👨\u200d👩'],
])('%j is stored as %j', (cell, expected) => {
  expect(cleanCell(cell)).toBe(expected);
});

it.each(['a\u0000b', 'a\u0007', 'a\u001bb', 'a\u0085', 'a\u202eb', '\u2067a'])(
  'bad-inputs 84: %j is refused',
  (cell) => {
    expect(cleanCell(cell)).toBeNull();
  },
);
