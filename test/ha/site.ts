import { type ChildProcess, execFile, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort } from '#test/program.ts';
import { endWithUs } from '#test/reaper.ts';

const SAMPLES = join(import.meta.dirname, '../../docs/deploy');
/** The network of the samples, and that of the test: loopback. */
const [NETWORK, LOOPBACK] = ['10.0.0.', '127.0.0.'];
/** The ports of the samples. In the test each becomes a free port, the same on every machine. */
const PORTS = ['443', '2379', '2380', '3000', '5000', '5432', '6432', '8008'] as const;
type Port = (typeof PORTS)[number];
/** PostgreSQL's data folder in the samples. */
const DATA_FOLDER = '/var/lib/postgresql/15/kaitaku';
/** The folder that all machines share: the repository of pgBackRest. */
const SHARED = '/var/lib/pgbackrest';

/** Replaces each password of the samples. */
export const PASSWORD = 'secret-of-ha';

/** A machine of the samples: an address of loopback, and a folder for its /etc, /run and /var. */
export interface Machine {
  readonly name: string;
  readonly address: string;
  readonly root: string;
  /** The folder of its PostgreSQL, if it has one. */
  readonly dataFolder: string;
}

export interface Started {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly ended: Promise<void>;
}

/** The machines of a test, below one temporary folder. Everything on them ends with this process. */
export interface Site {
  readonly ports: Readonly<Record<Port, number>>;
  machine(name: string, host: number): Machine;
  /** Writes a sample of docs/deploy, filled in for the machine, to a path of the machine. @returns the real path */
  install(sample: string, machine: Machine, path: string): string;
  /** Writes a file of the machine. @returns the real path */
  write(machine: Machine, path: string, text: string): string;
  /** Starts a program of the system as the user `postgres`. Its output goes to a log of the machine. */
  start(machine: Machine, command: readonly string[], env?: Record<string, string>): Started;
  /** Runs a program of the system as the user `postgres`. @returns its output @throws with the output if it fails */
  run(command: readonly string[], input?: string): Promise<string>;
  /** Ends all remaining programs, and removes the folder unless it is kept for inspection. */
  end(options: { readonly keeps: boolean }): Promise<void>;
}

const ENVIRONMENT = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8' };

/** Returns PostgreSQL's user, which Debian's package creates. */
function postgresUser(): { uid: number; gid: number } {
  const [, , uid, gid] = /^postgres:.*$/m.exec(readFileSync('/etc/passwd', 'utf8'))?.[0].split(':') ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

export async function makeSite(): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), 'kaitaku-ha-'));
  chmodSync(folder, 0o755);
  const user = postgresUser();
  const ports = {} as Record<Port, number>;
  for (const port of PORTS) ports[port] = await freePort();
  const machines = ['db1', 'db2', 'db3'].map((name) => join(folder, name, DATA_FOLDER));
  const running = new Set<Started>();
  const forget = endWithUs({ postgresFolder: folder, dataFolders: machines });
  const env = { ...ENVIRONMENT, PGBACKREST_LOCK_PATH: join(folder, 'lock'), PGBACKREST_LOG_PATH: join(folder, 'log') };
  const mkdir = (path: string) => {
    mkdirSync(path, { recursive: true });
    for (let own = path; own !== folder; own = dirname(own)) chownSync(own, user.uid, user.gid);
  };
  for (const name of ['lock', 'log', SHARED]) mkdir(join(folder, name));

  const fill = (text: string, { name, address, root }: Machine) =>
    text
      .replaceAll('<name>', name)
      .replaceAll('<address>', address)
      .replaceAll(/<[\w ]+ password>|…/g, PASSWORD)
      .replaceAll(NETWORK, LOOPBACK)
      .replaceAll('bind :', 'bind 127.0.0.1:')
      // The sample's value exceeds the open files that a user may have.
      .replaceAll('maxconn 10000', 'maxconn 1000')
      .replaceAll('host=db.example.co.jp', 'host=127.0.0.1 port=5000')
      .replaceAll(new RegExp(`\\b(${PORTS.join('|')})\\b`, 'g'), (port) => String(ports[port as Port]))
      .replaceAll(/(?<![\w.])\/(etc|run|var)\//g, (path) => root + path)
      .replaceAll(root + SHARED, folder + SHARED);
  const write = ({ root }: Machine, path: string, text: string) => {
    const file = join(root, path);
    mkdir(dirname(file));
    writeFileSync(file, text, { mode: 0o600 });
    chownSync(file, user.uid, user.gid);
    return file;
  };
  return {
    ports,
    machine: (name, host) => {
      const root = join(folder, name);
      for (const path of ['etc', 'run', 'var/run/postgresql', 'var/lib/postgresql', 'var/lib/etcd', 'var/log'])
        mkdir(join(root, path));
      return { name, address: `${LOOPBACK}${host}`, root, dataFolder: join(root, DATA_FOLDER) };
    },
    install: (sample, machine, path) =>
      write(machine, path, fill(readFileSync(join(SAMPLES, sample), 'utf8'), machine)),
    write,
    start: ({ root }, [program = '', ...args], more = {}) => {
      const log = openSync(logOf(root, program), 'a');
      const child = spawn(program, args, {
        ...user,
        cwd: root,
        env: { ...env, ...more },
        stdio: ['ignore', log, log],
        detached: true,
      });
      closeSync(log);
      const { pid } = child;
      if (pid === undefined) throw new Error(`cannot start ${program}`);
      const drop = endWithUs({ pid });
      const ended = new Promise<void>((done) => {
        child.once('exit', () => {
          drop();
          running.delete(started);
          done();
        });
      });
      const started = { child, pid, ended };
      running.add(started);
      return started;
    },
    run: ([program = '', ...args], input = '') =>
      new Promise((done, fail) => {
        const child = execFile(program, args, { ...user, cwd: '/', env }, (error, stdout, stderr) => {
          if (error) fail(new Error(`${error.message}\n${stdout}${stderr}`));
          else done(stdout);
        });
        child.stdin?.end(input);
      }),
    end: async ({ keeps }) => {
      for (const { child, ended } of running) {
        child.kill('SIGKILL');
        await ended;
      }
      if (keeps) process.stdout.write(`The machines' logs and files are left in ${folder}\n`);
      else await rm(folder, { recursive: true, force: true, maxRetries: 10 });
      forget();
    },
  };
}

/** Returns the log of a program on a machine. */
export const logOf = (root: string, program: string): string => join(root, `${program.split('/').at(-1)}.log`);
