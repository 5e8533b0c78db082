import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { freePlace, heightOf } from './toast-place.ts';

/** Adds a control at a position of the window. */
function control(x: number, y: number, width: number, height: number, tag = 'button'): HTMLElement {
  const element = document.createElement(tag);
  element.getBoundingClientRect = () => new DOMRect(x, y, width, height);
  document.body.append(element);
  return element;
}
const place = () => freePlace(() => 56);

beforeEach(() => {
  vi.stubGlobal('innerWidth', 1440);
  vi.stubGlobal('innerHeight', 900);
});
afterEach(() => document.body.replaceChildren());

describe('a toast on a wide screen', () => {
  it('stands in the middle at the bottom if nothing is there', () => {
    control(1200, 100, 120, 30);
    control(600, 700, 200, 30);
    expect(place()).toEqual({ position: 'bottom', offset: 0 });
  });

  it('stands above the controls there', () => {
    control(600, 850, 100, 30);
    // The control ends at 900 - 16 - 40 = 844.
    expect(place()).toEqual({ position: 'bottom', offset: 40 });
  });

  it('stands elsewhere at the bottom if the page has controls up to the top', () => {
    for (let y = 300; y < 900; y += 30) control(600, y, 100, 20, 'input');
    expect(place()).toEqual({ position: 'bottom-left', offset: 0 });
    for (let y = 300; y < 900; y += 30) control(30, y, 40, 20);
    expect(place()).toEqual({ position: 'bottom-right', offset: 0 });
  });

  it('covers the least if everything is covered, and never the focused control', () => {
    const cause = control(600, 0, 100, 900);
    for (let covers = 0; covers < 2; covers += 1) {
      control(20, 0, 100, 900);
      control(1100, 0, 200, 900);
    }
    expect(place()).toEqual({ position: 'bottom', offset: 0 });
    cause.focus();
    expect(place()).toEqual({ position: 'bottom-left', offset: 0 });
  });

  it('stays in its place over any number of rows, above a control of the page', () => {
    const rows = document.createElement('tbody');
    document.body.append(rows);
    for (let x = 540; x < 900; x += 10) rows.append(control(x, 300, 5, 600));
    expect(place()).toEqual({ position: 'bottom', offset: 0 });
    control(600, 850, 100, 30);
    expect(place()).toEqual({ position: 'bottom', offset: 40 });
  });

  it('stands beside an open drawer, not half over it', () => {
    control(880, 60, 560, 840, 'dialog').setAttribute('open', '');
    expect(place()).toEqual({ position: 'bottom-left', offset: 0 });
  });

  it('ignores toasts and invisible elements', () => {
    const region = document.createElement('div');
    region.setAttribute('aria-atomic', 'false');
    document.body.append(region);
    region.append(control(600, 850, 30, 30));
    control(600, 850, 1, 1).className = 'visually-hidden';
    control(600, 1200, 100, 30);
    expect(place()).toEqual({ position: 'bottom', offset: 0 });
  });
});

describe('a toast on a phone', () => {
  beforeEach(() => {
    vi.stubGlobal('innerWidth', 390);
    vi.stubGlobal('innerHeight', 844);
    vi.stubGlobal('matchMedia', (query: string) => ({ matches: query.includes('640px') }));
  });

  it('stands under the header, or under the controls there', () => {
    control(0, 788, 390, 56);
    expect(place()).toEqual({ position: 'top', offset: 0 });
    control(0, 52, 390, 44);
    expect(place()).toEqual({ position: 'top', offset: 40 });
  });
});

it('the height of toasts counts their lines, long ones too, and the gaps between them', () => {
  expect(heightOf(['短い'])).toBe(48);
  expect(heightOf(['一\n二\n三'])).toBe(76);
  expect(heightOf(['あ'.repeat(50)])).toBe(76);
  expect(heightOf(['短い', '短い'])).toBe(112);
});
