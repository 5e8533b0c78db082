import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };

const ROOT = join(import.meta.dirname, '..');
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => found);

const RECORDS = globSync('docs/decisions/*.md', { cwd: ROOT }).filter((path) => basename(path) !== 'README.md');
const DOCUMENTS = globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT });

test('the documents were found', () => {
  expect(RECORDS.length).toBeGreaterThan(40);
  expect(DOCUMENTS).toContain('README.md');
});

test.each(['README.md', 'README.ja.md'])('%s is short: what else there is to say stands in docs/', (path) => {
  expect(textOf(path).trimEnd().split('\n').length).toBeLessThanOrEqual(130);
});

// The rule of CONTRIBUTING.md, "Add a dependency, or decide something".
test.each(RECORDS)('%s is a topic: a title, and at most 120 lines of 120 columns', (path) => {
  const lines = textOf(path).trimEnd().split('\n');
  expect(lines[0]).toMatch(/^# \S/);
  expect(lines.length).toBeLessThanOrEqual(120);
  expect(lines.filter((line) => line.length > 120)).toStrictEqual([]);
});

test('the index lists each topic once', () => {
  const listed = all(textOf('docs/decisions/README.md'), /^- \[.+?\]\((.+?)\)/gm);
  expect(listed.toSorted()).toStrictEqual(RECORDS.map((path) => basename(path)).toSorted());
});

test('README and roadmap say the same in both languages: the same sources of the comparison, as many entries', () => {
  const sources = (path: string) => all(textOf(path), /\]\((https:\/\/[^)]+)\)/g).toSorted();
  expect(sources('README.ja.md').length).toBeGreaterThan(5);
  expect(sources('README.ja.md')).toStrictEqual(sources('README.md'));
  const rows = (path: string) => all(textOf(path), /^\| ([^|]+) \| [^|]+ \|(?: [^|]+ \|){4}$/gm).length;
  expect(rows('README.ja.md')).toBe(rows('README.md'));
  const entries = (path: string) => all(textOf(path), /^(- \*\*|## )/gm).join('');
  expect(entries('ROADMAP.ja.md')).toBe(entries('ROADMAP.md'));
});

/** Returns the anchor that GitHub makes for a heading. */
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

test('comments and documents name files that exist', () => {
  const known = new Set(
    globSync('{*,{src,test,scripts,bench,docs,migrations}/**/*}.{ts,tsx,js,mjs,css,sql,md}', { cwd: ROOT }).map(
      (path) => basename(path),
    ),
  );
  const sources = globSync('{src,test,scripts,bench}/**/*.{ts,tsx,mjs}', { cwd: ROOT });
  const named = [
    ...sources.map((path) => ({ path, words: all(textOf(path), /^\s*(?:\/\*\*?|\*|\/\/)(.*)$/gm).join('\n') })),
    ...DOCUMENTS.map((path) => ({ path, words: all(textOf(path), /`([^`\n]+)`/g).join('\n') })),
  ];
  const gone = named.flatMap(({ path, words }) =>
    all(words, /(?<![\w*….}-])((?:[a-z][\w-]*\.)+(?:tsx?|mjs))\b/g)
      .filter((name) => !known.has(name))
      .map((name) => `${path}: ${name}`),
  );
  expect(gone).toStrictEqual([]);
});

test.each(['README.md', 'README.ja.md'])(
  '%s begins with what a newcomer can do: its commands before its pictures',
  (path) => {
    const text = textOf(path);
    const before = text.slice(0, text.indexOf('![')).split('\n');
    // The number of lines that a screen shows at once.
    expect(before.length).toBeLessThanOrEqual(50);
    const at = (command: RegExp) => before.findIndex((line) => command.test(line));
    expect(
      [at(/^git clone /), at(/^npm start\b/), at(/^npm test\b/)].map((line) => line > 0 && line < 30),
    ).toStrictEqual([true, true, true]);
    expect(text.indexOf('npm install ./kaitaku')).toBeGreaterThan(text.lastIndexOf('!['));
    for (const name of all(text, /\bnpm run ([\w:]+)/g)) expect(Object.keys(packageJson.scripts)).toContain(name);
  },
);
