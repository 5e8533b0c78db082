import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Checks that messages of refusals, which users see, are Japanese (CONTRIBUTING.md, Style). */

const ROOT = join(import.meta.dirname, '..', 'src/server');

/** Matches a literal message in a call: after the code, or after the field and the code. */
const LITERAL_MESSAGE =
  /\b(?:new Problem\(|fieldProblem\(\s*'[^']*',)\s*'\w+',\s*(?:'([^']*)'|`((?:[^`$]|\$\{[^}]*\})*)`)/g;
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;

test('every refusal written with its message is in Japanese', () => {
  const files = globSync('**/*.ts', { cwd: ROOT }).filter((path) => !path.endsWith('.test.ts'));
  const messages = files.flatMap((path) =>
    [...readFileSync(join(ROOT, path), 'utf8').matchAll(LITERAL_MESSAGE)].map(([, text, template = '']) => ({
      path,
      text: text ?? template.replaceAll(/\$\{[^}]*\}/g, ''),
    })),
  );
  expect(messages.length).toBeGreaterThan(40);
  // A message without letters of its own only joins other texts.
  expect(messages.filter(({ text }) => /\p{L}/u.test(text) && !KANA.test(text))).toStrictEqual([]);
});
