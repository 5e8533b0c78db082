import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { endWithUs } from './reaper.ts';

const ROOT = join(import.meta.dirname, '..');

export interface Program {
  readonly child: ChildProcess;
  /** Returns all output so far, of both streams. */
  output(): string;
  /** Resolves with the exit code when the program has ended; null: a signal ended it. */
  readonly ended: Promise<number | null>;
  /** Waits for a text in its output. @throws with the output if the program ends or the time is over */
  until(text: string, timeoutMs?: number): Promise<void>;
}

/** The program starts so often that compiling it each time would be most of the work. */
export const COMPILE_CACHE = { NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/kaitaku') };

/** Nothing listens there, so that no test queries a real DNS. */
const NO_DNS_SERVER = { DNS_SERVERS: '127.0.0.1:1' };

/** What to start; by default the sources. */
interface Started {
  readonly file?: string;
  readonly cwd?: string;
  /** The program and its first arguments, in place of Node and `file`. */
  readonly command?: readonly [string, ...string[]];
}

/**
 * Starts the program as a user does (`main.ts …`), in its own process group, which ends with this process.
 * Its environment has only the given variables.
 */
export function startProgram(
  args: string[],
  env: Record<string, string>,
  { file = 'src/server/main.ts', cwd = ROOT, command = [process.execPath, file] }: Started = {},
): Program {
  const [program, ...first] = command;
  const child = spawn(program, [...first, ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? '', ...COMPILE_CACHE, ...NO_DNS_SERVER, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const forget = child.pid === undefined ? () => {} : endWithUs({ pid: child.pid });
  let text = '';
  let changed = () => {};
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      changed();
    });
  }
  const ended = new Promise<number | null>((done) => {
    child.once('close', (code) => {
      forget();
      done(code);
    });
  });
  const until = (wanted: string, timeoutMs = 120_000) =>
    new Promise<void>((done, fail) => {
      const timer = setTimeout(
        () => fail(new Error(`no 「${wanted}」 within ${timeoutMs} ms in:\n${text}`)),
        timeoutMs,
      );
      changed = () => {
        if (!text.includes(wanted)) return;
        clearTimeout(timer);
        done();
      };
      void ended.then((code) => fail(new Error(`ended with ${code} without 「${wanted}」:\n${text}`)));
      changed();
    });
  return { child, output: () => text, ended, until };
}

/** Runs a program until it ends. @param input what a user would type @throws with its output if it fails */
export async function runToEnd(args: readonly string[], env: Record<string, string>, input = ''): Promise<string> {
  const program = startProgram([...args], env);
  program.child.stdin?.end(input);
  if ((await program.ended) !== 0) throw new Error(program.output());
  return program.output();
}

/** Whether nothing listens on a port. */
function isFree(port: number): Promise<boolean> {
  return new Promise((done, fail) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => (error.code === 'EADDRINUSE' ? done(false) : fail(error)));
    server.listen(port, '127.0.0.1', () => server.close(() => done(true)));
  });
}

/** The ports that Linux gives to connections; elsewhere those of IANA, which macOS gives. */
function connectionPorts(): readonly [first: number, last: number] {
  try {
    const [first = 0, last = 0] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8')
      .split(/\s+/)
      .map(Number);
    return [first, last];
  } catch {
    return [49_152, 65_535];
  }
}

const [FIRST_TAKEN, LAST_TAKEN] = connectionPorts();
const returned = new Set<number>();

/**
 * Returns a port that was just free, below those that Linux and macOS assign to connections.
 * An assigned one might be in use again before a program listens on it. Above 10080, which fetch and browsers refuse.
 */
export async function freePort(): Promise<number> {
  const below = FIRST_TAKEN - 10_000;
  const port = below > 1000 ? randomInt(10_081, FIRST_TAKEN) : randomInt(Math.min(LAST_TAKEN + 1, 64_000), 65_536);
  if (returned.has(port) || !(await isFree(port))) return freePort();
  returned.add(port);
  return port;
}
