import { expect, it } from 'vitest';

const SHEETS = import.meta.glob<string>('../**/*.css', { query: '?raw', import: 'default', eager: true });

it('every width is either narrow or wide, also between two pixels', () => {
  const widths = Object.values(SHEETS).flatMap((css) => css.match(/@media [^{]*\b64\d[^{]*(?= \{)/g) ?? []);
  expect([...new Set(widths)].sort()).toEqual(['@media (width <= 640px)', '@media (width > 640px)']);
});
