import { sql } from 'kysely';
import type { Job } from '#contract/account/jobs.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { isNotFrozen } from '../../platform/database/frozen.ts';
import type { JobClaim, JobInputs, JobKind } from './job.ts';

const LEASE_SECONDS = 30;
const leaseEnd = sql<Date>`now() + make_interval(secs => ${sql.lit(LEASE_SECONDS)})`;
/** The claims after which an interrupted job fails, so that a job that crashes its worker is not retried forever. */
export const MAX_CLAIMS = 3;
const KEPT_DAYS = 30;

/** Adds a job. Workers are notified when the transaction commits. @returns its id */
export async function addJob<Kind extends JobKind>(
  tx: Tx,
  { id: accountId, memberId }: AccountDb,
  kind: Kind,
  input: JobInputs[Kind],
): Promise<number> {
  const { id } = await tx
    .insertInto('job')
    .values({ account_id: accountId, member_id: memberId, kind, input: JSON.stringify(input) })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** The most accounts that one claim tries while other workers hold the first ones. */
const MAX_CANDIDATES = 100;

/**
 * Claims a job of these kinds: a queued one, or one whose worker was lost.
 * Accounts take turns: those without an earlier job first, then the one whose last job started first. An account with a
 * running job waits, so that it has one at a time. Locked rows are skipped: another worker is claiming for the account,
 * or a change of the account holds the lock briefly.
 */
export async function claimJob(db: Db, kinds: readonly string[]): Promise<JobClaim | null> {
  const isOurs = sql`kind = ANY (${kinds}::text[]) AND claim_no < ${MAX_CLAIMS}`;
  // `queued` reads only the first job of each account.
  const { rows } = await sql<JobClaim>`
    WITH RECURSIVE queued AS (
      (SELECT account_id, id FROM job WHERE state = 'queued' AND ${isOurs} ORDER BY account_id, id LIMIT 1)
      UNION ALL
      SELECT following.account_id, following.id
      FROM queued CROSS JOIN LATERAL (
        SELECT job.account_id, job.id FROM job
        WHERE state = 'queued' AND job.account_id > queued.account_id AND ${isOurs}
        ORDER BY job.account_id, job.id LIMIT 1) AS following
    ), lost AS (
      SELECT account_id, id FROM job WHERE state = 'running' AND lease_until < now() AND ${isOurs}
    ), candidate AS MATERIALIZED (
      SELECT account.id AS account_id, min(first.id) AS id, account.last_job_at
      FROM (SELECT * FROM queued UNION ALL SELECT * FROM lost) AS first JOIN account ON account.id = first.account_id
      WHERE account.id NOT IN (SELECT account_id FROM job WHERE state = 'running' AND lease_until >= now())
        AND account.frozen_at IS NULL
      GROUP BY account.id
      ORDER BY account.last_job_at NULLS FIRST, min(first.id)
      LIMIT ${MAX_CANDIDATES}
    ), next AS (
      SELECT job.account_id, job.id
      FROM candidate
      JOIN account ON account.id = candidate.account_id
      JOIN job ON job.account_id = candidate.account_id AND job.id = candidate.id
      WHERE job.finished_at IS NULL AND (job.lease_until IS NULL OR job.lease_until < now())
      ORDER BY candidate.last_job_at NULLS FIRST, candidate.id
      LIMIT 1
      FOR NO KEY UPDATE OF account, job SKIP LOCKED
    ), turn AS (
      UPDATE account SET last_job_at = now() FROM next WHERE account.id = next.account_id
    )
    UPDATE job SET state = 'running', claim_no = claim_no + 1, lease_until = ${leaseEnd}
    FROM next WHERE job.account_id = next.account_id AND job.id = next.id
    RETURNING job.account_id AS "accountId", job.id, job.claim_no AS "claimNo", job.kind, job.input,
      job.member_id AS "memberId"`.execute(db);
  return rows[0] ?? null;
}

const ours = ({ accountId, id, claimNo }: JobClaim) =>
  sql`account_id = ${accountId} AND id = ${id} AND claim_no = ${claimNo} AND state = 'running'`;

/** Renews the lease and stores the progress. @returns false if the claim is lost */
export async function renewJob(db: Db, claim: JobClaim, done: number, total: number | null): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE job SET lease_until = ${leaseEnd}, done = ${done}, total = ${total} WHERE ${ours(claim)}`.execute(db);
  return numAffectedRows === 1n;
}

/** Ends a job. @returns false if the claim is lost */
export async function endJob(db: Db, claim: JobClaim, state: 'done' | 'failed', result: object): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE job SET state = ${state}, result = ${JSON.stringify(result)}, finished_at = now(), lease_until = NULL
    WHERE ${ours(claim)}`.execute(db);
  return numAffectedRows === 1n;
}

/** Returns a job to the queue because its worker stops. The claim does not count. */
export async function requeueJob(db: Db, claim: JobClaim): Promise<void> {
  await sql`UPDATE job SET state = 'queued', claim_no = claim_no - 1, lease_until = NULL WHERE ${ours(claim)}`.execute(
    db,
  );
}

/** Fails jobs that were interrupted MAX_CLAIMS times. @returns their ids */
export async function failInterrupted(db: Db, result: object): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    UPDATE job SET state = 'failed', result = ${JSON.stringify(result)}, finished_at = now(), lease_until = NULL
    WHERE state = 'running' AND lease_until < now() AND claim_no >= ${MAX_CLAIMS} AND ${isNotFrozen('account_id')}
    RETURNING id`.execute(db);
  return rows.map(({ id }) => id);
}

/** Cancels an unfinished job. @returns false if the account has no such job, or it has ended */
export async function cancelJob(tx: Tx, accountId: number, id: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('job')
    .set({ state: 'cancelled', finished_at: sql<Date>`now()`, lease_until: null })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('state', 'in', ['queued', 'running'])
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** Deletes jobs that ended a month ago. */
export async function deleteOldJobs(db: Db): Promise<void> {
  await db
    .deleteFrom('job')
    .where('finished_at', '<', sql<Date>`now() - make_interval(days => ${sql.lit(KEPT_DAYS)})`)
    .where(isNotFrozen('account_id'))
    .execute();
}

/** Reads the progress of a job. */
export async function findJob(tx: Tx, accountId: number, id: number): Promise<Job | null> {
  const job = await tx
    .selectFrom('job')
    .select(['id', 'kind', 'state', 'done', 'total', 'result', 'created_at', 'finished_at'])
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!job) return null;
  const { kind, state, result, created_at, finished_at, ...progress } = job;
  return {
    ...progress,
    kind: kind as Job['kind'],
    state: state as Job['state'],
    message: state === 'failed' ? (result as { message: string }).message : null,
    created_at: formatSecond(created_at.getTime()),
    finished_at: finished_at && formatSecond(finished_at.getTime()),
  };
}

/** Reads what the export of a job contains; undefined: it is no export. */
export async function exportedBy(tx: Tx, accountId: number, id: number): Promise<string | undefined> {
  const job = await tx
    .selectFrom('job')
    .select(sql<string>`input ->> 'what'`.as('what'))
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('kind', '=', 'export')
    .executeTakeFirst();
  return job?.what;
}
