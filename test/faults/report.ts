import { appendFileSync } from 'node:fs';
import { sql } from 'kysely';
import { LEASE_SECONDS } from '#server/features/delivery/claim.ts';
import type { Db } from '#server/platform/db.ts';
import { form } from './form.ts';
import type { judge } from './truth.ts';

export interface RunReport extends Omit<Awaited<ReturnType<typeof judge>>, 'wrong'> {
  readonly run: string;
  readonly mails: number;
  /** How often it was disturbed. */
  readonly faults: number;
  /** The longest time in seconds from a worker's last sign of life to its mails being free again; null: not asked. */
  readonly recovery: number | null;
  readonly seconds: number;
}

/** A line of the table that `npm run faults` prints. */
export function report(row: RunReport): void {
  const { FAULTS_REPORT: file } = process.env;
  if (file) appendFileSync(file, `${JSON.stringify({ ...row, seed: form.seed })}\n`);
}

const LOOK_MS = 200;

/**
 * Watches how long the mails of dead workers lie about. A lease is set at a sign of life and renewed by the next one,
 * so a mail whose lease is over by t seconds has been without a worker for at most the lease and t. @returns how to
 * stop, and the longest such time
 */
export function watchRecovery(db: Db): () => number {
  let worst = 0;
  const look = async () => {
    const { rows } = await sql<{ overdue: number | null }>`
      SELECT extract(epoch FROM max(now() - lease_until))::float8 AS overdue FROM delivery
      WHERE lease_until < now()`.execute(db);
    worst = Math.max(worst, rows[0]?.overdue ?? 0);
  };
  // A database that is away is looked at again when it is back.
  const timer = setInterval(() => void look().catch(() => undefined), LOOK_MS);
  return () => {
    clearInterval(timer);
    return worst === 0 ? 0 : LEASE_SECONDS + worst + LOOK_MS / 1000;
  };
}
