import { expect, test } from 'vitest';
import { addressee } from './addressee.ts';

test.each([
  [undefined, 'ご担当者様'],
  [null, 'ご担当者様'],
  ['', 'ご担当者様'],
  [' 　\n', 'ご担当者様'],
  ['山田太郎', '山田太郎様'],
  ['山田　太郎', '山田 太郎 様'],
  [' 代表取締役 山田太郎 ', '代表取締役 山田太郎 様'],
  ['山田様', '山田様'],
  ['山田 様', '山田 様'],
  ['総務部御中', '総務部御中'],
  ['総務部　御中 ', '総務部 御中'],
  ['ご担当者', 'ご担当者様'],
  ['様子', '様子様'],
])('bad-inputs 125: %j is greeted as %s', (person, line) => {
  expect(addressee(person)).toBe(line);
});
