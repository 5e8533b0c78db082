import { expect, test } from 'vitest';
import { crowdedDomains, isProviderDomain, listJudge, NO_DOMAIN_LIMIT } from './domain-limit.ts';

const judged = (emails: readonly string[], perDomain: number, ...shared: string[]) =>
  emails.map(listJudge({ perDomain, shared: new Set(shared) }));

test('the third company of a domain is over a limit of two, in the order of the list', () => {
  const list = ['a@x.jp', 'a@y.jp', 'B@X.jp', 'c@x.jp', 'c@sub.x.jp', 'd@x.jp'];
  expect(judged(list, 2)).toStrictEqual([null, null, null, 'domain_limit', null, 'domain_limit']);
  expect(judged(list, 0)).toStrictEqual(Array(6).fill(null));
});

test("a company without a mail does not count towards its domain's limit", () => {
  expect(judged(['a@x.jp', 'A@x.jp', 'b@x.jp', 'c@x.jp'], 2)).toStrictEqual([null, 'duplicate', null, 'domain_limit']);
  // Also where its limit is used up.
  expect(judged(['a@x.jp', 'b@x.jp', 'a@x.jp'], 1)).toStrictEqual([null, 'domain_limit', 'duplicate']);
});

test('neither a domain of many companies nor a provider is limited', () => {
  expect(judged(['a@x.jp', 'b@x.jp'], 1, 'x.jp')).toStrictEqual([null, null]);
  expect(judged(['a@gmail.com', 'b@Gmail.com'], 1)).toStrictEqual([null, null]);
  expect(judged(['a@x.jp', 'a@X.jp'], 1, 'x.jp')).toStrictEqual([null, 'duplicate']);
});

test.each([
  ['yahoo.co.jp', true],
  ['ocn.ne.jp', true],
  ['mint.ocn.ne.jp', true],
  ['xyz.ocn.ne.jp.example.com', false],
  ['notocn.ne.jp', false],
  ['ne.jp', false],
  ['', false],
])('each address of %s is another company: %s', (domain, expected) => {
  expect(isProviderDomain(domain)).toBe(expected);
});

test('only domains with more companies than the limit are looked up', () => {
  const list = ['a@x.jp', 'b@X.jp', 'c@x.jp', 'a@y.jp', 'b@y.jp', 'a@gmail.com', 'b@gmail.com', 'c@gmail.com'];
  expect(crowdedDomains(list, 2)).toStrictEqual(['x.jp']);
  expect(crowdedDomains(list, NO_DOMAIN_LIMIT.perDomain)).toStrictEqual([]);
});
