import { expect, it } from 'vitest';
import { parseWebAddress } from './web-address.ts';

it.each([
  ['https://sakura.example/', 'https://sakura.example/'],
  ['HTTP://Sakura.example', 'HTTP://Sakura.example'],
  ['www.sakura.example/問い合わせ', 'https://www.sakura.example/問い合わせ'],
  ['sakura.example:8080/a', 'https://sakura.example:8080/a'],
  ['ｈｔｔｐｓ：／／ｓａｋｕｒａ．ｅｘａｍｐｌｅ', 'https://sakura.example'],
  ['https://日本.example/?q=a:b', 'https://日本.example/?q=a:b'],
])('bad-inputs 90: %s', (text, expected) => {
  expect(parseWebAddress(text)).toBe(expected);
});

it.each([
  'javascript:alert(1)',
  'JavaScript:1',
  'java\tscript:alert(1)',
  'data:text/html,x',
  'mailto:a@x.jp',
  'ftp://x.jp',
  'file:///etc/passwd',
  '//x',
  '//x.example',
  '/contact',
  '\\\\x.example',
  'https:x.example',
  'https:///x.example',
  'https://',
  'https://localhost',
  'https://user:pw@x.example',
  'https://x.example https://y.example',
  '準備中',
  '?',
  `https://x.example/${'a'.repeat(3000)}`,
  `${'あ'.repeat(2045)}.jp`,
])('bad-inputs 90: %s is refused', (text) => {
  expect(parseWebAddress(text)).toBeNull();
});
