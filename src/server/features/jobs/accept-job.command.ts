import { sql } from 'kysely';
import { EXPORT_NAMES } from '#domain/company/export-names.ts';
import { MAX_WAITING_JOBS } from '#domain/limits.ts';
import { timeInSentence } from '#domain/time/shown-time.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { lockWithin } from '../../platform/database/lock-account.ts';
import { Problem } from '../../platform/problem.ts';
import { quoted } from '../stored-files/storage-limits.ts';
import { addJob } from './job.queries.ts';
import type { JobInputs, JobKind } from './job.ts';

/** Adds a job, unless too many jobs of the account are waiting. @returns its id; 409 that names some of them */
export async function acceptJob<Kind extends JobKind>(
  tx: Tx,
  account: AccountDb,
  kind: Kind,
  input: JobInputs[Kind],
): Promise<number | Problem> {
  await lockWithin(tx, 'limits', account.id);
  const waiting = await waitingJobs(tx, account.id);
  if (waiting.length >= MAX_WAITING_JOBS) return tooManyJobs(waiting);
  await forgetEndedExports(tx, account.id);
  return addJob(tx, account, kind, input);
}

/** The newest exports without a file that are kept. Each row holds the conditions of its request. */
const KEPT_WITHOUT_FILE = 100;

async function forgetEndedExports(tx: Tx, accountId: number): Promise<void> {
  await sql`
    DELETE FROM job WHERE account_id = ${accountId} AND id IN (
      SELECT id FROM job AS ended WHERE account_id = ${accountId} AND kind = 'export' AND finished_at IS NOT NULL
        AND NOT EXISTS (SELECT FROM stored_file AS file WHERE file.account_id = ended.account_id
          AND file.job_id = ended.id AND file.expires_at > now())
      ORDER BY id DESC OFFSET ${KEPT_WITHOUT_FILE})`.execute(tx);
}

interface WaitingJob {
  readonly what: keyof typeof EXPORT_NAMES | null;
  readonly createdAt: Date;
  /** The file's name of an import; null: an export. */
  readonly importName: string | null;
}

async function waitingJobs(tx: Tx, accountId: number): Promise<WaitingJob[]> {
  const { rows } = await sql<WaitingJob>`
    SELECT job.input->>'what' AS what, job.created_at AS "createdAt", run.file_name AS "importName"
    FROM job LEFT JOIN import_run AS run ON run.account_id = job.account_id AND run.job_id = job.id
    WHERE job.account_id = ${accountId} AND job.state = 'queued'
    ORDER BY job.id DESC LIMIT ${MAX_WAITING_JOBS}`.execute(tx);
  return rows;
}

const NAMED_JOBS = 3;

function tooManyJobs(waiting: readonly WaitingJob[]): Problem {
  const names = waiting.slice(0, NAMED_JOBS).map(({ what: exported, createdAt, importName }) => {
    const name = importName ?? (exported === null ? '' : EXPORT_NAMES[exported]);
    const what = importName === null ? '書き出し' : '取り込み';
    return `${what}${quoted(name)}（${timeInSentence(createdAt.getTime(), Date.now())}）`;
  });
  return new Problem(
    'too_many_jobs',
    `処理を待てるのは、アカウント全体で${MAX_WAITING_JOBS}件までです。${names.join('、')}などが待っています。` +
      '終わるのを待つか、不要な書き出しを削除するか、取り込みの処理を中止してから、やり直してください。',
  );
}
