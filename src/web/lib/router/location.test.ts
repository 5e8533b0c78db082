import { expect, test } from 'vitest';
import { addressOf, hrefOf } from './location.ts';

test.each([
  ['/sends', '/sends'],
  ['/?a=/b#c', '/?a=/b#c'],
  ['?state=sent', '/now?state=sent'],
  ['?', '/now'],
  ['', '/now'],
  [{ search: '' }, '/now'],
  [{ search: 'a=1' }, '/now?a=1'],
  [{ search: '?a=1' }, '/now?a=1'],
] as const)('%j leads to %s', (to, href) => {
  expect(hrefOf(addressOf(to, '/now'))).toBe(href);
});
