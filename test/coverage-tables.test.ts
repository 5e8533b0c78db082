import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';

/**
 * Checks docs/spec-coverage.md and docs/bad-inputs-coverage.md, which list statements with their tests.
 * `npm run generate` writes beside each statement the tests whose names hold its number: `§5.3 …`, `bad-inputs 21–23,
 * 29: …`.
 */

const ROOT = join(import.meta.dirname, '..');
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');

interface Proof {
  readonly file: string;
  readonly title: string;
  /** Such as `5.3` of the specification, `21` of the bad inputs. */
  readonly numbers: readonly string[];
}

const LITERAL = /(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/.source;
/** Matches `test('…',`, `it("…",`, and `)('…',` after the table of an each. */
const TITLE = new RegExp(`(?:\\b(?:test|it|describe)|\\))\\(\\s*${LITERAL},`, 'g');
/** Matches `['…',`: the label of a row of such a table. */
const ROW_LABEL = new RegExp(`\\[\\s*${LITERAL},`, 'g');

const texts = (source: string, pattern: RegExp) =>
  [...source.matchAll(pattern)].map(([, single, double, template]) =>
    (single ?? double ?? template ?? '').replaceAll(/\\(['"`])/g, '$1'),
  );

const LIST = /([\d.]+(?:–\d+)?(?:, [\d.]+(?:–\d+)?)*)/.source;
const NAME = new RegExp(`^(?:§${LIST} )?(?:bad-inputs ${LIST}: )?(.*)$`, 's');

/** Expands a list of numbers: `21–23, 29` is 21, 22, 23 and 29. */
const numbersIn = (list = ''): string[] =>
  list.split(', ').flatMap((range) => {
    const [first = '', last] = range.split('–');
    if (last === undefined) return first === '' ? [] : [first];
    return Array.from({ length: Number(last) - Number(first) + 1 }, (_, n) => String(Number(first) + n));
  });

function proofOf(file: string, name: string): Proof {
  const [, sections, lines, title = ''] = NAME.exec(name) ?? [];
  return { file, title, numbers: [...numbersIn(sections), ...numbersIn(lines)] };
}

function proofsIn(file: string): Proof[] {
  const source = textOf(file);
  const titles = texts(source, TITLE);
  // Where a table labels its rows `21: …`, its title is `bad-inputs %s …`.
  const isShort = titles.some((title) => title.startsWith('bad-inputs %s'));
  const labels = texts(source, ROW_LABEL).map((label) => (isShort ? `bad-inputs ${label}` : label));
  return [...titles, ...labels].map((name) => proofOf(file, name)).filter(({ numbers }) => numbers.length > 0);
}

const files = globSync(['src/**/*.test.{ts,tsx}', 'test/**/*.test.ts'], { cwd: ROOT }).toSorted();
const proofs = files.flatMap(proofsIn);

/** Formats `[reserve](../src/…/reserve.test.ts) “title” “title”`, a line for each file. */
function proofCell(number: string): string {
  const found = Map.groupBy(
    proofs.filter(({ numbers }) => numbers.includes(number)),
    ({ file }) => file,
  );
  const lines = [...found].map(([file, tests]) => {
    const name = basename(file).replace(/\.test\.tsx?$/, file.startsWith('test/e2e/') ? ' (e2e)' : '');
    const titles = new Set(tests.map(({ title }) => `“${title.replaceAll(/[|_]/g, '\\$&')}”`));
    return `[${name}](../${file}) ${[...titles].join(' ')}`;
  });
  return lines.join('<br>');
}

/**
 * Matches `| number
 * statement
 * note
 * tests |`.
 */
const ROW = /^(\| ([\d.]+) \| .* \| (.*?) \|) .*\|$/;

const generated = (text: string): string =>
  text
    .split('\n')
    .map((line) => {
      const [, kept, number] = ROW.exec(line) ?? [];
      return kept === undefined || number === undefined ? line : `${kept} ${proofCell(number)} |`;
    })
    .join('\n');

const numbersOf = (text: string): string[] => text.split('\n').flatMap((line) => ROW.exec(line)?.[2] ?? []);

const SPEC = 'docs/spec-coverage.md';
const BAD_INPUTS = 'docs/bad-inputs-coverage.md';

test('the tests were seen', () => {
  expect(files.length).toBeGreaterThan(80);
  expect(proofs.length).toBeGreaterThan(300);
});

describe.each([SPEC, BAD_INPUTS])('%s', (path) => {
  test('is current', async () => {
    await expect(generated(textOf(path))).toMatchFileSnapshot(join(ROOT, path));
  });

  test('has a test of each statement, or a note that says why not', () => {
    const silent = generated(textOf(path))
      .split('\n')
      .filter((line) => ROW.exec(line) && / {2}\|$/.test(line) && !/\| (?:Not built yet|No such input)/.test(line));
    expect(silent).toStrictEqual([]);
  });
});

test('the statements are those of sections 2 to 9 and the lines 1 to 247 of bad inputs, each once, in order', () => {
  const inSpec = numbersOf(textOf(SPEC)).map((number) => number.split('.').map(Number));
  const expected = [...Map.groupBy(inSpec, ([section]) => section)].flatMap(([section, rows]) =>
    rows.map((_, at) => [section, at + 1]),
  );
  expect(inSpec).toStrictEqual(expected);
  expect([...new Set(inSpec.map(([section]) => section))]).toStrictEqual([2, 3, 4, 5, 6, 7, 8, 9]);
  expect(numbersOf(textOf(BAD_INPUTS))).toStrictEqual(Array.from({ length: 247 }, (_, n) => String(n + 1)));
});

test('every number in a name is that of a statement', () => {
  const known = new Set([SPEC, BAD_INPUTS].flatMap((path) => numbersOf(textOf(path))));
  expect(proofs.filter(({ numbers }) => numbers.some((number) => !known.has(number)))).toStrictEqual([]);
});
