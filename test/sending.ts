import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { type Logger, pino } from 'pino';
import { expect, onTestFinished } from 'vitest';
import type { SendAnswer } from '#contract/sending/runs.ts';
import type { CandidateDate } from '#domain/sending/candidate-dates.ts';
import { DELIVERY_STATES } from '#domain/sending/delivery-state.ts';
import { claimBoxMails } from '#server/features/delivery/claim/box-claim-loop.ts';
import { type ClaimLimits, claimDeliveries } from '#server/features/delivery/claim/claim.queries.ts';
import { type DeliveryWorker, startDeliveryWorker } from '#server/features/delivery/delivery-worker.ts';
import type { Claim, ClaimedBatch } from '#server/features/delivery/leases/claim.ts';
import type { DeliveryResult } from '#server/features/delivery/leases/delivery-result.ts';
import { writeMarks, writeResults } from '#server/features/delivery/results/journal.queries.ts';
import { smtpTemplates, smtpTransport } from '#server/features/delivery/transports/smtp/smtp-transport.ts';
import type { TransportLanes, TransportTemplates } from '#server/features/delivery/transports/transport.ts';
import type { MailboxServices } from '#server/features/mailboxes/mailbox-log-in.ts';
import { acceptSend } from '#server/features/runs/accept.command.ts';
import type { Db } from '#server/platform/database/db.ts';
import type { Metrics } from '#server/platform/metrics/metrics.ts';
import { Problem } from '#server/platform/problem.ts';
import type { TestDatabase } from './db.ts';
import { mailingBy } from './mailing.ts';
import { addProspects, type Tenant } from './prospects.ts';
import { testSecrets } from './secrets.ts';
import { type SmtpSink, startSmtpSink } from './smtp-sink.ts';

/** Starts a sink that closes with the test. */
export async function testSink(): Promise<SmtpSink> {
  const sink = await startSmtpSink();
  onTestFinished(() => sink.close());
  return sink;
}

interface WorkerOptions {
  readonly connections?: number;
  readonly metrics?: Metrics;
  readonly now?: () => number;
  /** Silent by default. */
  readonly log?: Logger;
  readonly receiptsFolder?: string;
  /** What logs in to mailboxes; absent: their mails are left alone. */
  readonly mailboxes?: MailboxServices;
}

/** Starts a worker in this process that sends to the sink. It stops with the test. */
export const testWorker = (database: TestDatabase, { port }: SmtpSink, options: WorkerOptions = {}): DeliveryWorker =>
  workerBy(
    database,
    smtpTransport({ host: '127.0.0.1', port, secure: false, requireTls: false, credentials: null }),
    options,
  );

/** Starts a worker in this process with any transport. It stops with the test. */
export function workerBy(
  { service }: TestDatabase,
  transport: TransportLanes,
  { connections = 4, now = Date.now, log = pino({ level: 'silent' }), ...options }: WorkerOptions = {},
): DeliveryWorker {
  const worker = startDeliveryWorker({
    db: service.db,
    now,
    transport,
    connections,
    log,
    ...options,
  });
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= worker.stop();
    return stopped;
  };
  onTestFinished(stop);
  return { ...worker, stop };
}

interface RunOptions {
  readonly test?: boolean;
  readonly candidates?: CandidateDate[] | null;
  readonly transport?: TransportTemplates;
  /** The domain of the companies. Default: `a.example`. */
  readonly domain?: string;
  /** Epoch milliseconds. */
  readonly now?: number;
}

/**
 * Accepts a run to this many new companies, `info0@a.example` and on.
 * The account's next run continues the numbers. A test run goes to `test+0@example.com` and on.
 */
export async function acceptRun(
  database: TestDatabase,
  { accountId, memberId, senderId }: Tenant,
  count: number,
  {
    test = false,
    candidates = null,
    transport = smtpTemplates,
    domain = 'a.example',
    now = Date.now(),
  }: RunOptions = {},
): Promise<{ readonly id: number; readonly prospectIds: number[]; readonly answer: SendAnswer }> {
  const { taken } = await database.db
    .selectFrom('prospect')
    .select(({ fn }) => fn.countAll<number>().as('taken'))
    .where('account_id', '=', accountId)
    .where('company_email', 'like', `info%@${domain}`)
    .executeTakeFirstOrThrow();
  const prospectIds = await addProspects(
    database.db,
    accountId,
    Array.from({ length: count }, (_, n) => ({
      company_name: `株式会社${n}`,
      company_email: `info${taken + n}@${domain}`,
      ceo: '山田 太郎',
    })),
  );
  const body = {
    test_send_mode: test ? (1 as const) : (0 as const),
    attack_list: prospectIds.map((prospect_id) => ({ prospect_id, company_email: 'test+[n]@example.com' })),
    datetime_list: candidates,
    days_from_lastday: 7,
  };
  const request = { senderId, body, idempotencyKey: null, ...mailingBy(transport) };
  const answer = await acceptSend(database.account(accountId, memberId), request, now);
  if (answer instanceof Problem) throw new Error(answer.message);
  if (answer.send_log_id === null) throw new Error('nothing was left to send');
  return { id: answer.send_log_id, prospectIds, answer };
}

/** Accepts a run at the time at which the database's clock stands: the defaults of columns use the real clock. */
export async function acceptAt(
  database: TestDatabase,
  now: number,
  tenant: Tenant,
  count: number,
  options: RunOptions = {},
): ReturnType<typeof acceptRun> {
  const run = await acceptRun(database, tenant, count, { now, ...options });
  const at = new Date(now);
  await database.db
    .updateTable('delivery')
    .set({ not_before: at, created_at: at })
    .where('send_log_id', '=', run.id)
    .where('put_off', 'is', null)
    .execute();
  await database.db.updateTable('sender_throttle').set({ next_at: at }).execute();
  return run;
}

/** Sets how long real sends of an account can be undone. */
export const chooseUndo = (db: Db, accountId: number, undo_seconds: number) =>
  db
    .insertInto('account_rule')
    .values({ account_id: accountId, undo_seconds })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ undo_seconds }))
    .execute();

export type StateCounts = Record<string, number>;

/** Counts the deliveries of all runs by state. */
export async function countStates(db: Db): Promise<StateCounts> {
  const rows = await db
    .selectFrom('delivery')
    .select(({ fn }) => ['state', fn.countAll<number>().as('count')])
    .groupBy('state')
    .execute();
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

/** Polls `look` until `isTrue`. @throws with the last value after the time limit */
export async function eventually<Value>(
  look: () => Promise<Value> | Value,
  isTrue: (value: Value) => boolean,
  timeoutMs = 30_000,
): Promise<Value> {
  for (const end = Date.now() + timeoutMs; ; await sleep(50)) {
    const value = await look();
    if (isTrue(value)) return value;
    if (Date.now() > end) throw new Error(`still not true after ${timeoutMs} ms: ${JSON.stringify(value)}`);
  }
}

/** Waits until this many transactions of this database wait for a lock. */
export async function untilBlocked({ pool }: Pick<TestDatabase, 'pool'>, transactions = 1): Promise<void> {
  const blocked = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  await eventually(
    () => pool.query(blocked),
    ({ rowCount }) => (rowCount ?? 0) >= transactions,
  );
}

/** Waits until no delivery is queued, claimed or sending. */
export const untilSettled = (db: Db, timeoutMs?: number): Promise<StateCounts> =>
  eventually(
    () => countStates(db),
    ({ queued = 0, claimed = 0, sending = 0 }) => queued + claimed + sending === 0,
    timeoutMs,
  );

/** Conditions that must never hold for a run `l` and its deliveries `d`, by failure message. */
const BOOKS = {
  // Design §7.7: targets = sent + failed + unknown + cancelled + open.
  'the states do not add up to the targets': sql`l.targets <> count(d.id) FILTER (
    WHERE d.state IN (${sql.join(DELIVERY_STATES.map((state) => sql.lit(state)))}))`,
  'a mail waits for a resume, but its run is not paused': sql`l.paused_by IS NULL
    AND bool_or(d.state = 'queued' AND d.not_before = 'infinity' AND d.reason IS DISTINCT FROM 'maybe_refused')`,
  'a mail of a paused run can be claimed': sql`l.paused_by IS NOT NULL
    AND bool_or(d.state = 'claimed' OR d.state = 'queued' AND d.not_before <> 'infinity')`,
  'a mail of a cancelled run can be claimed': sql`l.cancelled AND bool_or(d.state IN ('queued', 'claimed'))`,
  'a mail can be claimed within the undo window of its run': sql`l.starts_at IS NOT NULL
    AND bool_or(d.state = 'queued' AND d.not_before < l.starts_at)`,
  'an open mail has ended, or an ended one has not': sql`bool_or(
    (d.state IN ('queued', 'claimed', 'sending')) <> (d.finished_at IS NULL) 
    AND (d.claim_no > 0 OR d.state = 'queued'))`,
  'a company was contacted and does not count as such': sql`bool_or(
    NOT d.test_send_mode AND d.state IN ('sent', 'unknown') AND NOT EXISTS (
      SELECT FROM contact_state c
      WHERE c.account_id = d.account_id AND c.sender_group_id = d.sender_group_id AND c.prospect_id = d.prospect_id))`,
  'what may have been sent counts as not sent': sql`bool_or(d.maybe_sent AND d.state IN ('cancelled', 'failed'))`,
};

/** Finds runs that violate an invariant. Every test expects [] at every moment. */
export async function unbalancedRuns(db: Db): Promise<{ id: number; wrong: string }[]> {
  const faults: { id: number; wrong: string }[] = [];
  for (const [wrong, condition] of Object.entries(BOOKS)) {
    const { rows } = await sql<{ id: number }>`
      SELECT l.id FROM send_log l
      LEFT JOIN delivery d ON d.account_id = l.account_id AND d.send_log_id = l.id
      WHERE l.sender_id IS NOT NULL
      GROUP BY l.account_id, l.id
      HAVING ${condition}`.execute(db);
    faults.push(...rows.map(({ id }) => ({ id, wrong })));
  }
  return faults;
}

export const WORKER_A = '00000000-0000-4000-8000-00000000000a';
export const WORKER_B = '00000000-0000-4000-8000-00000000000b';

interface ClaimOptions extends Partial<Pick<ClaimLimits, 'connections' | 'rows'>> {
  readonly workerId?: string;
}

/** Claims due mails of one sender, as a worker does. Fails the test while sending is paused. */
export async function claimBatch(
  { service }: Pick<TestDatabase, 'service'>,
  { workerId = WORKER_A, connections = 4, rows = 100 }: ClaimOptions = {},
): Promise<ClaimedBatch | null> {
  const batch = await claimDeliveries(service.db, workerId, { connections, rows });
  return typeof batch === 'string' ? expect.unreachable(`no claim: ${batch}`) : batch;
}

/** Returns the mails of claimBatch(); [] if none is due. */
export const claimMails = async (
  database: Pick<TestDatabase, 'service'>,
  options?: ClaimOptions,
): Promise<readonly Claim[]> => (await claimBatch(database, options))?.claims ?? [];

/** Claims a due mail of a mailbox, as a worker does in one or more claims. Fails the test while sending is paused. */
export async function claimBoxMail(
  { service }: Pick<TestDatabase, 'service'>,
  { workerId = WORKER_A, keys = testSecrets.keyIds }: { workerId?: string; keys?: readonly number[] } = {},
): Promise<readonly Claim[]> {
  // The first ones may only tidy notes of senders without due mail.
  for (let tries = 0; tries < 5; tries += 1) {
    const batch = await claimBoxMails(service.db, workerId, { keys });
    if (typeof batch === 'string') return expect.unreachable(`no claim: ${batch}`);
    if (batch === null || batch.claims.length > 0) return batch?.claims ?? [];
  }
  return [];
}

/**
 * Commits the marks before bodies are sent, as a worker does after the 354.
 * @returns for each whether it may be sent
 */
export const markSending = (db: Db, claims: readonly Claim[]): Promise<boolean[]> => writeMarks(db, claims);

/** Commits results, as a worker does after the answer. @returns for each mail whether its claim was valid */
export const finishDeliveries = async (
  db: Db,
  finished: readonly DeliveryResult[],
  now: number = Date.now(),
): Promise<boolean[]> => (await writeResults(db, finished, now)).ours;
