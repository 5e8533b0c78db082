// npm run measure: prints the size and complexity of this tree as a table, and the longest of each kind (--list N).
import { parseArgs } from 'node:util';
import { findCircles } from './measure/circles.ts';
import { findDuplicates } from './measure/duplicates.ts';
import { measureFunctions } from './measure/functions.ts';
import { isInText, isProduct, isTest, readSources, type Source } from './measure/sources.ts';

const MAX_COLUMNS = 120;

const { values } = parseArgs({ options: { list: { type: 'string', default: '0' } } });
const sources = readSources();
const product = sources.filter(({ path }) => isProduct(path));

const isBounded = ({ path }: Source) => /^(src|scripts|bench)\//.test(path) && !isTest(path) && !path.endsWith('.css');

/**
 * Finds lines over the limit.
 * Texts in tests, scripts and benchmarks (titles, SQL) may be longer; those of the product may not.
 */
const longLines = (files: readonly Source[]) =>
  files.flatMap((source) =>
    source.lines.filter((line, at) => {
      if ([...line].length <= MAX_COLUMNS) return false;
      return isProduct(source.path) || source.path.endsWith('.css') || !isInText(source, at, MAX_COLUMNS);
    }),
  );

function printTable(): void {
  const files = product.filter(isBounded).map(({ path, lines }) => ({ place: path, size: lines.length }));
  const functions = product.flatMap(measureFunctions);
  const byLines = functions.map(({ place, lines }) => ({ place, size: lines }));
  const byComplexity = functions.map(({ place, complexity }) => ({ place, size: complexity }));
  const duplicates = findDuplicates(product);
  const shared = duplicates.reduce((sum, { lines }) => sum + lines, 0);
  const total = linesIn(product);
  const tests = sources.filter(({ path }) => path.startsWith('test/') || isTest(path));
  const rows = [
    ['file median / p95 / max, lines', figures(files, [0.5, 0.95, 1]), 'p95 220, max 300'],
    ['function p95 / max, lines', figures(byLines, [0.95, 1]), '26 / 80'],
    ['cyclomatic p95 / max', figures(byComplexity, [0.95, 1]), '5 / 15'],
    ['import circles, types counted', String(findCircles(sources).length), '0'],
    ['lines over 120 columns, src (all)', `${longLines(product).length} (${longLines(sources).length})`, '0'],
    ['test : source lines', (linesIn(tests) / total).toFixed(2), 'no limit'],
    [
      'duplicates in src: places / share of lines',
      `${duplicates.length} / ${((100 * shared) / total).toFixed(1)} %`,
      'no limit',
    ],
  ];
  for (const row of [['src, without its tests', 'now', 'aim'], ['---', '---', '---'], ...rows])
    process.stdout.write(`| ${row.join(' | ')} |\n`);
  const most = Number(values.list);
  if (most === 0) return;
  printLongest('files', files, most);
  printLongest('functions, lines', byLines, most);
  printLongest('functions, cyclomatic', byComplexity, most);
  const pairs = duplicates.map(({ lines, places }) => ({ place: places.join(' = '), size: lines }));
  printLongest('duplicates', pairs, most);
}

interface Measured {
  readonly place: string;
  readonly size: number;
}

const linesIn = (files: readonly Source[]) => files.reduce((sum, { lines }) => sum + lines.length, 0);

/** Formats the value below which each share of all lies; 1: the maximum. */
function figures(measured: readonly Measured[], shares: readonly number[]): string {
  const sizes = measured.map(({ size }) => size).toSorted((a, b) => a - b);
  return shares.map((share) => sizes[Math.ceil(share * sizes.length) - 1]).join(' / ');
}

function printLongest(title: string, measured: readonly Measured[], most: number): void {
  process.stdout.write(`\n${title}\n`);
  for (const { size, place } of measured.toSorted((a, b) => b.size - a.size).slice(0, most))
    process.stdout.write(`${String(size).padStart(5)}  ${place}\n`);
}

printTable();
