import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/**
 * The texts of the screens are in catalogues: words.ts in each feature, in app/ (the frame), in lib/ (common), in
 * lib/data/ (companies and mails), and in components/ (what loads after the first screen). A late part has its own.
 */

const ROOT = join(import.meta.dirname, '..');

/** Files outside of the catalogues that may contain Japanese text, and why. */
const EXCEPTIONS = [
  // Shown if JavaScript is off, so it cannot use a catalogue.
  'src/web/index.html',
  // Parses a message of the server, and shows no own text.
  'src/web/features/mail-templates/editor/code-field.tsx',
  // Counters and separators from which catalogues and screens build texts.
  'src/web/lib/phrases.ts',
];

const JAPANESE = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}\u3000-\u303f\uff00-\uff65〜]/u;

const files = globSync('src/web/**/*.{ts,tsx,css,html}', { cwd: ROOT }).map((path) => path.replaceAll('\\', '/'));
const isCatalogue = (path: string) =>
  /^src\/web\/(?:lib(?:\/data)?|app(?:\/(?:instead|keys|palette|shell))?|components(?:\/(?:choice|data-table|owner-password|pager|schedule))?|features\/[\w-]+(?:\/[\w-]+){0,2})\/words\.ts$/.test(
    path,
  );
const isTest = (path: string) => /\.test\.tsx?$/.test(path);

/** Returns the lines of a source with Japanese text, without comments. */
function japaneseLines(source: string): string[] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '');
  return code.split('\n').filter((line) => JAPANESE.test(line));
}

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

test('no Japanese text is outside of the catalogues', () => {
  const others = files.filter((path) => !isCatalogue(path) && !isTest(path) && !EXCEPTIONS.includes(path));
  expect(others.length).toBeGreaterThan(150);
  expect(others.flatMap((path) => japaneseLines(read(path)).map((line) => `${path}: ${line.trim()}`))).toStrictEqual(
    [],
  );
});

test('each exception is still needed, and all catalogues were read', () => {
  expect(EXCEPTIONS.filter((path) => japaneseLines(read(path)).length === 0)).toStrictEqual([]);
  const catalogues = files.filter(isCatalogue);
  expect(catalogues.length).toBeGreaterThan(10);
  expect(catalogues.filter((path) => japaneseLines(read(path)).length === 0)).toStrictEqual([]);
});

test.each(["title: '送信'", 'aria-label="閉じる"', 'content: "、"', "a + '（'"])('%s is Japanese', (code) => {
  expect(japaneseLines(code)).toHaveLength(1);
});

test.each(['/** 件名 */ a', '  // 件名', "say('OK – 1/2')"])('%s is not', (code) => {
  expect(japaneseLines(code)).toStrictEqual([]);
});

test('a send or a mail that was taken back has one word', () => {
  const paths = globSync(['src/**/*.{ts,tsx,html}', 'docs/*.md', 'README*.md'], { cwd: ROOT });
  expect(paths.length).toBeGreaterThan(1000);
  expect(paths.filter((path) => read(path).includes('取消'))).toStrictEqual([]);
});
