import { expect, test } from 'vitest';
import { addressOf, hrefOf } from './location.ts';

test.each([
  ['/sends', '/sends'],
  ['/?a=/b#c', '/?a=/b#c'],
  ['/sends?state=sent', '/sends?state=sent'],
  ['/sends?', '/sends'],
  ['/sends?#a', '/sends#a'],
])('%s leads to %s', (to, href) => {
  expect(hrefOf(addressOf(to))).toBe(href);
});
