import { execFileSync } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { prepareDatabase } from '#server/commands/open-database.ts';
import { importProspects } from '#server/features/imports/merge/import.command.ts';
import { type Database, openDatabase } from '#server/platform/database/db.ts';
import { startEmbeddedPostgres } from '#server/platform/embedded-postgres/embedded-postgres.ts';
import { addAccount } from '#test/accounts.ts';
import { accessTo, openAs } from '#test/open-as.ts';
import { cpuByProcess, postmasterOf } from './postgres-cpu.ts';

/**
 * Measures the import of a list as a share of the speed of COPY without parsing, checks and indexes, and its CPU. On a
 * busy machine shares of time vary by a factor, CPU by a tenth.
 * `npm run bench -- import [rows] [rounds] [--beside DIR]`. In a separate database on the server of DATABASE_URL, or
 * the embedded one. DIR: a clone of another commit, with its packages, whose import runs in turn with this one's, also
 * of the list with five own columns (the other one leaves them out), and of one with people.
 */

const { values, positionals } = parseArgs({ allowPositionals: true, options: { beside: { type: 'string' } } });
const ROWS = Number(positionals[0] ?? 100_000);
const ROUNDS = Number(positionals[1] ?? 7);
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

/** Returns the CPU of PostgreSQL since `before`, in seconds. A connection that has ended meanwhile does not count. */
const postgresCpu = (before: ReadonlyMap<number, number>): number =>
  [...cpuByProcess(postmaster)].reduce((sum, [pid, seconds]) => sum + seconds - (before.get(pid) ?? 0), 0);

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
  const postgres = cpuByProcess(postmaster);
  const start = performance.now();
  await work();
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  delay.disable();
  return {
    rowsPerSecond: ROWS / seconds,
    longestBlockMs: delay.max / 1e6,
    cpuMicrosPerRow: (user + system) / ROWS,
    postgresMicrosPerRow: (postgresCpu(postgres) * 1e6) / ROWS,
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
async function importAll(
  database: Database,
  accountId: number,
  file: string,
  added: boolean,
  importFile: typeof importProspects = importProspects,
): Promise<void> {
  const answer = await importFile(database, { accountId, file });
  if (answer instanceof Error || !('added' in answer)) throw new Error(JSON.stringify(answer));
  const done = added ? answer.added : answer.unchanged;
  // Of a company's people the first is in its row, the others are in rows of their own.
  const further = (answer.people?.added ?? 0) - (answer.people ? answer.added : 0);
  if (done + answer.duplicates + further !== ROWS) throw new Error(JSON.stringify(answer));
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

const runs = new Map<string, Run[]>();
const add = async (name: string, work: () => Promise<void>) => {
  const measured = await measure(work);
  runs.set(name, [...(runs.get(name) ?? []), measured]);
};

/** Runs all rounds. @param service the role that runs imports; `database` is the owner's */
async function run(database: Database, service: Database, folder: string): Promise<void> {
  const utf8 = join(folder, 'utf8.csv');
  const cp932 = join(folder, 'cp932.csv');
  const accountId = await prepare(database);
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
  print();
}

/** A tree with a database of its own. */
async function sideOf(folder: string, url: string) {
  const load = async (path: string) => await import(join(folder, path));
  const { accessTo: access, openAs: open }: typeof import('#test/open-as.ts') = await load('test/open-as.ts');
  const { prepareDatabase: migrate } = await load('src/server/commands/open-database.ts');
  const { importProspects: importFile } = await load('src/server/features/imports/merge/import.command.ts');
  const { addAccount: add } = await load('test/accounts.ts');
  await migrate(access(url));
  const database = openDatabase(url);
  const service = open('service', url);
  const { accountId } = await add(database.db);
  return {
    database,
    accountId: Number(accountId),
    import: (file: string) => importAll(service, accountId, file, true, importFile),
    close: () => Promise.all([database.close(), service.close()]),
  };
}
type Side = Awaited<ReturnType<typeof sideOf>>;

const OWN_FIELDS = [
  ['展示会名', 'text'],
  ['ランク', 'choice'],
  ['席数', 'number'],
  ['訪問日', 'date'],
  ['会員', 'flag'],
];

/** Runs the imports of two trees in turn. */
async function runBeside(before: Side, now: Side, folder: string): Promise<void> {
  const { rows } = await now.database.pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  postmaster = postmasterOf(rows[0]?.pid ?? 0);
  await now.database.pool.query(
    `INSERT INTO custom_field (account_id, key, label, label_key, type, position)
     SELECT $1, 'field_' || n, label, label, type, n FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS f (label, type, n)`,
    [now.accountId, OWN_FIELDS.map(([label]) => label), OWN_FIELDS.map(([, type]) => type)],
  );
  const ways = [
    ['13 columns, before', before, 'utf8'],
    ['13 columns', now, 'utf8'],
    ['18 columns, before', before, 'own'],
    ['18 columns, five own', now, 'own'],
    ['with people', now, 'people'],
  ] as const;
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [name, side, file] of ways) {
      await side.database.pool.query('TRUNCATE prospect, industry CASCADE');
      await side.database.pool.query('CHECKPOINT');
      await add(name, () => side.import(join(folder, `${file}.csv`)));
    }
    if (round === 0) runs.clear();
  }
  const of = (name: string, figure: (run: Run) => number) => (runs.get(name) ?? []).map(figure);
  const cpu = ({ cpuMicrosPerRow, postgresMicrosPerRow }: Run) => 1 / (cpuMicrosPerRow + postgresMicrosPerRow);
  process.stdout.write(`${ROWS} rows, ${ROUNDS} rounds, Node ${process.version}\n\n`);
  process.stdout.write('| | k rows/s | µs CPU a row: Node, PostgreSQL | rate: of before | by CPU: of before |\n');
  process.stdout.write('| --- | --- | --- | --- | --- |\n');
  for (const [name] of ways) {
    const base = name.startsWith('18') ? '18 columns, before' : '13 columns, before';
    const share = (figure: (run: Run) => number) => median(ratios(of(name, figure), of(base, figure))).toFixed(2);
    const rate = (run: Run) => run.rowsPerSecond;
    const spent = [
      median(of(name, ({ cpuMicrosPerRow }) => cpuMicrosPerRow)),
      median(of(name, ({ postgresMicrosPerRow }) => postgresMicrosPerRow)),
    ];
    process.stdout.write(
      `| ${name} | ${(median(of(name, rate)) / 1000).toFixed(1)} | ${spent.map((micros) => micros.toFixed(1)).join(', ')} | ${share(rate)} | ${share(cpu)} |\n`,
    );
  }
}

function print(): void {
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
/** Runs `work` with a new database. */
async function withDatabase(name: string, work: (url: string) => Promise<void>): Promise<void> {
  await admin.query(`CREATE DATABASE ${name}`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  try {
    await work(url.href);
  } finally {
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
  }
}

try {
  execFileSync(process.execPath, [join(import.meta.dirname, 'import-files.ts'), folder, String(ROWS)]);
  const { beside } = values;
  await withDatabase(NAME, async (url) => {
    if (beside !== undefined) {
      await withDatabase(`${NAME}_before`, async (other) => {
        const before = await sideOf(resolve(beside), other);
        const now = await sideOf(join(import.meta.dirname, '..'), url);
        try {
          await runBeside(before, now, folder);
        } finally {
          await Promise.all([before.close(), now.close()]);
        }
      });
      return;
    }
    await prepareDatabase(accessTo(url));
    const database = openDatabase(url);
    const service = openAs('service', url);
    try {
      await run(database, service, folder);
    } finally {
      await Promise.all([service.close(), database.close()]);
    }
  });
} finally {
  await admin.end();
  await embedded?.stop();
  await rm(folder, { recursive: true });
}
