import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** All words of the screens stand in one catalogue: src/web/lib/words.ts and the *-words.ts beside it. */

const ROOT = join(import.meta.dirname, '..');

/** What may say something itself, and why. */
const EXCEPTIONS = [
  // For who has no JavaScript, so no catalogue.
  'src/web/index.html',
  // Reads what the server says, and says nothing.
  'src/web/features/mail-template/code-field.tsx',
  // The punctuation between items, which a screen reader does not need.
  'src/web/features/attack-list/attack-list-panel.module.css',
];

const JAPANESE = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}\u3000-\u303f\uff00-\uff65〜]/u;

const files = globSync('src/web/**/*.{ts,tsx,css,html}', { cwd: ROOT }).map((path) => path.replaceAll('\\', '/'));
const isCatalogue = (path: string) => /^src\/web\/lib\/(?:[\w-]+-)?words\.ts$/.test(path);
const isTest = (path: string) => /\.test\.tsx?$/.test(path);

/** The lines of a source that say something in Japanese, without its comments. */
function saysInJapanese(source: string): string[] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '');
  return code.split('\n').filter((line) => JAPANESE.test(line));
}

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

test('no Japanese word stands outside the catalogue', () => {
  const others = files.filter((path) => !isCatalogue(path) && !isTest(path) && !EXCEPTIONS.includes(path));
  expect(others.length).toBeGreaterThan(150);
  expect(others.flatMap((path) => saysInJapanese(read(path)).map((line) => `${path}: ${line.trim()}`))).toStrictEqual(
    [],
  );
});

test('each exception is still one, and the catalogue was seen', () => {
  expect(EXCEPTIONS.filter((path) => saysInJapanese(read(path)).length === 0)).toStrictEqual([]);
  const catalogue = files.filter(isCatalogue);
  expect(catalogue.length).toBeGreaterThan(3);
  expect(catalogue.filter((path) => saysInJapanese(read(path)).length === 0)).toStrictEqual([]);
});

test.each(["title: '送信'", 'aria-label="閉じる"', 'content: "、"', "a + '（'"])('%s is Japanese', (code) => {
  expect(saysInJapanese(code)).toHaveLength(1);
});

test.each(['/** 件名 */ a', '  // 件名', "say('OK – 1/2')"])('%s is not', (code) => {
  expect(saysInJapanese(code)).toStrictEqual([]);
});
