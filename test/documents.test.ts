import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => found);

const RECORDS = globSync('docs/decisions/[0-9]*.md', { cwd: ROOT });
const DOCUMENTS = globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT });

test('there are documents to check', () => {
  expect(RECORDS.length).toBeGreaterThan(80);
  expect(DOCUMENTS).toContain('README.md');
});

test.each(['README.md', 'README.ja.md'])('%s is short: what else there is to say stands in docs/', (path) => {
  expect(textOf(path).trimEnd().split('\n').length).toBeLessThanOrEqual(130);
});

// CONTRIBUTING.md, "Add a dependency, or decide something".
test.each(RECORDS)('%s has status, context, decision and consequences in 40 lines of 120 columns', (path) => {
  const text = textOf(path);
  const lines = text.trimEnd().split('\n');
  expect(lines[0]).toMatch(new RegExp(`^# ${basename(path).slice(0, 4)}\\. `));
  expect(all(text, /^(?:## )?(Status: |Context$|Decision$|Consequences$)/gm)).toStrictEqual([
    'Status: ',
    'Context',
    'Decision',
    'Consequences',
  ]);
  expect(lines.length).toBeLessThanOrEqual(40);
  expect(lines.filter((line) => line.length > 120)).toStrictEqual([]);
});

test('the index lists each decision record once', () => {
  const listed = all(textOf('docs/decisions/README.md'), /^- \d{4} \[.+?\]\((.+?)\)/gm);
  expect(listed.toSorted()).toStrictEqual(RECORDS.map((path) => basename(path)).toSorted());
});

/** Returns the anchor that GitHub gives a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

test.each(DOCUMENTS)('the links of %s lead to files and headings', (path) => {
  const links = all(textOf(path), /\]\((?!https?:)([^)\s]+)\)/g);
  const broken = links.filter((link) => {
    const [file = '', anchor] = link.split('#');
    const target = file === '' ? path : join(dirname(path), file);
    if (!existsSync(join(ROOT, target))) return true;
    if (anchor === undefined) return false;
    const text = textOf(target);
    const anchors = [...all(text, /^#+ (.+)$/gm).map(anchorOf), ...all(text, /<a id="([^"]+)">/g)];
    return !anchors.includes(anchor);
  });
  expect(broken).toStrictEqual([]);
});
