import { expect, test } from 'vitest';
import { attackTargets, testAddress } from './attack-list.ts';

const companies = ['a', 'b', 'c', 'd'].map((name, index) => ({
  prospect_id: index + 1,
  company_email: `${name}@x.jp`,
}));
const addresses = (list: { company_email: string }[]) => list.map((target) => target.company_email);

test('the list is cut to the limit, in its order', () => {
  expect(attackTargets(companies, 2, null)).toStrictEqual(companies.slice(0, 2));
  expect(attackTargets(companies, 10, null)).toStrictEqual(companies);
});

test('in test mode no mail goes to a company', () => {
  const list = attackTargets(companies, 10, { mail_to: 'me+[n]@y.jp', limit_count: 3 });
  expect(list).toStrictEqual([
    { prospect_id: 1, company_email: 'me+0@y.jp' },
    { prospect_id: 2, company_email: 'me+1@y.jp' },
    { prospect_id: 3, company_email: 'me+2@y.jp' },
  ]);
});

test('in test mode the smaller of limit and limit_count applies', () => {
  expect(addresses(attackTargets(companies, 1, { mail_to: 'me@y.jp', limit_count: 3 }))).toStrictEqual(['me@y.jp']);
});

test.each([
  ['me@y.jp', 3, 'me@y.jp'],
  ['[n]@y.jp', 0, '0@y.jp'],
  ['a+[n]@x.jp', 10, 'a+10@x.jp'],
  ['[n][n]', 7, '77'],
  ['[N]@y.jp', 1, '[N]@y.jp'],
  ['$&[n]', 1, '$&1'],
])('%s in row %d is %s', (mailTo, index, address) => {
  expect(testAddress(mailTo, index)).toBe(address);
});
