import { describe, expect, it, test } from 'vitest';
import { fittingItems } from './fitting-items.ts';
import { isCurrent, NAV_ITEMS } from './navigation.ts';

describe('the current item', () => {
  const templates = { to: '/templates', under: ['/template'] };

  it.each(['/templates', '/templates/x', '/template/5'])('%s belongs to its item', (path) => {
    expect(isCurrent(templates, path)).toBe(true);
  });

  it.each(['/', '/templates-old', '/sends'])('%s does not', (path) => {
    expect(isCurrent(templates, path)).toBe(false);
  });

  it('/ has no screens below it', () => {
    expect([isCurrent({ to: '/' }, '/'), isCurrent({ to: '/' }, '/sends')]).toEqual([true, false]);
  });

  it('is at most one', () => {
    for (const { to } of NAV_ITEMS) expect(NAV_ITEMS.filter((item) => isCurrent(item, to))).toHaveLength(1);
  });
});

test.each([
  ['all that fit', 300, 3],
  ['those that leave room for the menu', 299, 2],
  ['fewer, for the menu', 259, 1],
  ['none', 100, 0],
])('shows %s', (_, room, shown) => {
  expect(fittingItems([100, 100, 100], room, 60)).toBe(shown);
});
