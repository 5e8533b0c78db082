import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { launchBrowser } from '#test/e2e/launch.ts';
import { freePort } from '#test/program.ts';

/**
 * Measures the first and later starts of a fresh clone, or of a package: `npm run bench -- start [rounds] [file]`.
 * Counts the seconds that a new user waits, from the first command to the login form in Chromium (already open),
 * including npm's download and the build of the web client. npm's cache stays as it is.
 */
const rounds = Number(process.argv[2] ?? 5);
const file = process.argv[3];
const START = file === undefined ? 'exec npm start' : 'exec npx kaitaku';
const port = await freePort();
const env = {
  ...process.env,
  // The machine's own Node in place of the project's, as for a new user.
  PATH: (process.env.PATH ?? '')
    .split(':')
    .filter((folder) => !folder.includes('node_modules'))
    .join(':'),
  npm_execpath: '',
  PORT: String(port),
  MAIL_CATCHER_SMTP_PORT: String(await freePort()),
  MAIL_CATCHER_WEB_PORT: String(await freePort()),
};
const browser = await launchBrowser();

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kaitaku-start-'));
  // Started by root, the database runs as `nobody`, who must reach its data in this folder.
  await chmod(folder, 0o755);
  if (file === undefined) execFileSync('git', ['clone', '-q', resolve(import.meta.dirname, '..'), folder]);
  return folder;
}

async function secondsToFirstScreen(folder: string, command = START): Promise<number> {
  const begun = performance.now();
  const npm = spawn('sh', ['-c', command], { cwd: folder, env, stdio: 'ignore' });
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
  // Wait for the database, which stops last.
  await sleep(2000);
}

/** A clone takes a minute or two, so it is measured once; a package in a new folder each round. */
const first: number[] = [];
const later: number[] = [];
let folder = '';
for (let round = 0; round < (file === undefined ? 1 : rounds); round += 1) {
  if (folder !== '') await rm(folder, { recursive: true });
  folder = await newFolder();
  const install = file === undefined ? START : `npm install --silent ${resolve(file)} && ${START}`;
  first.push(await secondsToFirstScreen(folder, install));
}
for (let round = 0; round < rounds; round += 1) later.push(await secondsToFirstScreen(folder));
await browser.close();
await rm(folder, { recursive: true });

function shown(seconds: number[]): string {
  const [shortest = 0, ...more] = seconds.toSorted((a, b) => a - b);
  const median = [shortest, ...more][Math.floor(seconds.length / 2)] ?? 0;
  return `${median.toFixed(1)} s (${shortest.toFixed(1)}–${(more.at(-1) ?? shortest).toFixed(1)}, ${seconds.length} rounds)`;
}
process.stdout.write(`first start: ${shown(first)}; later starts, median: ${shown(later)}\n`);
