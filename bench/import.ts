import { execFileSync } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { prepareDatabase } from '#server/commands/open-database.ts';
import { importProspects } from '#server/features/imports/merge/import.command.ts';
import { type Database, openDatabase } from '#server/platform/database/db.ts';
import { startEmbeddedPostgres } from '#server/platform/embedded-postgres/embedded-postgres.ts';
import { Problem } from '#server/platform/problem.ts';
import { addAccount } from '#test/accounts.ts';
import { accessTo, openAs } from '#test/open-as.ts';
import { cpuByProcess, postmasterOf } from './postgres-cpu.ts';

/**
 * Measures the import of a list as a share of the speed of COPY without parsing, checks and indexes, and its CPU. On a
 * busy machine shares of time vary by a factor, CPU by a tenth.
 * `npm run bench -- import [rows] [rounds]`. In a separate database on the server of DATABASE_URL, or the embedded
 * one.
 */

const ROWS = Number(process.argv[2] ?? 100_000);
const ROUNDS = Number(process.argv[3] ?? 7);
const NAME = `kaitaku_bench_${process.pid}`;

interface Run {
  rowsPerSecond: number;
  longestBlockMs: number;
  /** CPU of this process: parsing, checking, encoding. */
  cpuMicrosPerRow: number;
  /** CPU of all processes of PostgreSQL on this machine. */
  postgresMicrosPerRow: number;
}

let postmaster = 0;

const postgresCpu = (): number => [...cpuByProcess(postmaster).values()].reduce((sum, seconds) => sum + seconds, 0);

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Returns the ratios of the runs, round by round. */
const ratios = (of: readonly number[], to: readonly number[]): number[] =>
  of.map((rate, round) => rate / (to[round] ?? Number.NaN));

/** Measures the time of `work`, and the longest block of the event loop. */
async function measure(work: () => Promise<void>): Promise<Run> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const cpu = process.cpuUsage();
  const postgres = postgresCpu();
  const start = performance.now();
  await work();
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  delay.disable();
  return {
    rowsPerSecond: ROWS / seconds,
    longestBlockMs: delay.max / 1e6,
    cpuMicrosPerRow: (user + system) / ROWS,
    postgresMicrosPerRow: ((postgresCpu() - postgres) * 1e6) / ROWS,
  };
}

async function passThrough({ pool }: Database, file: string): Promise<void> {
  const client = await pool.connect();
  try {
    await pipeline(createReadStream(file), client.query(copyFrom('COPY bench_raw FROM STDIN (FORMAT csv, HEADER)')));
  } finally {
    client.release();
  }
}

/** Imports a file. @param added whether the file's companies are new */
async function importAll(database: Database, accountId: number, file: string, added: boolean): Promise<void> {
  const answer = await importProspects(database, { accountId, file });
  if (answer instanceof Problem) throw new Error(answer.message);
  const done = added ? answer.added : answer.unchanged;
  if (done + answer.duplicates !== ROWS) throw new Error(JSON.stringify(answer));
}

async function prepare(database: Database): Promise<number> {
  const columns = Array.from({ length: 13 }, (_, at) => `c${at} text`);
  const { rows } = await database.pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  postmaster = postmasterOf(rows[0]?.pid ?? 0);
  await database.pool.query(`CREATE TABLE bench_raw (${columns.join(', ')})`);
  return (await addAccount(database.db)).accountId;
}

/** The columns of prospect that an import writes. */
const WRITTEN = `SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) AS columns FROM pg_attribute
  WHERE attrelid = 'prospect'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND attidentity = ''`;

/** Stores the imported companies as finished rows. @returns the statement that inserts them */
async function keepFinishedRows({ pool }: Database): Promise<string> {
  const { rows } = await pool.query<{ columns: string }>(WRITTEN);
  const columns = rows[0]?.columns ?? '';
  await pool.query(`CREATE TABLE bench_finished AS SELECT ${columns} FROM prospect ORDER BY id`);
  return `INSERT INTO prospect (${columns}) TABLE bench_finished`;
}

async function empty({ pool }: Database): Promise<void> {
  await pool.query('TRUNCATE prospect, industry CASCADE');
  await pool.query('TRUNCATE bench_raw');
  await pool.query('CHECKPOINT');
}

/** Runs all rounds. @param service the role that runs imports; `database` is the owner's */
async function run(database: Database, service: Database, folder: string): Promise<void> {
  execFileSync(process.execPath, [join(import.meta.dirname, 'import-files.ts'), folder, String(ROWS)]);
  const utf8 = join(folder, 'utf8.csv');
  const cp932 = join(folder, 'cp932.csv');
  const accountId = await prepare(database);

  const runs = new Map<string, Run[]>();
  const add = async (name: string, work: () => Promise<void>) => {
    const measured = await measure(work);
    runs.set(name, [...(runs.get(name) ?? []), measured]);
  };
  await importAll(service, accountId, utf8, true);
  const insertFinished = await keepFinishedRows(database);

  // Interleaved, so that a busy moment of the machine affects all of them. Round 0 warms up.
  for (let round = 0; round <= ROUNDS; round += 1) {
    await empty(database);
    await add('COPY, nothing else', () => passThrough(database, utf8));
    await empty(database);
    // The upper bound for every program that keeps these indexes and triggers.
    await add('INSERT of the finished rows', async () => void (await database.pool.query(insertFinished)));
    await empty(database);
    await add('import, CP932', () => importAll(service, accountId, cp932, true));
    await empty(database);
    await add('import, UTF-8', () => importAll(service, accountId, utf8, true));
    await add('the same file again', () => importAll(service, accountId, utf8, false));
    if (round === 0) runs.clear();
  }
  print(runs);
}

function print(runs: Map<string, Run[]>): void {
  const rates = (name: string) => (runs.get(name) ?? []).map(({ rowsPerSecond }) => rowsPerSecond);
  const lines = [...runs].map(([name, list]) => {
    const shares = ratios(rates(name), rates('COPY, nothing else'));
    const share = `${median(shares).toFixed(3)} (${Math.min(...shares).toFixed(3)}–${Math.max(...shares).toFixed(3)})`;
    const block = Math.max(...list.map(({ longestBlockMs }) => longestBlockMs)).toFixed(0);
    const cpu = median(list.map(({ cpuMicrosPerRow }) => cpuMicrosPerRow)).toFixed(1);
    const postgres = median(list.map(({ postgresMicrosPerRow }) => postgresMicrosPerRow)).toFixed(1);
    return `| ${name} | ${share} | ${Math.round(median(rates(name)) / 1000)} | ${cpu} | ${postgres} | ${block} |`;
  });
  const toUtf8 = median(ratios(rates('import, CP932'), rates('import, UTF-8')));
  process.stdout.write(
    [
      `${ROWS} rows, ${ROUNDS} rounds, Node ${process.version}`,
      '',
      '| | share of COPY | k rows/s | Node, µs CPU a row | PostgreSQL, µs CPU a row | longest block of the event loop, ms |',
      '| --- | --- | --- | --- | --- | --- |',
      ...lines,
      '',
      `CP932 against UTF-8: ${toUtf8.toFixed(2)}. Peak RSS: ${Math.round(process.resourceUsage().maxRSS / 1024)} MB.`,
      '',
    ].join('\n'),
  );
}

const folder = await mkdtemp(join(tmpdir(), 'kaitaku-bench-'));
// Started by root, the server runs as `nobody`, who must reach its data in this folder.
await chmod(folder, 0o755);
const embedded = process.env.DATABASE_URL ? null : await startEmbeddedPostgres(join(folder, 'data'));
const adminUrl = process.env.DATABASE_URL ?? embedded?.url ?? '';
const admin = new pg.Client({ connectionString: adminUrl });
await admin.connect();
try {
  await admin.query(`CREATE DATABASE ${NAME}`);
  const url = new URL(adminUrl);
  url.pathname = `/${NAME}`;
  await prepareDatabase(accessTo(url.href));
  const database = openDatabase(url.href);
  const service = openAs('service', url.href);
  try {
    await run(database, service, folder);
  } finally {
    await service.close();
    await database.close();
    await admin.query(`DROP DATABASE ${NAME} WITH (FORCE)`);
  }
} finally {
  await admin.end();
  await embedded?.stop();
  await rm(folder, { recursive: true });
}
