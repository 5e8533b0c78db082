// npm run faults -- [options]: runs the long form of test/faults, and prints a table of its runs (docs/reliability.md).
// Then it runs the long form of the `server` tests that `npm test` shortens. To run one suite: --only worker-killed,
// for example.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { installPackages, run } from './prepare.mjs';

const { values } = parseArgs({
  options: {
    mails: { type: 'string', default: '10000' },
    kills: { type: 'string', default: '300' },
    latency: { type: 'string', default: '5' },
    restarts: { type: 'string', default: '20' },
    rolls: { type: 'string', default: '50' },
    undos: { type: 'string', default: '500' },
    closings: { type: 'string', default: '8' },
    races: { type: 'string', default: '200' },
    teams: { type: 'string', default: '50' },
    stops: { type: 'string', default: '50' },
    backups: { type: 'string', default: '100' },
    sequences: { type: 'string', default: '300' },
    /** The number of pairs of crash points; a number above the total runs all. */
    pairs: { type: 'string', default: 'Infinity' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    /** Part of a test file's name. */
    only: { type: 'string', default: '' },
  },
});
installPackages();
const { only, ...form } = values;
const folder = mkdtempSync(join(tmpdir(), 'kaitaku-faults-'));
const report = join(folder, 'runs.jsonl');
writeFileSync(report, '');
const env = {
  FAULTS_REPORT: report,
  FUZZ_CALLS: '10000',
  FUZZ_SHARE: '1',
  ...Object.fromEntries(Object.entries(form).map(([name, value]) => [`FAULTS_${name.toUpperCase()}`, value])),
};
process.stdout.write(`seed ${form.seed}\n`);
const vitest = (...args) => run(['node_modules/vitest/vitest.mjs', 'run', ...args], { env });
const faults = vitest('--project', 'faults', '--no-file-parallelism', ...(only ? [only] : []));
/** The `server` tests that `npm test` runs with fewer calls, rows or mails. */
const SHORTENED = [
  'src/server/features/delivery/guard/erased-receipts-sequences.test.ts',
  'test/authorization/fuzz.test.ts',
  'test/bad-inputs/every-call.test.ts',
  'src/server/features/imports/merge/import.command.test.ts',
  'src/server/features/suppression-list/suppression-list.test.ts',
  'src/server/features/opt-out/opt-out.test.ts',
];
const shortened = only === '' ? vitest('--project', 'server', ...SHORTENED) : 0;
const status = faults || shortened;

const fixed = (number) => (number === null ? '–' : number.toFixed(1));
const rows = readFileSync(report, 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line));
const head = [
  'run',
  'mails',
  'faults',
  'lost',
  'duplicates',
  'unknown (of them arrived)',
  'recovery, s',
  'whole run, s',
  'seed',
];
const cells = rows.map((row) => [
  row.run,
  row.mails,
  row.faults,
  row.lost,
  row.duplicates,
  `${row.unknown} (${row.unknownArrived})`,
  fixed(row.recovery),
  fixed(row.seconds),
  row.seed,
]);
for (const line of [head, head.map(() => '---'), ...cells]) process.stdout.write(`| ${line.join(' | ')} |\n`);
rmSync(folder, { recursive: true });
process.exit(status);
