import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { GUIDE_SECTIONS } from './guide-link.tsx';

const DOCS = join(import.meta.dirname, '../../../../docs');
const guide = readFileSync(join(DOCS, 'guide.md'), 'utf8');
/** Quoted words of the guide that are on no screen of ours. */
const OF_OTHERS = ['メールソフトの設定', '営業メールはお断りしております'];

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

test('the words that the guide quotes are those of the screens', () => {
  const sources = globSync(['src/{web,contract,domain,server}/**/*.{ts,tsx}'], { cwd: join(DOCS, '..') });
  const text = sources
    .filter((path) => !/\.test\.tsx?$/.test(path))
    .map((path) => readFileSync(join(DOCS, '..', path), 'utf8').replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, ''))
    .join('\n');
  // A count, with its unit, and a name stand for what the screen fills in.
  const isShown = (words: string) => {
    const parts = words.split(/[○…\d][\d/:, ]*[社件通]?/).filter((part) => part !== '');
    return new RegExp(parts.map((part) => RegExp.escape(part)).join('.*')).test(text);
  };
  const quoted = new Set(all(/「([^「」]+)」/g));
  expect(quoted.size).toBeGreaterThan(200);
  expect([...quoted].filter((words) => !OF_OTHERS.includes(words) && !isShown(words))).toStrictEqual([]);
  expect(OF_OTHERS.filter((words) => !quoted.has(words) || isShown(words))).toStrictEqual([]);
});
