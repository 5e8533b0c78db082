import { expect, test } from 'vitest';
import { nearCards } from './near-cards.ts';

const WINDOW = 800;
const place = (top: number, heights: readonly number[] = []) => ({ top, windowHeight: WINDOW, heights });

test('before any card is measured, the near cards fill two windows at the usual height', () => {
  expect(nearCards(50, place(100))).toStrictEqual({ from: 0, to: 6, above: 0, below: 44 * 300 });
});

test('a short list is near as a whole', () => {
  expect(nearCards(4, place(100))).toStrictEqual({ from: 0, to: 4, above: 0, below: 0 });
  expect(nearCards(0, place(100))).toStrictEqual({ from: 0, to: 0, above: 0, below: 0 });
});

test('cards more than a window above or below are replaced by their height, unmeasured ones by the mean', () => {
  const heights = [200, 400, 200, 400];
  // Cards 0 and 1 end above -800; card 11 begins below 1600.
  expect(nearCards(50, place(-1450, heights))).toStrictEqual({ from: 2, to: 11, above: 600, below: 39 * 300 });
});

test('beyond its end a list still renders a card', () => {
  expect(nearCards(3, place(-9000))).toStrictEqual({ from: 2, to: 3, above: 600, below: 0 });
});

test('the total height of all cards is the same for every position of the window', () => {
  const heights = Array.from({ length: 50 }, (_, card) => 100 + 7 * (card % 9));
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  for (let top = 500; top > -sum(heights); top -= 333) {
    const { from, to, above, below } = nearCards(50, place(top, heights));
    expect(above + sum(heights.slice(from, to)) + below).toBe(sum(heights));
    expect(sum(heights.slice(from, to))).toBeLessThanOrEqual(3 * WINDOW + 2 * 156);
  }
});

test('kept cards are rendered with those between them and the window, without deleted cards', () => {
  const near = nearCards(50, place(-9000));
  expect(nearCards(50, place(-9000), { from: 3, to: 5 })).toStrictEqual({ ...near, from: 3, above: 900 });
  expect(nearCards(10, place(0), { from: 3, to: 50 })).toStrictEqual({ from: 0, to: 10, above: 0, below: 0 });
});
