import { appendFileSync } from 'node:fs';
import { sql } from 'kysely';
import { CLAIM_LEASE_SECONDS } from '#server/features/delivery/leases/lease-seconds.ts';
import type { Db } from '#server/platform/database/db.ts';
import { form } from './form.ts';
import type { judge } from './truth.ts';

export interface RunReport extends Omit<Awaited<ReturnType<typeof judge>>, 'wrong'> {
  readonly run: string;
  readonly mails: number;
  /** The number of injected faults. */
  readonly faults: number;
  /** The longest time in seconds from a worker's last renewal until its mails are free; null: not measured. */
  readonly recovery: number | null;
  readonly seconds: number;
}

/** Adds a line to the table that `npm run faults` prints. */
export function report(row: RunReport): void {
  const { FAULTS_REPORT: file } = process.env;
  if (file) appendFileSync(file, `${JSON.stringify({ ...row, seed: form.seed })}\n`);
}

const LOOK_MS = 200;

/**
 * Measures how long unbegun mails of dead workers stay claimed.
 * A renewal sets the lease. If a mail's lease ended t seconds ago, it has had no worker for at most the lease plus t.
 * @returns a function that stops, and returns the longest time
 */
export function watchRecovery(db: Db): () => number {
  let worst = 0;
  const look = async () => {
    const { rows } = await sql<{ overdue: number | null }>`
      SELECT extract(epoch FROM max(now() - lease_until))::float8 AS overdue FROM delivery
      WHERE lease_until < now() AND state = 'claimed'`.execute(db);
    worst = Math.max(worst, rows[0]?.overdue ?? 0);
  };
  // After an outage of the database the timer tries again.
  const timer = setInterval(() => void look().catch(() => undefined), LOOK_MS);
  return () => {
    clearInterval(timer);
    return worst === 0 ? 0 : CLAIM_LEASE_SECONDS + worst + LOOK_MS / 1000;
  };
}
