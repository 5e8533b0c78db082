import { expect, it } from 'vitest';
import { parseEstablishmentYear } from './establishment-year.ts';

it.each([
  ['1991', 1991],
  ['１９９１年', 1991],
  ['1991/4', 1991],
  ['1991/04/01', 1991],
  ['1991-04-01', 1991],
  ['1991.4', 1991],
  ['1991/4/1 0:00', 1991],
  ['19910401', 1991],
  ['1991年4月', 1991],
  ['1991年4月1日', 1991],
  ['1991年(平成3年)', 1991],
  ['1991年度', 1991],
  ['平成3年', 1991],
  ['平成３年４月１日', 1991],
  ['㍻3年', 1991],
  ['H3', 1991],
  ['H3.4.1', 1991],
  ['ｓ４５', 1970],
  ['昭和64年', 1989],
  ['令和元年', 2019],
  ['大正15', 1926],
  ['明治5年', 1872],
  ['1000', 1000],
  ['2027', 2027],
])('bad-inputs 88: %s is %d', (text, expected) => {
  expect(parseEstablishmentYear(text, 2027)).toBe(expected);
});

it.each([
  '0',
  '999',
  '2028',
  '3000',
  '91',
  '平成',
  '平成0年',
  '平成32年',
  '昭和65',
  'X3',
  '1991/13',
  '1991年0月',
  '1991/4/32',
  '-1991',
  '1991年創業',
  '19911301',
  '1e3',
  '1991'.repeat(20),
])('bad-inputs 88: %s is refused', (text) => {
  expect(parseEstablishmentYear(text, 2027)).toBeNull();
});

it.each([
  ['33329', 1991],
  ['３３３２９', 1991],
  ['33329.5', 1991],
  ['10000', 1927],
  ['昭和50年4月設立', 1975],
  ['1975年設立', 1975],
  ['1975/4/1 設立', 1975],
])('bad-inputs 231: %s is %d', (text, expected) => {
  expect(parseEstablishmentYear(text, 2027)).toBe(expected);
});

it.each(['99999', '333290', '設立', '1991年頃'])('bad-inputs 231: %s is refused', (text) => {
  expect(parseEstablishmentYear(text, 2027)).toBeNull();
});
