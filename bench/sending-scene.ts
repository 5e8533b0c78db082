import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { MAX_TARGETS } from '#domain/limits.ts';
import { accountDbOf } from '#server/platform/database/account-db.ts';
import { type Db, openDatabase } from '#server/platform/database/db.ts';
import { acceptMails, type Template } from '#test/mails.ts';
import { openAs } from '#test/open-as.ts';
import { startOwnPostgres } from '#test/own-postgres.ts';
import { type Program, startProgram } from '#test/program.ts';
import { addManyProspects, type Tenant } from '#test/prospects.ts';
import type { SinkProcess } from '#test/sink-process.ts';

/** Opens a PostgreSQL with fsync, with pools for its owner and for one account. */
export async function openScene() {
  const { url, stop } = await startOwnPostgres();
  const dataDir = await mkdtemp(join(tmpdir(), 'kaitaku-bench-'));
  const owner = openDatabase(url);
  const api = openAs('api', url);
  return {
    url,
    dataDir,
    db: owner.db,
    account: accountDbOf(api.db),
    close: async () => {
      await owner.close();
      await api.close();
      await stop();
      await rm(dataDir, { recursive: true });
    },
  };
}

export type Scene = Awaited<ReturnType<typeof openScene>>;

/** Starts worker processes as users do, and waits until they are ready. */
export async function startWorkers(
  { url, dataDir }: Scene,
  sink: SinkProcess,
  { workers, connections, env = {} }: { workers: number; connections: number; env?: Readonly<Record<string, string>> },
): Promise<Program[]> {
  const programs = Array.from({ length: workers }, () =>
    startProgram(['worker'], {
      DATABASE_URL: url,
      DATA_DIR: dataDir,
      SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
      WORKER_CONNECTIONS: String(connections),
      ...env,
    }),
  );
  await Promise.all(programs.map(({ until }) => until('worker started')));
  return programs;
}

export async function stopWorkers(programs: readonly Program[]): Promise<void> {
  for (const { child, ended } of programs) {
    child.kill('SIGTERM');
    await ended;
  }
}

/**
 * Queues mails of a new tenant.
 * The first run is accepted like a user's; the database copies it for the others: a million mails in a minute or two.
 */
export async function queueMails({ db, account }: Scene, mails: number, template?: Template): Promise<Tenant> {
  const tenant = await acceptMails({ db, account }, Math.min(mails, MAX_TARGETS), template ? { template } : {});
  if (mails > MAX_TARGETS) await copyRun(db, tenant, mails - MAX_TARGETS);
  return tenant;
}

const copyRun = (db: Db, { accountId }: Tenant, mails: number): Promise<void> =>
  db.transaction().execute(async (tx) => {
    // No triggers: the copied keys are already correct, and no list is read.
    await sql`SET LOCAL session_replication_role = replica`.execute(tx);
    await addManyProspects(tx, accountId, mails, MAX_TARGETS + 1);
    await sql`
      WITH sample AS (
        SELECT * FROM send_log WHERE account_id = ${accountId}
      ), run AS (
        INSERT INTO send_log (account_id, sender_group_id, sender_id, test_send_mode, days_from_lastday, mail, targets)
        SELECT account_id, sender_group_id, sender_id, test_send_mode, days_from_lastday, mail, least(${MAX_TARGETS}, ${mails} - made)
        FROM sample, generate_series(0, ${mails - 1}::integer, ${MAX_TARGETS}::integer) AS made
        RETURNING *
      ), numbered AS (
        SELECT *, row_number() OVER (ORDER BY id) - 1 AS n FROM run
      ), company AS (
        SELECT id, company_name, company_email, row_number() OVER (ORDER BY id) - 1 AS n FROM prospect
        WHERE account_id = ${accountId} AND id NOT IN (SELECT prospect_id FROM delivery WHERE account_id = ${accountId})
      )
      INSERT INTO delivery (account_id, send_log_id, sender_group_id, sender_id, profile_id, prospect_id, test_send_mode, row_index, mail_to,
        company_name, person_in_charge, message_id, mail_date)
      SELECT run.account_id, run.id, run.sender_group_id, run.sender_id, sender.profile_id, company.id, run.test_send_mode, company.n % ${MAX_TARGETS},
        company.company_email, company.company_name, '', '<' || gen_random_uuid() || '@example.com>', now()
      FROM company JOIN numbered AS run ON run.n = company.n / ${MAX_TARGETS}
      JOIN sender ON sender.account_id = run.account_id AND sender.id = run.sender_id`.execute(tx);
  });
