import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { sql } from 'kysely';
import { selfSigned } from '#test/certificate.ts';
import { RETURN_PATTERN } from '#test/inbox-mails.ts';
import { startDovecot } from '#test/relay/dovecot.ts';
import { type SinkProcess, startSinkProcess } from '#test/sink-process.ts';
import { startDelayingProxy } from './delaying-proxy.ts';
import { median, print } from './figures.ts';
import type { BareParts } from './sending-bare.ts';
import { DEMO_LETTER } from './sending-letter.ts';
import { openScene, queueMails, startWorkers, stopWorkers } from './sending-scene.ts';

/**
 * Measures mails a second of worker processes against nodemailer's own pool in one process on the same sink.
 * `npm run bench -- sending [--mails 1000,10000] [--workers 1,2] [--connections 5,20] [--rounds 3]`.
 *
 * The time runs from the moment rows may be claimed until they are `sent`. Both sides render and send the demo's
 * letter. Every round has a new sink, which is warmed up first; the pool begins the even rounds, and the workers the
 * odd ones. A share compares the two of one round. The sink and PostgreSQL (fsync on) share the machine with the
 * measured processes.
 *
 * - `--queued 1000000`: so many mails are due, and the worker is stopped when it has sent `--mails` of them.
 * - `--node-options`: options for the workers, such as `--cpu-prof`.
 * - `--inbox`: mails have a return address each, and the workers read the mailbox of Debian's Dovecot, which is empty
 *   (needs root).
 * - `--tls`: by STARTTLS. `--dkim`: signed with an RSA key of 2,048 bits.
 * - `--rtt 20`: the sink is so many milliseconds away, there and back, by a delaying proxy in this process.
 */
const { values } = parseArgs({
  options: {
    mails: { type: 'string', default: '1000,10000' },
    queued: { type: 'string', default: '0' },
    workers: { type: 'string', default: '1,2' },
    connections: { type: 'string', default: '5,20' },
    rounds: { type: 'string', default: '3' },
    'node-options': { type: 'string', default: '' },
    inbox: { type: 'boolean', default: false },
    tls: { type: 'boolean', default: false },
    dkim: { type: 'boolean', default: false },
    rtt: { type: 'string', default: '0' },
  },
});
const numbers = (text: string) => text.split(',').map(Number);
const TICKS_A_SECOND = 100;
/** Mails that warm up a new sink: V8 compiles it within the first few hundred. */
const WARM_MAILS = 500;

interface Measured {
  readonly rate: number;
  /** Milliseconds of CPU for each mail: of the sending processes, PostgreSQL and the sink. */
  readonly cpu: number;
  readonly postgresCpu: number;
  readonly sinkCpu: number;
  /** Updates of rows of `delivery` for each mail, and the share of them that wrote no index entry (HOT). */
  readonly updates: number;
  readonly hotShare: number;
  /** Peak MB of the largest sending process. */
  readonly rss: number;
}

const stat = (pid: number): string[] => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
const cpuSeconds = (pid: number): number => {
  const fields = stat(pid);
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
};
const cpuSecondsOf = (pids: readonly number[]): number =>
  pids.map(cpuSeconds).reduce((sum, seconds) => sum + seconds, 0);
const peakMegabytes = (pid: number): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

const scene = await openScene();
const dovecot = values.inbox ? await startDovecot() : null;
const folder = mkdtempSync(join(tmpdir(), 'kaitaku-bench-'));
const certificate = values.tls ? selfSigned() : undefined;
const authorities = join(folder, 'certificate.pem');
if (certificate) writeFileSync(authorities, certificate.cert);
const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const parts: BareParts = {
  tls: values.tls,
  dkim: values.dkim ? { domainName: 'example.com', keySelector: 'bench', privateKey } : null,
};
const trusted = { ...process.env, ...(certificate && { NODE_EXTRA_CA_CERTS: authorities }) };
const env = {
  NODE_OPTIONS: values['node-options'],
  ...(dovecot && {
    INBOX_URL: `imap://${dovecot.user}@127.0.0.1:${dovecot.port}/INBOX`,
    INBOX_PASSWORD: dovecot.password,
    RETURN_ADDRESS: RETURN_PATTERN,
  }),
  ...(certificate && { NODE_EXTRA_CA_CERTS: authorities, SMTP_STARTTLS: 'required' }),
  ...(values.dkim && { DKIM_DOMAIN: 'example.com', DKIM_SELECTOR: 'bench', DKIM_PRIVATE_KEY: privateKey }),
};
const { db } = scene;
const { rows: backends } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(db);
const postmaster = Number(stat(backends[0]?.pid ?? 0)[1]);
/** Returns the CPU seconds of PostgreSQL's live processes; those that end meanwhile are not counted. */
const postgresSeconds = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => {
      try {
        return Number(stat(Number(name))[1]) === postmaster ? cpuSeconds(Number(name)) : 0;
      } catch {
        return 0;
      }
    })
    .reduce((sum, seconds) => sum + seconds, 0);

/** Counts the updates of mails. Complete once the workers have ended: sessions report what they did with a delay. */
async function deliveryUpdates(): Promise<{ updates: number; hot: number }> {
  const { rows } = await sql<{ updates: number; hot: number }>`
    SELECT n_tup_upd::integer AS updates, n_tup_hot_upd::integer AS hot
    FROM pg_stat_user_tables WHERE relname = 'delivery'`.execute(db);
  return rows[0] ?? { updates: 0, hot: 0 };
}

async function ours(sink: SinkProcess, mails: number, workers: number, connections: number): Promise<Measured> {
  await queueMails(scene, Math.max(mails, Number(values.queued)), DEMO_LETTER);
  await sql`UPDATE sender_throttle SET max_connections = 100`.execute(db);
  // All companies were mailed before, as most of a team's are: a first contact costs PostgreSQL a fifth more.
  await sql`
    INSERT INTO contact_state (account_id, sender_group_id, prospect_id, last_sent_at)
    SELECT account_id, sender_group_id, prospect_id, now() - interval '1 year' FROM delivery`.execute(db);
  await sql`VACUUM ANALYZE`.execute(db);
  // No worker claims mail while the transport is paused.
  await sql`UPDATE transport SET paused_until = 'infinity'`.execute(db);
  const programs = await startWorkers(scene, sink, {
    workers,
    connections,
    env: { ...env, ...(certificate && { SMTP_URL: `smtp://localhost:${sink.port}` }) },
  });
  const pids = programs.map(({ child }) => child.pid ?? 0);
  const spent = () => [cpuSecondsOf(pids), postgresSeconds(), cpuSeconds(sink.pid)];
  const before = spent();
  const updatesBefore = await deliveryUpdates();
  const begun = performance.now();
  await sql`UPDATE transport SET paused_until = NULL`.execute(db);
  let sent = 0;
  while (sent < mails) {
    // Counting costs PostgreSQL more the more rows there are: half a percent of the run late is accurate enough.
    await sleep(Math.max(5, mails / 200));
    // Counts the mailed companies: one mail each.
    const { rows } = await sql<{ sent: number }>`
      SELECT count(*)::integer AS sent FROM contact_state WHERE last_sent_at > now() - interval '1 day'`.execute(db);
    sent = rows[0]?.sent ?? 0;
  }
  const seconds = (performance.now() - begun) / 1000;
  const [cpu = 0, postgresCpu = 0, sinkCpu = 0] = spent().map(
    (now, part) => ((now - (before[part] ?? 0)) * 1000) / sent,
  );
  const rss = Math.max(...pids.map(peakMegabytes));
  await stopWorkers(programs);
  const after = await deliveryUpdates();
  const updates = after.updates - updatesBefore.updates;
  const hotShare = (after.hot - updatesBefore.hot) / updates;
  await sql`TRUNCATE send_log, delivery, contact_state, prospect CASCADE`.execute(db);
  return { rate: sent / seconds, cpu, postgresCpu, sinkCpu, updates: updates / sent, hotShare, rss };
}

async function bare(sink: SinkProcess, mails: number, connections: number): Promise<Measured> {
  const script = join(import.meta.dirname, 'sending-bare.ts');
  const before = cpuSeconds(sink.pid);
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [script, ...[sink.port, mails, connections].map(String), JSON.stringify(parts)],
    { env: trusted },
  );
  const { seconds, cpuSeconds: used, rss } = JSON.parse(stdout) as { seconds: number; cpuSeconds: number; rss: number };
  const sinkCpu = ((cpuSeconds(sink.pid) - before) * 1000) / mails;
  return { rate: mails / seconds, cpu: (used * 1000) / mails, postgresCpu: 0, sinkCpu, updates: 0, hotShare: 0, rss };
}

const row = (...cells: (string | number)[]) => print(`| ${cells.join(' | ')} |`);
row(
  'mails',
  'connections',
  'sent by',
  'mails/s',
  'of the pool',
  'CPU, ms a mail',
  'of the pool',
  'PostgreSQL',
  'sink',
  'updates a mail',
  'HOT',
  'peak RSS, MB',
);
row(...Array.from({ length: 12 }, () => '---'));
for (const mails of numbers(values.mails)) {
  for (const connections of numbers(values.connections)) {
    const counts = numbers(values.workers);
    const pool: Measured[] = [];
    const byWorkers = counts.map((): Measured[] => []);
    for (let round = 0; round < Number(values.rounds); round += 1) {
      const sink = await startSinkProcess(0, certificate);
      const proxy = Number(values.rtt) > 0 ? await startDelayingProxy(sink.port, Number(values.rtt)) : null;
      const server = { ...sink, port: proxy?.port ?? sink.port };
      await bare(sink, WARM_MAILS, connections);
      const sides = [
        async () => void pool.push(await bare(server, mails, connections)),
        async () => {
          for (const [index, workers] of counts.entries()) {
            byWorkers[index]?.push(await ours(server, mails, workers, connections));
          }
        },
      ];
      for (const side of round % 2 === 0 ? sides : sides.toReversed()) await side();
      proxy?.close();
      await sink.stop();
    }
    const line = (name: string, all: readonly Measured[]) => {
      const of = (key: keyof Measured) => median(all.map((one) => one[key]));
      const share = (key: 'rate' | 'cpu') => median(all.map((one, round) => one[key] / (pool[round]?.[key] ?? 1)));
      row(
        mails,
        connections,
        name,
        of('rate').toFixed(0),
        share('rate').toFixed(2),
        of('cpu').toFixed(2),
        share('cpu').toFixed(2),
        of('postgresCpu').toFixed(2),
        of('sinkCpu').toFixed(2),
        of('updates').toFixed(2),
        of('hotShare').toFixed(2),
        of('rss').toFixed(0),
      );
    };
    line('the bare pool', pool);
    for (const [index, workers] of counts.entries())
      line(`${workers} worker${workers > 1 ? 's' : ''}`, byWorkers[index] ?? []);
  }
}
await dovecot?.stop();
await scene.close();
rmSync(folder, { recursive: true });
