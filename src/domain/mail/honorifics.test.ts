import { expect, test } from 'vitest';
import { doubledHonorifics } from './honorifics.ts';

test.each([
  ['山田様様', '山田様様'],
  ['株式会社みどり御中様', '株式会社みどり御中様'],
  ['山田 太郎 様 様\nいつも', '様 様'],
  ['山田様　御中', '山田様　御中'],
  ['会員様各位', '会員様各位'],
  ['こんにちは、山田さま様。', '山田さま様'],
  ['山田様様様', '山田様様様'],
  ['山田 太郎 先生 様', '先生 様'],
  ['山田殿様', '山田殿様'],
])('%j', (text, found) => {
  expect(doubledHonorifics(text)).toStrictEqual([found]);
});

test.each([
  '山田様',
  '株式会社みどり 御中\n山田様',
  '山田様、鈴木様',
  '様々なお客様',
  '御中元のご案内',
  '先生各位',
  '',
])('%j has no honorific twice', (text) => {
  expect(doubledHonorifics(text)).toStrictEqual([]);
});
