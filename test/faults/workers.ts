import { type RawBuilder, sql } from 'kysely';
import { onTestFinished } from 'vitest';
import type { Db } from '#server/platform/db.ts';
import type { TestDatabase } from '#test/db.ts';
import { type Program, startProgram } from '#test/program.ts';
import { startWire, throughWire, type Wire } from './wire.ts';

/** A worker process as users start it; killed with the test if it still runs. */
export function startWorker(databaseUrl: string, smtpPort: number, connections = 4): Program {
  const worker = startProgram(['worker'], {
    DATABASE_URL: databaseUrl,
    SMTP_URL: `smtp://127.0.0.1:${smtpPort}`,
    WORKER_CONNECTIONS: String(connections),
  });
  onTestFinished(() => kill(worker));
  return worker;
}

/** kill -9, and over. */
export async function kill(worker: Program): Promise<void> {
  worker.child.kill('SIGKILL');
  await worker.ended;
}

/** SIGTERM, once it listens for it. @returns its exit code */
export async function stop(worker: Program): Promise<number | null> {
  await worker.until('worker started');
  worker.child.kill('SIGTERM');
  return worker.ended;
}

/** A wire to the database, gone with the test, and its address by way of it. */
export async function wireTo(database: Pick<TestDatabase, 'url'>): Promise<{ wire: Wire; url: string }> {
  const { port, hostname } = new URL(database.url);
  const wire = await startWire(Number(port) || 5432, hostname);
  onTestFinished(() => wire.close());
  return { wire, url: throughWire(database.url, wire) };
}

/** Changes deliveries while workers do: locked by id, as by all who lock several of them, so that none lock each other out. */
const change = (db: Db, which: RawBuilder<unknown>, to: RawBuilder<unknown>) =>
  sql`
    WITH chosen AS (SELECT account_id, id FROM delivery WHERE ${which} ORDER BY account_id, id FOR UPDATE)
    UPDATE delivery d SET ${to} FROM chosen WHERE d.account_id = chosen.account_id AND d.id = chosen.id`.execute(db);

/** As if the half minute was over after which what could not be handed over is tried again. */
export const retryNow = ({ db }: Pick<TestDatabase, 'db'>) =>
  change(db, sql`state = 'queued' AND not_before > now()`, sql`not_before = now()`);

/** As if ten seconds had passed: nobody's lease holds any more. */
export const endLeases = ({ db }: Pick<TestDatabase, 'db'>) =>
  change(db, sql`lease_until IS NOT NULL`, sql`lease_until = 'epoch'`);
