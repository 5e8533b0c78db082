import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { launchBrowser } from '#test/e2e/launch.ts';
import { freePort } from '#test/program.ts';

/**
 * Measures the first start of a fresh clone, and later starts: `npm run bench -- start [rounds]`.
 * Seconds from `npm start` to the log-in form in Chromium (already open), as a new user would wait: npm's download and
 * the build of the web client included. npm's cache stays as it is.
 */
const rounds = Number(process.argv[2] ?? 5);
const clone = await mkdtemp(join(tmpdir(), 'kaitaku-start-'));
// As root the database runs as `nobody`, who must reach its data in this folder.
await chmod(clone, 0o755);
const port = await freePort();
const env = {
  ...process.env,
  // The machine's own Node instead of ours, as for a new user.
  PATH: (process.env.PATH ?? '')
    .split(':')
    .filter((folder) => !folder.includes('node_modules'))
    .join(':'),
  npm_execpath: '',
  PORT: String(port),
  MAIL_CATCHER_SMTP_PORT: String(await freePort()),
  MAIL_CATCHER_WEB_PORT: String(await freePort()),
};
execFileSync('git', ['clone', '-q', resolve(import.meta.dirname, '..'), clone]);
const browser = await launchBrowser();

async function secondsToFirstScreen(): Promise<number> {
  const begun = performance.now();
  const npm = spawn('npm', ['start'], { cwd: clone, env, stdio: 'ignore' });
  const page = await browser.newPage();
  for (;;) {
    const loaded = await page.goto(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
    if (loaded) break;
    await sleep(50);
  }
  await page.getByRole('button', { name: 'ログイン' }).waitFor();
  const seconds = (performance.now() - begun) / 1000;
  await page.close();
  await stop(npm);
  return seconds;
}

async function stop(npm: ChildProcess): Promise<void> {
  npm.kill('SIGTERM');
  for (;;) {
    const listening = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
    if (!listening) break;
    await sleep(100);
  }
  // The database stops last.
  await sleep(2000);
}

const first = await secondsToFirstScreen();
const later: number[] = [];
for (let round = 0; round < rounds; round += 1) later.push(await secondsToFirstScreen());
later.sort((a, b) => a - b);
await browser.close();
await rm(clone, { recursive: true });
const shown = (seconds: number | undefined) => `${(seconds ?? Number.NaN).toFixed(1)} s`;
process.stdout.write(
  `fresh clone: ${shown(first)}; later starts: median ${shown(later[Math.floor(rounds / 2)])} (${shown(later[0])}–${shown(later.at(-1))}, ${rounds} rounds)\n`,
);
