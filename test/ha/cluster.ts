import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { TestContext } from 'vitest';
import { livePostmaster } from '#server/platform/embedded-postgres/postmaster.ts';
import { selfSigned } from '#test/certificate.ts';
import { eventually } from '#test/sending.ts';
import { logOf, type Machine, makeSite, PASSWORD, type Site, type Started } from './site.ts';

/** The limit in ms for a start, an election or a return on a busy machine. */
const LONG_MS = 240_000;
const ASK_EVERY_MS = 250;
const WEB_HOST = 'kaitaku.example.co.jp';

/** A machine with etcd, Patroni and PostgreSQL. */
export interface Node extends Machine {
  startEtcd(): void;
  killEtcd(): Promise<void>;
  startPatroni(): void;
  /** Stops Patroni, which stops its PostgreSQL first. */
  stopPatroni(): Promise<void>;
  /** Sends a signal only to Patroni. */
  signalPatroni(signal: NodeJS.Signals): void;
  /** Sends a signal to each process of PostgreSQL. */
  signalPostgres(signal: NodeJS.Signals): void;
  /** Whether its PostgreSQL is the leader, according to Patroni. */
  isPrimary(): Promise<boolean>;
  /** Returns Patroni's log. */
  log(): string;
}

export interface Cluster {
  readonly site: Site;
  readonly nodes: readonly Node[];
  /** URLs to the leader through HAProxy: the owner's, and a superuser's, who sees all rows. */
  readonly ownerUrl: string;
  readonly adminUrl: string;
  /** The owner's URL through PgBouncer. */
  readonly pooledUrl: string;
  /** The address of `web` for users, through HAProxy with TLS. */
  readonly web: { readonly host: string; readonly port: number };
  leader(): Promise<Node>;
  /** Waits until the leader has two standbys, one of them synchronous. */
  untilWhole(): Promise<Node>;
  /** Waits until one of these nodes is the leader. @returns it and the time of the first 200 of its `/primary` */
  untilPrimary(of: readonly Node[]): Promise<{ readonly node: Node; readonly at: number }>;
  /** Waits until the PostgreSQL of a node answers. While Patroni restarts a leader, its `/primary` stays 200. */
  untilAnswers(node: Node): Promise<{ readonly at: number }>;
  /** Counts the open connections of HAProxy to the PostgreSQL of a node. */
  connectionsTo(node: Node): number;
  patronictl(args: readonly string[], input?: string): Promise<string>;
  /** Stops everything. The folder with the logs is kept if the test has failed. */
  stop(context: TestContext): Promise<void>;
}

/** Returns the processes of a PostgreSQL, with the postmaster last. */
function postgresPids(dataFolder: string): number[] {
  const postmaster = livePostmaster(dataFolder)?.pid;
  if (postmaster === undefined) return [];
  const children = readdirSync('/proc').filter((pid) => {
    try {
      return (
        /^\d+$/.test(pid) &&
        readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1] === String(postmaster)
      );
    } catch {
      // The process has ended meanwhile.
      return false;
    }
  });
  return [...children.map(Number), postmaster];
}

const signalAll = (pids: readonly number[], signal: NodeJS.Signals) => {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // The process has ended meanwhile.
    }
  }
};

function nodeOf(site: Site, name: string, host: number): Node {
  const machine = site.machine(name, host);
  const { address, root, dataFolder } = machine;
  const config = site.install('ha/patroni.yml', machine, '/etc/patroni/config.yml');
  site.install('ha/pgbackrest.conf', machine, '/etc/pgbackrest/kaitaku.conf');
  const settings = readFileSync(site.install('ha/etcd', machine, '/etc/default/etcd'), 'utf8');
  const environment = Object.fromEntries(
    [...settings.matchAll(/^(\w+)=(.*)$/gm)].map(([, key, value]) => [key, value]),
  );
  let etcd: Started | undefined;
  let patroni: Started | undefined;
  return {
    ...machine,
    startEtcd: () => {
      etcd = site.start(machine, ['/usr/bin/etcd'], environment as Record<string, string>);
    },
    killEtcd: async () => {
      etcd?.child.kill('SIGKILL');
      await etcd?.ended;
    },
    startPatroni: () => {
      patroni = site.start(machine, ['/usr/bin/patroni', config]);
    },
    stopPatroni: async () => {
      patroni?.child.kill('SIGCONT');
      patroni?.child.kill('SIGTERM');
      await patroni?.ended;
    },
    signalPatroni: (signal) => void patroni?.child.kill(signal),
    signalPostgres: (signal) => signalAll(postgresPids(dataFolder), signal),
    isPrimary: async () => {
      try {
        const url = `http://${address}:${site.ports['8008']}/primary`;
        return (await fetch(url, { signal: AbortSignal.timeout(1000) })).status === 200;
      } catch {
        return false;
      }
    },
    log: () => readFileSync(logOf(root, 'patroni'), 'utf8'),
  };
}

/** Returns a pgBackRest command for a node. */
export const pgbackrest = ({ root }: Machine, ...args: readonly string[]) => [
  '/usr/bin/pgbackrest',
  `--config=${join(root, 'etc/pgbackrest/kaitaku.conf')}`,
  '--stanza=kaitaku',
  ...args,
];

/** Runs SQL on a new connection. @throws if it fails or does not answer */
export async function run<Row extends object>(url: string, statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 3000, query_timeout: 20_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}

/** Returns the inodes of a process's sockets. */
const socketsOf = (pid: number) =>
  new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
      } catch {
        // The socket has been closed meanwhile.
        return [];
      }
    }),
  );

/** Counts the established connections of a process to an address (proc(5), /proc/net/tcp). */
function connectionsOf(pid: number, address: string, port: number): number {
  const hex = (value: number, digits: number) => value.toString(16).toUpperCase().padStart(digits, '0');
  const bytes = address.split('.').map((byte) => hex(Number(byte), 2));
  const remote = `${bytes.toReversed().join('')}:${hex(port, 4)}`;
  const sockets = socketsOf(pid);
  const rows = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  return rows.filter(([, , to, state, , , , , , inode = '']) => to === remote && state === '01' && sockets.has(inode))
    .length;
}

/** Starts HAProxy in front of PostgreSQL and `web`, and PgBouncer. */
function startProxies(site: Site): Started {
  const proxy = site.machine('proxy', 10);
  const { cert, key } = selfSigned({ host: WEB_HOST });
  site.write(proxy, '/etc/haproxy/kaitaku.pem', cert + key);
  const files = ['haproxy.cfg', 'ha/haproxy.cfg'].flatMap((sample) => [
    '-f',
    site.install(sample, proxy, `/etc/${sample}`),
  ]);
  site.write(proxy, '/etc/pgbouncer/userlist.txt', `"pgbouncer" "${PASSWORD}"\n`);
  site.start(proxy, ['/usr/sbin/pgbouncer', site.install('pgbouncer.ini', proxy, '/etc/pgbouncer/pgbouncer.ini')]);
  return site.start(proxy, ['/usr/sbin/haproxy', '-db', ...files]);
}

/** Builds the cluster of docs/deploy/ha on loopback, with an empty database `kaitaku`. It ends with this process. */
export async function startCluster(): Promise<Cluster> {
  const site = await makeSite();
  const nodes = [nodeOf(site, 'db1', 21), nodeOf(site, 'db2', 22), nodeOf(site, 'db3', 23)];
  const { ports } = site;
  const haproxy = startProxies(site);
  for (const node of nodes) node.startEtcd();
  for (const node of nodes) node.startPatroni();
  const urlAt = (user: string, at: string, database: string) => `postgres://${user}:${PASSWORD}@${at}/${database}`;
  const byProxy = `127.0.0.1:${ports['5000']}`;

  const untilPrimary = async (of: readonly Node[]) => {
    for (const end = Date.now() + LONG_MS; Date.now() < end; await sleep(ASK_EVERY_MS)) {
      const answers = await Promise.all(of.map((node) => node.isPrimary()));
      const node = of[answers.indexOf(true)];
      if (node) return { node, at: Date.now() };
    }
    throw new Error(`no leader within ${LONG_MS} ms:\n${of.map((node) => node.log().slice(-3000)).join('\n')}`);
  };
  const leader = async () => (await untilPrimary(nodes)).node;
  const urlOf = ({ address }: Node) => urlAt('postgres', `${address}:${ports['5432']}`, 'postgres');
  const standbysOf = (node: Node) =>
    run<{ sync_state: string }>(
      urlOf(node),
      `SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming' AND application_name LIKE 'db_'`,
    );
  const untilWhole = async () => {
    const { node } = await eventually(
      async () => {
        const now = await leader();
        const standbys = await standbysOf(now).catch(() => []);
        await sleep(ASK_EVERY_MS);
        return { node: now, states: standbys.map(({ sync_state }) => sync_state) };
      },
      ({ states }) => states.length === nodes.length - 1 && states.includes('sync'),
      LONG_MS,
    );
    return node;
  };

  const leads = await untilWhole();
  await site.run(pgbackrest(leads, 'stanza-create'));
  const admin = urlAt('postgres', byProxy, 'postgres');
  await run(admin, `CREATE ROLE kaitaku LOGIN CREATEROLE PASSWORD '${PASSWORD}'`);
  await run(admin, `CREATE DATABASE kaitaku OWNER kaitaku ENCODING 'UTF8' TEMPLATE template0`);
  const adminUrl = urlAt('postgres', byProxy, 'kaitaku');
  const [first] = nodes as [Node];
  await run(adminUrl, readFileSync(site.install('pgbouncer.sql', first, '/etc/pgbouncer.sql'), 'utf8'));
  return {
    site,
    nodes,
    ownerUrl: urlAt('kaitaku', byProxy, 'kaitaku'),
    adminUrl,
    pooledUrl: urlAt('kaitaku', `127.0.0.1:${ports['6432']}`, 'kaitaku'),
    web: { host: WEB_HOST, port: ports['443'] },
    leader,
    untilWhole,
    untilPrimary,
    untilAnswers: async (node) => {
      const answers = () =>
        run(urlOf(node), 'SELECT 1').then(
          () => true,
          () => false,
        );
      await eventually(answers, (isUp) => isUp, LONG_MS);
      return { at: Date.now() };
    },
    connectionsTo: ({ address }) => connectionsOf(haproxy.pid, address, ports['5432']),
    patronictl: (args, input) =>
      site.run(['/usr/bin/patronictl', '-c', join(first.root, 'etc/patroni/config.yml'), ...args], input),
    stop: async ({ task }) => {
      for (const node of nodes) node.signalPostgres('SIGCONT');
      await Promise.all(nodes.map((node) => node.stopPatroni()));
      // If Patroni was killed, nothing has stopped its PostgreSQL.
      for (const node of nodes) node.signalPostgres('SIGKILL');
      await site.end({ keeps: task.result?.state === 'fail' });
    },
  };
}
