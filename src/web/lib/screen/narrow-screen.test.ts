import { globSync, readFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { isNarrowScreen } from './narrow-screen.ts';

it('style sheets and scripts share one limit between narrow and wide, without a gap', () => {
  const media = vi.spyOn(globalThis, 'matchMedia');
  isNarrowScreen();
  const asked = media.mock.calls.map(([query]) => `@media ${query}`);
  expect(asked).toEqual(['@media (width <= 640px)']);

  const sheets = globSync('src/web/**/*.css').map((path) => readFileSync(path, 'utf8'));
  const widths = sheets.flatMap((css) => css.match(/@media [^{]*\b64\d[^{]*(?= \{)/g) ?? []);
  expect(new Set(widths)).toEqual(new Set([...asked, '@media (width > 640px)']));
});
