import { beforeEach, expect, it } from 'vitest';
import { followAppearance, setAppearance, useAppearance } from './appearance.ts';

const { dataset } = document.documentElement;
/** Writes the choice as another tab would. */
const choose = (text: string): void => {
  localStorage.setItem('kaitaku-appearance', text);
  dispatchEvent(new StorageEvent('storage', { key: 'kaitaku-appearance' }));
};

beforeEach(() => {
  followAppearance();
  choose('{}');
});

it('is set on the page at once and kept', () => {
  setAppearance({ scheme: 'dark' });
  setAppearance({ rows: 'roomy' });
  expect([dataset.scheme, dataset.rows]).toEqual(['dark', 'roomy']);
  expect(JSON.parse(localStorage.getItem('kaitaku-appearance') ?? '')).toEqual({ scheme: 'dark', rows: 'roomy' });
});

it('follows another tab', () => {
  choose('{"scheme":"light","rows":"roomy"}');
  expect([dataset.scheme, dataset.rows]).toEqual(['light', 'roomy']);
});

it.each(['null', '[]', '{', '{"scheme":"<b>","rows":9}'])('is the default where %s was kept', (text) => {
  setAppearance({ scheme: 'dark', rows: 'roomy' });
  choose(text);
  expect(useAppearance.getState()).toEqual({ scheme: 'system', rows: 'standard' });
});
