import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { livePostmaster } from '#server/platform/embedded-postgres/postmaster.ts';

const ROOT = join(import.meta.dirname, '..');

/** Runs a script as `npm test` runs vitest: in its own process group, as on a terminal. */
async function startRun(script: string): Promise<{ child: ChildProcess; printed: string }> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd: ROOT,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [printed] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  return { child, printed: printed.toString().trim() };
}

/** A program that ignores the end of its parent, like those of the tests. */
const CHILD = `
  import { spawn } from 'node:child_process';
  import { endWithUs } from '#test/reaper.ts';
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' });
  endWithUs({ pid: child.pid });
  setTimeout(() => process.stdout.write(String(child.pid)), 200);`;

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const untilGone = (pid: number) =>
  vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 20_000, interval: 50 });

test.each(['SIGINT', 'SIGKILL'] as const)('what a run has started ends with it, by %s to its group', async (signal) => {
  const { child, printed } = await startRun(CHILD);
  expect(isAlive(Number(printed))).toBe(true);
  process.kill(-(child.pid ?? 0), signal);
  await untilGone(Number(printed));
});

test('the processes of a run end if its set-up fails', async () => {
  const { printed } = await startRun(`${CHILD} setTimeout(() => { throw new Error('set-up'); }, 300);`);
  await untilGone(Number(printed));
});

test('PostgreSQL ends with an interrupted run, and its folder is removed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kaitaku-reaper-'));
  await chmod(folder, 0o755);
  const { child } = await startRun(`
    import { startTestPostgres } from '#test/reaper.ts';
    const { url } = await startTestPostgres(${JSON.stringify(folder)}, ['fsync=off']);
    process.stdout.write(url);
    setInterval(() => {}, 1000);`);
  const { pid } = livePostmaster(join(folder, 'postgres')) ?? {};
  expect(pid).toBeGreaterThan(0);
  process.kill(-(child.pid ?? 0), 'SIGINT');
  await untilGone(pid ?? 0);
  await vi.waitFor(() => expect(existsSync(folder)).toBe(false), { timeout: 20_000 });
});
