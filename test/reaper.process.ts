import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { livePostmaster } from '#server/platform/embedded-postgres/postmaster.ts';
import type { Reaped, ReaperMessage } from './reaper.ts';

// Forked by test/reaper.ts. Outlives its parent until it has ended the parent's children.

/** The time in ms for a program to stop its own children: `all` stops its database. */
const STOP_MS = 15_000;

const children = new Map<string, Reaped>();

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
process.on('message', ({ action, child }: ReaperMessage) => {
  if (action === 'add') children.set(JSON.stringify(child), child);
  else children.delete(JSON.stringify(child));
});
process.on('disconnect', () => void endAll().then(() => process.exit()));

/** Programs end first, because one of them may restart a database. */
async function endAll(): Promise<void> {
  const all = [...children.values()];
  await Promise.all(all.flatMap((child) => ('pid' in child ? [endProgram(child.pid)] : [])));
  await Promise.all(all.flatMap((child) => ('pid' in child ? [] : [endPostgres(child)])));
}

async function endProgram(pid: number): Promise<void> {
  for (const end = Date.now() + STOP_MS; signalGroup(pid, 'SIGTERM'); await sleep(200)) {
    if (Date.now() > end) signalGroup(pid, 'SIGKILL');
  }
}

/** Signals the process's group, or only the process. @returns false if it has ended */
function signalGroup(pid: number, signal: NodeJS.Signals): boolean {
  for (const target of [-pid, pid]) {
    try {
      return process.kill(target, signal);
    } catch {
      // The process leads no group, or has ended.
    }
  }
  return false;
}

async function endPostgres({
  postgresFolder,
  dataFolders = [join(postgresFolder, 'postgres')],
}: Exclude<Reaped, { pid: number }>): Promise<void> {
  for (const dataFolder of dataFolders) {
    for (let running = livePostmaster(dataFolder); running; running = livePostmaster(dataFolder)) {
      // A test may have suspended it. It ends soon after the second signal.
      process.kill(running.pid, 'SIGCONT');
      process.kill(running.pid, 'SIGQUIT');
      await sleep(100);
    }
  }
  await rm(postgresFolder, { recursive: true, force: true, maxRetries: 10 });
}
