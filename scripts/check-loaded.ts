// npm run check:loaded -- [arguments of vitest]: runs the tests beside eight busy loops. A test that fails here but not
// in `npm test` depends on the speed of the machine.
import { spawn } from 'node:child_process';

const LOOPS = 8;
/** Ends with its parent, even after kill -9. */
const LOOP = 'for (const parent = process.ppid; process.ppid === parent; );';

const loops = Array.from({ length: LOOPS }, () => spawn(process.execPath, ['-e', LOOP], { stdio: 'ignore' }));
const args = ['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)];
const vitest = spawn(process.execPath, args, { stdio: 'inherit' });

// The terminal sends Ctrl-C to vitest too, which ends its own processes.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => vitest.kill('SIGTERM'));
vitest.once('close', (code) => {
  for (const loop of loops) loop.kill('SIGKILL');
  process.exitCode = code ?? 1;
});
