import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

// npm run coverage: prints two Markdown tables, of the specification's rules and of the bad inputs, each with the tests
// that have its number in their name: `§5.3 …`, `bad-inputs 21–23, 29: …`. test/coverage-tables.test.ts checks them.

const ROOT = join(import.meta.dirname, '..');
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** A test, or a row of its table. */
interface Proof {
  readonly file: string;
  readonly title: string;
  /** Numbers such as `5.3` of the specification, `21` of the bad inputs. */
  readonly numbers: readonly string[];
}

interface Statement {
  readonly heading: string;
  readonly number: string;
  readonly text: string;
  readonly note: string;
}

const LITERAL = /(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/.source;
/** Matches `test('…',`, `it("…",`, and `)('…',` after the table of test.each. */
const TITLE = new RegExp(`(?:\\b(?:test|it|describe)|\\))\\(\\s*${LITERAL},`, 'g');
/** Matches `['…',`: the label of a row of such a table. */
const ROW_LABEL = new RegExp(`\\[\\s*${LITERAL},`, 'g');

const texts = (source: string, pattern: RegExp) =>
  [...source.matchAll(pattern)].map(([, single, double, template]) =>
    (single ?? double ?? template ?? '').replaceAll(/\\(['"`])/g, '$1'),
  );

const LIST = /([\d.]+(?:–\d+)?(?:, [\d.]+(?:–\d+)?)*)/.source;
const NAME = new RegExp(`^(?:§${LIST} )?(?:bad-inputs ${LIST}: )?(.*)$`, 's');

/** Expands a list of numbers: `21–23, 29` becomes 21, 22, 23 and 29. */
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
  // In a table with rows labelled `21: …` the title is `bad-inputs %s …`.
  const isShort = titles.some((title) => title.startsWith('bad-inputs %s'));
  const labels = texts(source, ROW_LABEL).map((label) => (isShort ? `bad-inputs ${label}` : label));
  return [...titles, ...labels].map((name) => proofOf(file, name)).filter(({ numbers }) => numbers.length > 0);
}

/** Reads `## heading`, `number statement`, and below a statement an indented note. */
function statementsIn(path: string): Statement[] {
  const statements: Statement[] = [];
  let heading = '';
  for (const line of textOf(path).split('\n').filter(Boolean)) {
    const [, title, number, text = '', note] = /^(?:## (.+)|([\d.]+) (.+)| {2}(\S.*))$/.exec(line) ?? [];
    const last = statements.at(-1);
    if (title !== undefined) heading = title;
    else if (number !== undefined) statements.push({ heading, number, text, note: '' });
    else if (note !== undefined && last?.note === '') statements.splice(-1, 1, { ...last, note });
    else throw new Error(`${path}: neither heading, statement nor note: ${line}`);
  }
  return statements;
}

export const testFiles = globSync(['src/**/*.test.{ts,tsx}', 'test/**/*.test.ts'], { cwd: ROOT }).toSorted();
export const proofs = testFiles.flatMap(proofsIn);
/** The rules of sections 2 to 9 of the specification. */
export const rules = statementsIn('test/spec/rules.txt');
/** Bad inputs by interface. Each is answered 4xx, with a Japanese message and a stable code, below 1 kB. */
export const badInputs = statementsIn('test/bad-inputs/inputs.txt');

export const proofsOf = ({ number }: Statement) => proofs.filter(({ numbers }) => numbers.includes(number));

/** Formats `src/…/reserve.test.ts “title” “title”`, one line per file. */
function proofCell(statement: Statement): string {
  const lines = [...Map.groupBy(proofsOf(statement), ({ file }) => file)].map(([file, tests]) => {
    const titles = new Set(tests.map(({ title }) => `“${title.replaceAll('_', String.raw`\_`)}”`));
    return `${file} ${[...titles].join(' ')}`;
  });
  return lines.join('<br>');
}

function table(title: string, statements: readonly Statement[]): string {
  const sections = [...Map.groupBy(statements, ({ heading }) => heading)].map(([heading, found]) => {
    const rows = found.map((statement) => {
      const cells = [statement.number, statement.text, statement.note, proofCell(statement)];
      return `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`;
    });
    return `## ${heading}\n\n| # | Statement | Note | Tests |\n| --- | --- | --- | --- |\n${rows.join('\n')}\n`;
  });
  return `# ${title}\n\n${sections.join('\n')}`;
}

if (import.meta.main) {
  process.stdout.write(`${table('Rules of the specification', rules)}\n${table('Bad inputs', badInputs)}`);
}
