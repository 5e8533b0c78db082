import { spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { StartupError } from '../startup-error.ts';
import { executable } from './binaries.ts';
import type { Identity } from './unprivileged.ts';

export interface Postmaster {
  pid: number;
  port: number;
}

/** Returns the server running on a data folder by its postmaster.pid, or null. A stale pid counts as none. */
export function livePostmaster(dataFolder: string): Postmaster | null {
  let lines: string[];
  try {
    lines = readFileSync(join(dataFolder, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return null;
  }
  const [firstLine, folder = '', , port] = lines;
  const pid = Number(firstLine);
  if (!(pid > 0) || !isAlive(pid) || resolve(folder) !== resolve(dataFolder)) return null;
  return { pid, port: Number(port) };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  // A killed process that its parent has not reaped still has a pid.
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return true;
  }
}

interface Spawn {
  native: string;
  dataFolder: string;
  identity: Identity;
  settings: readonly string[];
  urlAt(port: number): string;
}

/**
 * Returns the size of shared_buffers: an eighth of the memory.
 * PostgreSQL uses it only as needed. A table larger than a quarter of shared_buffers is read again for each scan, and
 * filters scan 170 MB per million companies.
 * @param memory bytes of the machine or the container
 */
export const sharedBuffersMb = (memory: number): number =>
  Math.round(Math.min(Math.max(memory / 8 / 2 ** 20, 128), 1024));

/**
 * Starts the server and waits until it answers.
 * @throws StartupError with the end of the server's log if it does not start
 */
export async function spawnPostmaster({ native, dataFolder, identity, settings, urlAt }: Spawn): Promise<Postmaster> {
  const port = await freePort();
  const options = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    `shared_buffers=${sharedBuffersMb(Math.min(totalmem(), process.constrainedMemory() || Infinity))}MB`,
    ...settings,
  ];
  const logFile = `${dataFolder}.log`;
  closeSync(openSync(logFile, 'w', 0o600));
  // Opened for appending, so that logrotate's copytruncate leaves no hole.
  const log = openSync(logFile, 'a', 0o600);
  // Detached, so that Ctrl-C in the terminal reaches only this process, and the database stops last.
  const child = spawn(
    executable(native, 'postgres'),
    ['-D', dataFolder, ...options.flatMap((option) => ['-c', option])],
    { ...identity, cwd: '/', detached: true, stdio: ['ignore', log, log] },
  );
  closeSync(log);
  let hasExited = false;
  const end = () => {
    hasExited = true;
  };
  child.once('exit', end).once('error', end);
  if (
    !(await databaseAnswers(urlAt(port), { timeoutMs: 60_000, isAborted: () => hasExited })) ||
    child.pid === undefined
  ) {
    const tail = readFileSync(logFile, 'utf8').slice(-2000).trim();
    throw new StartupError(
      `データベースが起動しませんでした（${dataFolder}）。空き容量と権限を確認してください。\n${tail}`,
    );
  }
  child.unref();
  return { pid: child.pid, port };
}

/**
 * Waits until the server answers.
 * @returns false if it refuses the password, time runs out or `isAborted` returns true
 */
export async function databaseAnswers(
  url: string,
  { timeoutMs, isAborted = () => false }: { timeoutMs: number; isAborted?: () => boolean },
): Promise<boolean> {
  for (const end = Date.now() + timeoutMs; Date.now() < end && !isAborted(); await sleep(20)) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 });
    try {
      await client.connect();
      return true;
    } catch (error) {
      if ((error as { code?: string }).code === '28P01') return false;
    } finally {
      await client.end().catch(() => {});
    }
  }
  return false;
}

/** Creates the database if it is missing. `name` is the program's own, never a user's. */
export async function ensureDatabase(url: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
}

interface Running {
  readonly native: string;
  readonly dataFolder: string;
  readonly pid: number;
}

/**
 * Stops the server by a fast shutdown (SIGINT).
 * Open transactions are rolled back, committed ones are on disk. On Windows a signal would kill it.
 */
export async function stopPostmaster({ native, dataFolder, pid }: Running, timeoutMs = 30_000): Promise<void> {
  if (process.platform === 'win32')
    spawnSync(executable(native, 'pg_ctl'), ['stop', '-D', dataFolder, '-m', 'fast'], { stdio: 'ignore' });
  else if (isAlive(pid)) process.kill(pid, 'SIGINT');
  for (const end = Date.now() + timeoutMs; isAlive(pid); await sleep(20)) {
    if (Date.now() > end) throw new Error(`PostgreSQL (pid ${pid}) did not stop within ${timeoutMs} ms`);
  }
}

function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const server = createServer();
    server.once('error', fail).listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => (typeof address === 'object' && address ? done(address.port) : fail(new Error('no port'))));
    });
  });
}
