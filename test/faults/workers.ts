import { existsSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import { onTestFinished } from 'vitest';
import { API_BASE } from '#contract/call.ts';
import { mergeReceipts } from '#server/features/delivery/guard/merge-receipts.command.ts';
import { sweepInTransaction } from '#server/features/delivery/results/sweep.queries.ts';
import type { Db } from '#server/platform/database/db.ts';
import { clientAt } from '#test/client.ts';
import type { TestDatabase } from '#test/db.ts';
import { freePort, type Program, startProgram } from '#test/program.ts';
import type { FakeSendGrid } from '#test/sendgrid.ts';
import { countStates, eventually } from '#test/sending.ts';
import { openSessionOf } from '../accounts.ts';
import { startWire, throughWire, type Wire } from './wire.ts';

/** The longest time in ms from the start of a process to its crash point, on a busy machine. */
const REACH_POINT_MAX_MS = 100_000;

/** Returns the folder that a database's workers share; it is removed with the test. */
export function dataDirOf(databaseUrl: string): string {
  const folder = join(tmpdir(), `kaitaku-faults-${basename(new URL(databaseUrl).pathname)}`);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function startWorkerBy(way: Record<string, string>, databaseUrl: string, connections: number): Program {
  const worker = startProgram(['worker'], {
    ...way,
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDirOf(databaseUrl),
    WORKER_CONNECTIONS: String(connections),
  });
  onTestFinished(() => kill(worker));
  return worker;
}

/** Starts a worker process as users do; a remaining one is killed with the test. @param more further settings */
export const startWorker = (databaseUrl: string, smtpPort: number, connections = 4, more = {}): Program =>
  startWorkerBy({ SMTP_URL: `smtp://127.0.0.1:${smtpPort}`, ...more }, databaseUrl, connections);

/** Starts a worker that sends by SendGrid, one request at a time. */
export const startSendGridWorker = (databaseUrl: string, { apiKey, url }: FakeSendGrid): Program =>
  startWorkerBy(
    { SENDGRID_API_KEY: apiKey, SENDGRID_URL: url.href, MAIL_FROM: 'no-reply@example.com' },
    databaseUrl,
    1,
  );

/** Starts a web process, and returns a client of one account on it. @param more further settings */
export async function startWeb(
  databaseUrl: string,
  smtpPort: number,
  { login }: TestDatabase,
  accountId: number,
  more: Record<string, string> = {},
) {
  const port = await freePort();
  const web = startProgram(['web'], {
    ...more,
    DATABASE_URL: databaseUrl,
    SMTP_URL: `smtp://127.0.0.1:${smtpPort}`,
    PORT: String(port),
  });
  onTestFinished(() => kill(web));
  await web.until('web started');
  const token = await openSessionOf(login, accountId, Date.now());
  const url = `http://127.0.0.1:${port}`;
  return { web, url, client: clientAt(url + API_BASE, `Bearer ${token}`) };
}

/** Returns the folder of a database's receipts; workers that share a folder keep them by database. */
function receiptsFolder({ url }: Pick<TestDatabase, 'url'>): string {
  const root = join(dataDirOf(url), 'receipts');
  const [database = 'none'] = existsSync(root) ? readdirSync(root) : [];
  return join(root, database);
}

/** Returns the receipt files that are not merged yet. */
function unmergedFiles(database: Pick<TestDatabase, 'url'>): string[] {
  const folder = receiptsFolder(database);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => !['kept', 'moves', 'unknown'].includes(name))
    .map((name) => join(folder, name));
}

/** Waits until the live workers have merged the receipts of dead ones. */
export const untilMerged = (database: Pick<TestDatabase, 'url'>) =>
  eventually(
    () => unmergedFiles(database),
    ({ length }) => length === 0,
  );

/** Ages the receipts by some seconds, so that they may be merged now. */
export function restReceipts(database: Pick<TestDatabase, 'url'>): void {
  const longAgo = new Date(Date.now() - 60_000);
  for (const file of unmergedFiles(database)) utimesSync(file, longAgo, longAgo);
}

/** Ages the receipts, and merges them. */
export async function mergeNow(database: TestDatabase): Promise<void> {
  restReceipts(database);
  await mergeReceipts(database.service.db, receiptsFolder(database), Date.now(), (error) => {
    throw error;
  });
}

/** Ends a worker by kill -9, and waits for its end. */
export async function kill(worker: Program): Promise<void> {
  worker.child.kill('SIGKILL');
  await worker.ended;
}

/** Waits until workers have started: earlier, one that cannot connect to its database would exit. */
export async function untilStarted(...workers: readonly Program[]): Promise<void> {
  for (const worker of workers) await worker.until('worker started');
}

/**
 * Waits until a process is at its crash point.
 * @throws with the point's name and the process's output if it does not get there
 */
export async function untilAtPoint(point: string, reached: Promise<unknown>, victim: Program): Promise<void> {
  const timer = new AbortController();
  const fail = (why: string) => Promise.reject(new Error(`${point}: the process ${why}\n${victim.output()}`));
  await Promise.race([
    reached,
    victim.ended.then(() => fail('ended before')),
    sleep(REACH_POINT_MAX_MS, undefined, { signal: timer.signal }).then(() => fail('did not get there')),
  ]).finally(() => timer.abort());
}

/** Sends SIGTERM once the worker handles it. @returns its exit code */
export async function stop(worker: Program): Promise<number | null> {
  await untilStarted(worker);
  worker.child.kill('SIGTERM');
  return worker.ended;
}

/** Starts a wire to the database for the test. @returns the wire, and the database's URL through it */
export async function wireTo(database: Pick<TestDatabase, 'url'>): Promise<{ wire: Wire; url: string }> {
  const { port, hostname } = new URL(database.url);
  const wire = await startWire(Number(port) || 5432, hostname);
  onTestFinished(() => wire.close());
  return { wire, url: throughWire(database.url, wire) };
}

/**
 * Changes deliveries while workers are running.
 * It locks them by id, like all code that locks several, so that there are no deadlocks.
 */
const change = (db: Db, which: RawBuilder<unknown>, to: RawBuilder<unknown>) =>
  sql`
    WITH chosen AS (SELECT account_id, id FROM delivery WHERE ${which} ORDER BY account_id, id FOR UPDATE)
    UPDATE delivery d SET ${to} FROM chosen WHERE d.account_id = chosen.account_id AND d.id = chosen.id`.execute(db);

/** Ends the waiting time of half a minute after which a failed hand-over is retried. */
export const retryNow = ({ db }: Pick<TestDatabase, 'db'>) =>
  change(db, sql`state = 'queued' AND not_before > now()`, sql`not_before = now()`);

/** Waits until no mail is open, and ends the waiting times before retries. */
export const untilSettledByRetries = ({ db }: Pick<TestDatabase, 'db'>, timeoutMs: number) =>
  eventually(
    async () => {
      await retryNow({ db });
      return countStates(db);
    },
    ({ queued = 0, claimed = 0, sending = 0 }) => queued + claimed + sending === 0,
    timeoutMs,
  );

const HELD = sql`lease_until IS NOT NULL`;
const OVER = sql`lease_until = 'epoch'`;

/** Ends all leases, as after ten seconds. A living worker may renew them before a sweep. */
export const endLeases = ({ db }: Pick<TestDatabase, 'db'>) => change(db, HELD, OVER);

/**
 * Ends leases and sweeps in one transaction, so that no worker renews them in between.
 * @param which condition of deliveries; default: all claimed ones
 */
export const sweepNow = ({ service }: Pick<TestDatabase, 'service'>, which: RawBuilder<unknown> = HELD) =>
  service.db.transaction().execute(async (tx) => {
    await change(tx, which, OVER);
    return sweepInTransaction(tx);
  });

/** Moves the ends of all leases, like a jump of the database's clock. @param by an interval */
export const moveLeases = ({ db }: Pick<TestDatabase, 'db'>, by: string) =>
  change(db, HELD, sql`lease_until = lease_until + ${by}::interval`);
