import { expect, test } from 'vitest';
import { monogramOf, prefectureOf, TONES, toneOf } from './at-a-glance.ts';

test.each([
  ['株式会社新栄アドバイザリー', '新'],
  ['瑞穂野フーズ株式会社', '瑞'],
  ['（株）「花」', '花'],
  ['㈱東洋', '東'],
  ['特定非営利活動法人 みどり', 'み'],
  ['abc holdings', 'A'],
  ['ｶﾞｲｱ有限会社', 'カ'],
  ['𠮷野家', '𠮷'],
  ['株式会社', '株'],
  ['★☆', '★'],
  [' ', '・'],
])('the monogram of %s is %s', (name, letter) => {
  expect(monogramOf(name)).toBe(letter);
});

test.each([
  ['東京都大田区蒲田1-2-3', '東京都'],
  ['〒100-0001 東京都千代田区', '東京都'],
  ['京都府京都市', '京都府'],
  ['神奈川県横浜市', '神奈川県'],
  ['北海道札幌市', '北海道'],
  ['横浜市西区', ''],
  [null, ''],
])('the prefecture of %j is %j', (address, prefecture) => {
  expect(prefectureOf(address)).toBe(prefecture);
});

test('common industries seldom share a tone', () => {
  const industries = ['製造業', '建設業', '卸売業', '小売業', '情報通信業', '不動産業', '医療・福祉', '宿泊・飲食業'];
  const tones = industries.map(toneOf);
  expect(Math.min(...tones)).toBeGreaterThanOrEqual(1);
  expect(Math.max(...tones)).toBeLessThanOrEqual(TONES);
  expect(new Set(tones).size).toBeGreaterThanOrEqual(4);
  expect(toneOf(null)).toBe(0);
});
