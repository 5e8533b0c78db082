import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { openDatabase } from '#server/platform/database/db.ts';
import { startOwnPostgres } from '#test/own-postgres.ts';
import { addManyProspects, addTenant } from '#test/prospects.ts';
import { print } from './figures.ts';

/**
 * Measures `backup` and `restore` as operators run them: seconds, file size, memory of the program.
 * `npm run bench -- backup [--companies 1000000]`. A company is two rows, one of them in the list's narrow table.
 */
const { values } = parseArgs({ options: { companies: { type: 'string', default: '1000000' } } });
const companies = Number(values.companies);
const MB = 1_000_000;

/** Runs a command. @returns its time, its CPU without the database's, and its peak memory */
async function run(args: readonly string[], env: Record<string, string>): Promise<string> {
  const start = performance.now();
  const child = spawn(process.execPath, ['src/server/main.ts', ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let peak = 0;
  const timer = setInterval(() => {
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0));
  }, 50);
  const [code] = await once(child, 'exit');
  clearInterval(timer);
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}`);
  return `${((performance.now() - start) / 1000).toFixed(1)} s, at most ${Math.round((peak * 1024) / MB)} MB of memory`;
}

const postgres = await startOwnPostgres();
const owner = openDatabase(postgres.url);
const folder = await mkdtemp(join(tmpdir(), 'kaitaku-bench-'));
const file = join(folder, 'backup');
try {
  const { accountId } = await addTenant(owner.db);
  for (let from = 1; from <= companies; from += 50_000) {
    await addManyProspects(owner.db, accountId, Math.min(50_000, companies - from + 1), from);
  }
  const { rows } = await owner.pool.query<{ mb: number }>(
    'SELECT pg_database_size(current_database()) / 1000000 AS mb',
  );
  print(`${companies} companies, a database of ${rows[0]?.mb} MB`);
  const env = { DATABASE_URL: postgres.url, DATA_DIR: join(folder, 'data') };
  print(`backup: ${await run(['backup', file], env)}; file ${Math.round(statSync(file).size / MB)} MB`);
  const admin = new pg.Client({ connectionString: postgres.url });
  await admin.connect();
  await admin.query('CREATE DATABASE restored');
  await admin.end();
  const target = Object.assign(new URL(postgres.url), { pathname: '/restored' }).href;
  print(`restore: ${await run(['restore', file], { ...env, DATABASE_URL: target })}`);
} finally {
  await owner.close();
  await postgres.stop();
  if (!process.env.KEEP) await rm(folder, { recursive: true });
}
