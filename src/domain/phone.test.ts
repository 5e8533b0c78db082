import { describe, expect, test } from 'vitest';
import { dialledNumber, parsePhone } from './phone.ts';

describe('a telephone number', () => {
  test.each([
    ['０３－１２３４－５６７８', '03-1234-5678'],
    ['03−1234‐5678', '03-1234-5678'],
    ['03ー1234ー5678', '03-1234-5678'],
    [' 03 - 1234 - 5678　', '03-1234-5678'],
    ['(03)1234―5678（代表）', '(03)1234-5678(代表)'],
    ['コールセンター 0120-000-000', 'コールセンター 0120-000-000'],
    ['03-1234-5678 内線 12', '03-1234-5678 内線 12'],
    ['+81 3 1234 5678', '+81 3 1234 5678'],
  ])('%j is kept as %j', (text, phone) => {
    expect(parsePhone(text)).toEqual({ ok: true, phone });
    expect(parsePhone(phone)).toEqual({ ok: true, phone });
  });

  test.each([
    ['担当者に直通', 'no_number'],
    ['3.12346E+08', 'scientific'],
    [`03-1234-5678${'、03-1234-5678'.repeat(7)}`, 'length'],
  ])('%j is none: %s', (text, reason) => {
    expect(parsePhone(text)).toEqual({ ok: false, reason });
  });
});

test.each([
  ['03-1234-5678', '0312345678'],
  ['(03)1234-5678(代)', '0312345678'],
  ['TEL 03-1234-5678 内線 12', '0312345678'],
  ['+81(0)3-1234-5678', '+81312345678'],
  ['+81 3 1234 5678', '+81312345678'],
  ['03-1234-5678/06-1234-5678', '0312345678'],
  ['03-1234-5678 06-1234-5678', '0312345678'],
  ['内線 12', null],
  ['00000000000000000000', null],
])('a link of %j dials %j', (phone, number) => {
  expect(dialledNumber(phone)).toBe(number);
});
