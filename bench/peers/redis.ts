import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '#test/program.ts';
import { endWithUs } from '#test/reaper.ts';

export interface Redis {
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Starts a Redis that writes each change to its log (`appendonly yes`). @returns null if it is not installed */
export async function startRedis(fsync: string): Promise<Redis | null> {
  const dir = await mkdtemp(join(tmpdir(), 'kaitaku-redis-'));
  const port = await freePort();
  const settings = { port, bind: '127.0.0.1', dir, save: '', appendonly: 'yes', appendfsync: fsync };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = spawn('redis-server', args, { stdio: 'ignore' });
  const started = await Promise.race([once(child, 'error').then(() => false), answers(port).then(() => true)]);
  if (!started || child.pid === undefined) {
    await rm(dir, { recursive: true });
    return null;
  }
  const forget = endWithUs({ pid: child.pid });
  return {
    port,
    pid: child.pid,
    stop: async () => {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
      forget();
      await rm(dir, { recursive: true });
    },
  };
}

async function answers(port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      return;
    } catch {
      await sleep(50);
    } finally {
      socket.destroy();
    }
  }
}
