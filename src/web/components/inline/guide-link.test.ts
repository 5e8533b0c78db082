import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { GUIDE_SECTIONS } from './guide-link.tsx';

const DOCS = join(import.meta.dirname, '../../../../docs');
const guide = readFileSync(join(DOCS, 'guide.md'), 'utf8');
const all = (pattern: RegExp) => [...guide.matchAll(pattern)].map(([, found = '']) => found);

test('the guide has each section that a screen links to, and lists them', () => {
  expect(all(/<a id="([^"]+)">/g)).toStrictEqual([...GUIDE_SECTIONS]);
  expect(all(/^- \[[^\]]+\]\(#([^)]+)\)$/gm)).toStrictEqual([...GUIDE_SECTIONS]);
});

test('each picture of the guide is there', () => {
  const pictures = all(/!\[[^\]]+\]\(([^)]+)\)/g);
  expect(pictures.length).toBeGreaterThan(10);
  expect(pictures.filter((path) => !existsSync(join(DOCS, path)))).toStrictEqual([]);
});

test.each(['guide.md', 'law.md'])('%s links only to what readers of its page can open', (name) => {
  const links = [...readFileSync(join(DOCS, name), 'utf8').matchAll(/(?<!!\[[^\]]*)\]\(([^)]+)\)/g)];
  const elsewhere = links
    .map(([, to = '']) => to)
    .filter((to) => !/^(?:https:|(?:guide\.md|law\.md)?(?:#|$))/.test(to));
  expect(links.length).toBeGreaterThan(0);
  expect(elsewhere).toStrictEqual([]);
});
