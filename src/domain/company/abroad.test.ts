import { expect, test } from 'vitest';
import { hasCountryCode, isAbroad, namesCountry } from './abroad.ts';

test.each([
  '東京都港区赤坂1-1',
  '〒100-0001 東京都千代田区1-1',
  '港区赤坂1-1 ABCビル',
  '中区栄1-1',
  '1-1-1 Marunouchi, Chiyoda-ku',
  'Osaka 530-0001',
  'Naha, Okinawa, Japan',
  '福岡県北九州市小倉北区中国町1',
  '台東区上野1-1',
  'ニセコ町字富士見1',
  '1-2-3',
  'B1F',
  '',
])('%j is taken for an address of Japan', (address) => {
  expect(isAbroad(address)).toBe(false);
});

test.each([
  '350 Fifth Avenue, New York, NY 10118',
  'Singapore 018956',
  'アメリカ合衆国カリフォルニア州1',
  'カリフォルニア州サンノゼ1',
  '中国上海市浦東新区1',
  '广东省深圳市南山区',
  '広東省深圳市1',
  '台北市信義区1',
  '香港九龍1',
  'タイ、バンコク1',
  '서울특별시 강남구',
])('%j is abroad', (address) => {
  expect(isAbroad(address)).toBe(true);
});

test.each([
  ['', false],
  [' 日本 ', false],
  ['JPN', false],
  ['81', true],
  ['台湾', true],
])('a country %j: abroad is %j', (cell, expected) => {
  expect(namesCountry(cell)).toBe(expected);
});

test.each([
  ['+81 3 1234 5678', true],
  ['TEL:+1(702)555-0100', true],
  ['＋８６', true],
  ['(+81)', true],
  ['info+1@a.example', false],
  ['A+1株式会社', false],
  ['+1株式会社', false],
  ['+α', false],
])('a country code in %j: %j', (cell, expected) => {
  expect(hasCountryCode(cell)).toBe(expected);
});
