import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { sql } from 'kysely';
import { accountDbOf } from '#server/platform/account-db.ts';
import { openDatabase } from '#server/platform/db.ts';
import { acceptMails } from '#test/mails.ts';
import { startOwnPostgres } from '#test/own-postgres.ts';
import { startProgram } from '#test/program.ts';
import { type SinkProcess, startSinkProcess } from '#test/sink-process.ts';

/**
 * Mails a second, from rows that fall due to rows that say `sent`, by worker processes as users start them, against nodemailer's own
 * pool in one process on the same sink: `npm run bench -- sending [--mails 1000,10000] [--workers 1,2] [--connections 5,20] [--rounds 3]`.
 * Rounds are interleaved. The sink and PostgreSQL (fsync on) share the machine with whoever is measured.
 */
const { values } = parseArgs({
  options: {
    mails: { type: 'string', default: '1000,10000' },
    workers: { type: 'string', default: '1,2' },
    connections: { type: 'string', default: '5,20' },
    rounds: { type: 'string', default: '3' },
  },
});
const numbers = (text: string) => text.split(',').map(Number);
const TICKS_A_SECOND = 100;

interface Measured {
  readonly rate: number;
  /** Milliseconds of CPU a mail, of the sending processes. */
  readonly cpu: number;
  /** MB, the largest process; 0: not asked. */
  readonly rss: number;
}

const cpuSeconds = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
};
const peakMegabytes = (pid: number): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

const postgres = await startOwnPostgres();
const owner = openDatabase(postgres.url);
const api = openDatabase(postgres.url, { role: 'kaitaku_api' });

async function ours(sink: SinkProcess, mails: number, workers: number, connections: number): Promise<Measured> {
  const { db } = owner;
  await acceptMails({ db, account: accountDbOf(api.db) }, mails);
  await sql`UPDATE delivery SET not_before = now() + interval '1 hour' WHERE state = 'queued'`.execute(db);
  await sql`UPDATE sender_throttle SET max_connections = 100`.execute(db);
  await sql`VACUUM ANALYZE delivery`.execute(db);
  const programs = Array.from({ length: workers }, () =>
    startProgram(['worker'], {
      DATABASE_URL: postgres.url,
      SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
      WORKER_CONNECTIONS: String(connections),
    }),
  );
  await Promise.all(programs.map(({ until }) => until('worker started')));
  const pids = programs.map(({ child }) => child.pid ?? 0);
  const cpuSoFar = () => pids.map(cpuSeconds).reduce((sum, seconds) => sum + seconds, 0);
  const before = cpuSoFar();
  const begun = performance.now();
  await sql`UPDATE delivery SET not_before = now() WHERE state = 'queued'`.execute(db);
  for (;;) {
    const { rows } = await sql<{ open: boolean }>`
      SELECT EXISTS (SELECT FROM delivery WHERE state IN ('queued', 'claimed', 'sending')) AS open`.execute(db);
    if (!rows[0]?.open) break;
    await sleep(20);
  }
  const seconds = (performance.now() - begun) / 1000;
  const cpu = ((cpuSoFar() - before) * 1000) / mails;
  const rss = Math.max(...pids.map(peakMegabytes));
  for (const { child, ended } of programs) {
    child.kill('SIGTERM');
    await ended;
  }
  await sql`TRUNCATE send_log, delivery, contact_state, prospect CASCADE`.execute(db);
  return { rate: mails / seconds, cpu, rss };
}

async function bare(sink: SinkProcess, mails: number, connections: number): Promise<Measured> {
  const script = join(import.meta.dirname, 'sending-bare.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [
    script,
    ...[sink.port, mails, connections].map(String),
  ]);
  const { seconds, cpuSeconds } = JSON.parse(stdout) as { seconds: number; cpuSeconds: number };
  return { rate: mails / seconds, cpu: (cpuSeconds * 1000) / mails, rss: 0 };
}

const median = (all: readonly number[]): number => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;

const print = (...cells: (string | number)[]) => process.stdout.write(`| ${cells.join(' | ')} |\n`);
print('mails', 'connections', 'sent by', 'mails/s', 'of the pool', 'CPU, ms a mail', 'peak RSS, MB');
print('---', '---', '---', '---', '---', '---', '---');
for (const mails of numbers(values.mails)) {
  for (const connections of numbers(values.connections)) {
    const counts = numbers(values.workers);
    const pool: Measured[] = [];
    const byWorkers = counts.map((): Measured[] => []);
    for (let round = 0; round < Number(values.rounds); round += 1) {
      const sink = await startSinkProcess();
      pool.push(await bare(sink, mails, connections));
      for (const [index, workers] of counts.entries()) {
        byWorkers[index]?.push(await ours(sink, mails, workers, connections));
      }
      await sink.stop();
    }
    const line = (name: string, all: readonly Measured[]) => {
      const of = (key: keyof Measured) => median(all.map((one) => one[key]));
      const shares = all.map(({ rate }, round) => rate / (pool[round]?.rate ?? 1));
      print(
        mails,
        connections,
        name,
        of('rate').toFixed(0),
        median(shares).toFixed(2),
        of('cpu').toFixed(2),
        of('rss').toFixed(0),
      );
    };
    line('the bare pool', pool);
    for (const [index, workers] of counts.entries())
      line(`${workers} worker${workers > 1 ? 's' : ''}`, byWorkers[index] ?? []);
  }
}
await owner.close();
await api.close();
await postgres.stop();
