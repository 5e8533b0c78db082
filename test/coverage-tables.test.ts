import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

/**
 * docs/spec-coverage.md and docs/bad-inputs-coverage.md say which test proves what. Here they are held to it: what they
 * name is there, and what is named after a line or a section stands in them.
 */

const ROOT = join(import.meta.dirname, '..');
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');

interface Row {
  /** The first cell: a section's rule, or the number of a line. */
  readonly head: string;
  readonly proof: string;
  readonly tests: readonly { readonly file: string; readonly title: string }[];
}

/** `[reserve](../src/…/reserve.test.ts) “title” “title”`, as often as there are files. */
function testsIn(cell: string): Row['tests'] {
  return [...cell.matchAll(/\]\(\.\.\/([^)]+)\)((?: “[^”]+”)+)/g)].flatMap(([, file = '', quoted = '']) =>
    [...quoted.matchAll(/“([^”]+)”/g)].map(([, title = '']) => ({ file, title: title.replaceAll(/\\([|_])/g, '$1') })),
  );
}

/** The rows of all tables in a text. */
const rowsOf = (text: string): Row[] =>
  text
    .split('\n')
    .filter((line) => /^\| (?!---|Rule|#)/.test(line))
    .map((line) => {
      const cells = line.slice(2, -2).split(/ \| /);
      const proof = cells.at(-1) ?? '';
      return { head: cells[0] ?? '', proof, tests: testsIn(proof) };
    });

const SPEC = textOf('docs/spec-coverage.md');
const BAD_INPUTS = textOf('docs/bad-inputs-coverage.md');

const LITERAL = /(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/.source;
/** `test('…',`, `it("…",`, and `)('…',` behind the table of an each. */
const TITLE = new RegExp(`(?:\\b(?:test|it|describe)|\\))\\(\\s*${LITERAL},`, 'g');
/** `['…',`: what a row of such a table calls itself. */
const ROW_LABEL = new RegExp(`\\[\\s*${LITERAL},`, 'g');

const texts = (source: string, pattern: RegExp) =>
  [...source.matchAll(pattern)].map(([, single, double, template]) =>
    (single ?? double ?? template ?? '').replaceAll(/\\(['"`])/g, '$1'),
  );

interface Names {
  readonly titles: readonly string[];
  readonly labels: readonly string[];
}

const names = new Map(
  globSync(['src/**/*.test.{ts,tsx}', 'test/**/*.test.ts'], { cwd: ROOT }).map((file): [string, Names] => {
    const source = textOf(file);
    return [file, { titles: texts(source, TITLE), labels: texts(source, ROW_LABEL) }];
  }),
);

const NUMBERS = String.raw`(\d+(?:–\d+)?(?:, \d+(?:–\d+)?)*)`;

/** `bad-inputs 21–23, 29: …`; where all rows of a table are called so, `21: …`. */
function linesNamedIn({ titles, labels }: Names): number[] {
  const short = titles.some((title) => title.startsWith('bad-inputs %s')) ? labels : [];
  const written = [
    ...[...titles, ...labels].map((name) => new RegExp(`^bad-inputs ${NUMBERS}`).exec(name)?.[1]),
    ...short.map((label) => new RegExp(`^${NUMBERS}: `).exec(label)?.[1]),
  ];
  return written.flatMap((list = '') =>
    list.split(', ').flatMap((range) => {
      const [first = 0, last = first] = range.split('–').filter(Boolean).map(Number);
      return first === 0 ? [] : Array.from({ length: last - first + 1 }, (_, n) => first + n);
    }),
  );
}

test('the tests were seen', () => {
  expect(names.size).toBeGreaterThan(80);
  expect([...names].filter(([, { titles }]) => titles.length === 0)).toStrictEqual([]);
});

describe.each([
  ['spec-coverage.md', SPEC],
  ['bad-inputs-coverage.md', BAD_INPUTS],
])('%s', (_, text) => {
  test('names files and tests that are there', () => {
    const cited = rowsOf(text).flatMap(({ tests }) => tests);
    const missing = cited.filter(({ file, title }) => {
      const known = names.get(file);
      return !known?.titles.includes(title) && !known?.labels.includes(title);
    });
    expect(cited.length).toBeGreaterThan(100);
    expect(missing).toStrictEqual([]);
    expect(
      [...text.matchAll(/\]\(\.\.\/([^)]+)\)/g)].filter(([, file = '']) => !existsSync(join(ROOT, file))),
    ).toStrictEqual([]);
  });

  test('says of every row without a test why', () => {
    const silent = rowsOf(text).filter(
      ({ tests, proof }) =>
        tests.length === 0 && !/^(Screen not built yet|Not built yet|Not tested yet|No such input)/.test(proof),
    );
    expect(silent).toStrictEqual([]);
  });
});

test('the sections 2 to 9 of the specification are there, and every test named after one', () => {
  const sections = SPEC.split(/^## /m).slice(1);
  expect(sections.map((section) => section.split(' ')[0])).toStrictEqual(['2', '3', '4', '5', '6', '7', '8', '9']);
  for (const section of sections) {
    const number = section.split(' ')[0] ?? '';
    const cited = new Set(rowsOf(section).flatMap(({ tests }) => tests.map(({ title }) => title)));
    const [file = ''] = [...names.keys()].filter((path) => path.startsWith(`test/spec/${number}-`));
    const named = names.get(file)?.titles.filter((title) => title.startsWith('§')) ?? [];
    expect([number, named.length > 0, named.filter((title) => !cited.has(title))]).toStrictEqual([number, true, []]);
  }
});

test('the lines of bad inputs are there in their order, each once', () => {
  const lines = rowsOf(BAD_INPUTS).map(({ head }) => Number(head));
  expect(lines).toStrictEqual(Array.from({ length: 223 }, (_, n) => n + 1));
});

test('a test that is named after a line of bad inputs stands in it', () => {
  const proofs = new Map(rowsOf(BAD_INPUTS).map(({ head, tests }) => [Number(head), tests.map(({ file }) => file)]));
  const named = [...names].flatMap(([file, found]) => linesNamedIn(found).map((line) => ({ file, line })));
  expect(named.length).toBeGreaterThan(150);
  expect(named.filter(({ file, line }) => !proofs.get(line)?.includes(file))).toStrictEqual([]);
});
