// npm run check:code: checks types, format, lint, unused parts and layout in parallel. An argument names one of them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism, setPriority } from 'node:os';

/** The threads of TypeScript and oxlint: with half of the cores each, two cores need a quarter less CPU time. */
const threads = String(Math.max(1, Math.floor(availableParallelism() / 2)));
/** A higher GOGC makes Go collect garbage less often, which saves a sixth of the CPU time. */
const env = { ...process.env, GOMAXPROCS: threads, GOGC: '400' };

/** Programs of node_modules with their arguments. */
const CHECKS: Readonly<Record<string, readonly string[]>> = {
  types: ['node_modules/typescript/bin/tsc', '-b', '--builders', '2', '--checkers', threads],
  lint: ['node_modules/oxlint/bin/oxlint', '--type-aware', '--deny-warnings'],
  format: ['node_modules/@biomejs/biome/bin/biome', 'ci', '--error-on-warnings'],
  unused: ['node_modules/knip/bin/knip.js'],
  layout: ['scripts/check-layout.ts'],
};

/** The checks that take the longest: the others run with a lower priority. */
const LONGEST = ['types', 'lint'];

/** Resolves to whether a check passes. */
async function passes(check: string, args: readonly string[]): Promise<boolean> {
  const child = spawn(process.execPath, args, { stdio: 'inherit', env });
  if (!LONGEST.includes(check) && child.pid !== undefined) setPriority(child.pid, 10);
  const [code] = (await once(child, 'close')) as [number | null];
  return code === 0;
}

const [name, ...others] = process.argv.slice(2);
if (others.length > 0) throw new Error(`one check at a time, or all: not ${others.join(', ')} too`);
const chosen = Object.entries(CHECKS).filter(([check]) => name === undefined || check === name);
if (chosen.length === 0) throw new Error(`there is no check ${name}: use one of ${Object.keys(CHECKS).join(', ')}`);
const failed: string[] = [];
await Promise.all(chosen.map(async ([check, args]) => (await passes(check, args)) || failed.push(check)));
if (failed.length > 0) {
  process.stderr.write(`\nfailed: ${failed.join(', ')}\n`);
  process.exitCode = 1;
}
