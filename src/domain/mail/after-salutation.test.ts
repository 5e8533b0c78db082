import { expect, it } from 'vitest';
import { htmlAfterSalutation, textAfterSalutation } from './after-salutation.ts';

const NAMES = ['株式会社みどり製作所', '緑川 花子'];

it.each([
  ['株式会社みどり製作所\r\n緑川 花子 様\r\n\r\n突然のご連絡を', '突然のご連絡を'],
  ['株式会社みどり製作所　ご担当者様\nはじめまして。', 'はじめまして。'],
  ['購買部 緑川 花子 様\nお世話になっております。', 'お世話になっております。'],
  [
    '株式会社みどり製作所の緑川様から、ご紹介いただきました。',
    '株式会社みどり製作所の緑川様から、ご紹介いただきました。',
  ],
  ['お客様', 'お客様'],
  ['', ''],
])('a text begins after its salutation: %j', (text, after) => {
  expect(textAfterSalutation(text, NAMES)).toBe(after);
});

it.each([
  ['<p>株式会社みどり製作所<br>緑川 花子 様</p><p>突然の<b>ご連絡</b>を</p>', '<p></p><p>突然の<b>ご連絡</b>を</p>'],
  [
    '<!doctype html><html><head><title>件名</title><style>p{}</style></head><body>\n<p>株式会社みどり製作所</p>\n<p>本文</p></body></html>',
    '<!doctype html><html><head><title>件名</title><style>p{}</style></head><body><p></p><p>本文</p></body></html>',
  ],
  ['<p>株式会社みどり製作所の件です。</p>', '<p>株式会社みどり製作所の件です。</p>'],
  ['<p>緑川 花子 様</p>', '<p>緑川 花子 様</p>'],
  ['緑川 花子 様 a < b', '緑川 花子 様 a < b'],
  ['<img src="a.png"><p>本文</p>', '<img src="a.png"><p>本文</p>'],
])('the HTML begins after its salutation, and keeps its tags: %j', (html, after) => {
  expect(htmlAfterSalutation(html, NAMES)).toBe(after);
});
