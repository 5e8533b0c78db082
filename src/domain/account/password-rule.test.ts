import { expect, test } from 'vitest';
import { passwordFault } from './password-rule.ts';

const OWN = ['hanako.suzuki@example.co.jp', '鈴木 花子', '株式会社ひまわり商店'];

test.each([
  '正しい馬 電池 ホチキス',
  'correct horse battery staple',
  'tR8#kq2!Vw9z',
  '8472 9183 7465 2938',
  '😀😃😄😁🍎🍊🍇🍓🐶🐱🐭🐹',
  '😀😃😄🍎'.repeat(32),
  '  末尾の空白も文字です  ',
  'kaitaku-demo',
  'x9'.repeat(4) + 'Q!7m'.repeat(30),
])('%s is taken', (password) => expect(passwordFault(password, OWN)).toBeNull());

test.each(['x9Q!7mK#2vL', '😀😃😄😁🍎🍊🍇🍓🐶🐱🐭', 'x9Q!'.repeat(33)])('%s has the wrong length', (password) => {
  expect(passwordFault(password, OWN)).toBe('length');
});

test.each([
  'aaaaaaaaaaaa',
  'ああああああああああああ',
  '121212121212',
  '123456789012',
  '098765432109',
  'abcdefghijkl',
  'QwertyUiop123',
  'password1234',
  'Passw0rd!!!!',
  'パスワードパスワード12',
  '1q2w3e4r5t6y',
  '1qaz2wsx3edc',
  'iloveyou1234',
  'kaitaku-kaitaku',
  'hanako.suzuki@example.co.jp',
  'HANAKO.SUZUKI1',
  '株式会社ひまわり商店1234',
  '鈴木 花子鈴木 花子鈴木 花子',
])('%s is easy to guess', (password) => expect(passwordFault(password, OWN)).toBe('easy_to_guess'));

test('a name of one or two characters is no piece: it says nothing about the rest', () => {
  expect(passwordFault('李と電池と馬とホチキスと', ['李', '李@example.com'])).toBeNull();
});
