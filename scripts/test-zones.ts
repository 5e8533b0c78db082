// npm run test:zones: runs all `server` tests with TZ set to each zone in turn. `npm test` runs them only in the first,
// and the rules of dates also in the others (test/time-zone.test.ts).
import { spawnSync } from 'node:child_process';
import { OTHER_ZONES, OWN_ZONE } from '#test/zones.ts';

const VITEST = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'server', ...process.argv.slice(2)];

const failed = [OWN_ZONE, ...OTHER_ZONES].filter((zone) => {
  process.stdout.write(`\n${zone}\n`);
  const { status } = spawnSync(process.execPath, VITEST, { stdio: 'inherit', env: { ...process.env, TZ: zone } });
  return status !== 0;
});
process.stdout.write(failed.length === 0 ? '\nEvery zone passed.\n' : `\nFailed in ${failed.join(', ')}.\n`);
process.exitCode = failed.length === 0 ? 0 : 1;
