import { expect, it } from 'vitest';
import { parseNotice } from './publication-notice.ts';

it.each([
  '○',
  '◯',
  '〇',
  '✓',
  '１',
  'はい',
  'YES',
  '有',
  'お断り',
  '営業メールはご遠慮ください',
  'セールス拒否',
  'refused',
])('%s: the company declines sales mails', (text) => {
  expect(parseNotice(text)).toBe('refused');
});

it.each(['×', 'x', '０', 'いいえ', '表示なし', 'none'])('%s: it does not', (text) => {
  expect(parseNotice(text)).toBe('none');
});

it.each(['△', 'お断りの表示は無い', '営業お断りなし', '要確認', '2'])('%s: a person must decide', (text) => {
  expect(parseNotice(text)).toBeNull();
});
