import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import type { CandidateDate } from '#domain/candidate-dates.ts';
import { DELIVERY_STATES } from '#domain/delivery-state.ts';
import { acceptSend } from '#server/features/sending/accept.command.ts';
import { type DeliveryWorker, startDeliveryWorker } from '#server/features/sending/delivery-worker.ts';
import type { Db } from '#server/platform/db.ts';
import type { Metrics } from '#server/platform/metrics.ts';
import { Refusal } from '#server/platform/refusal.ts';
import type { TestDatabase } from './db.ts';
import { addProspects, type Tenant } from './prospects.ts';
import { type SmtpSink, startSmtpSink } from './smtp-sink.ts';

/** A sink that closes with the test. */
export async function testSink(): Promise<SmtpSink> {
  const sink = await startSmtpSink();
  onTestFinished(() => sink.close());
  return sink;
}

/** A worker in this process that sends to the sink, stopped with the test. */
export function testWorker(
  { service }: TestDatabase,
  sink: SmtpSink,
  { connections = 4, metrics }: { connections?: number; metrics?: Metrics } = {},
): DeliveryWorker {
  const smtp = { host: '127.0.0.1', port: sink.port, secure: false, requireTls: false, credentials: null };
  const worker = startDeliveryWorker({
    db: service.db,
    now: Date.now,
    smtp,
    connections,
    metrics,
    log: pino({ level: 'silent' }),
  });
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= worker.stop();
    return stopped;
  };
  onTestFinished(stop);
  return { stop };
}

interface RunOptions {
  readonly test?: boolean;
  readonly candidates?: CandidateDate[] | null;
}

/** Has a run accepted to so many new companies, `info0@a.example` and on; a test goes to `test+0@example.com` and on. */
export async function acceptRun(
  database: TestDatabase,
  { accountId, senderId }: Tenant,
  count: number,
  { test = false, candidates = null }: RunOptions = {},
): Promise<{ readonly id: number; readonly prospectIds: number[] }> {
  const prospectIds = await addProspects(
    database.db,
    accountId,
    Array.from({ length: count }, (_, n) => ({
      company_name: `株式会社${n}`,
      company_email: `info${n}@a.example`,
      ceo: '山田 太郎',
    })),
  );
  const body = {
    test_send_mode: test ? (1 as const) : (0 as const),
    attack_list: prospectIds.map((prospect_id) => ({ prospect_id, company_email: 'test+[n]@example.com' })),
    datetime_list: candidates,
    days_from_lastday: 7,
  };
  const answer = await acceptSend(database.account(accountId), { senderId, body, idempotencyKey: null }, Date.now());
  if (answer instanceof Refusal) throw new Error(answer.message);
  return { id: answer.send_log_id, prospectIds };
}

export type StateCounts = Record<string, number>;

/** How many deliveries are in which state, over all runs. */
export async function countStates(db: Db): Promise<StateCounts> {
  const rows = await db
    .selectFrom('delivery')
    .select(({ fn }) => ['state', fn.countAll<number>().as('count')])
    .groupBy('state')
    .execute();
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

/** Waits for a truth that comes by itself. @throws with what was last seen when it does not come in time */
export async function eventually<Value>(
  look: () => Promise<Value> | Value,
  isTrue: (value: Value) => boolean,
  timeoutMs = 15_000,
): Promise<Value> {
  for (const end = Date.now() + timeoutMs; ; await sleep(50)) {
    const value = await look();
    if (isTrue(value)) return value;
    if (Date.now() > end) throw new Error(`still not true after ${timeoutMs} ms: ${JSON.stringify(value)}`);
  }
}

/** Waits until no delivery is queued, claimed or sending. */
export const untilSettled = (db: Db, timeoutMs?: number): Promise<StateCounts> =>
  eventually(
    () => countStates(db),
    ({ queued = 0, claimed = 0, sending = 0 }) => queued + claimed + sending === 0,
    timeoutMs,
  );

/** Design §7.7, for every run: targets = sent + failed + unknown + cancelled + open. @returns the runs whose books do not balance */
export async function unbalancedRuns(db: Db): Promise<{ id: number; targets: number; rows: number }[]> {
  const runs = await db
    .selectFrom('send_log')
    .leftJoin('delivery', (join) =>
      join
        .onRef('delivery.account_id', '=', 'send_log.account_id')
        .onRef('delivery.send_log_id', '=', 'send_log.id')
        .on('delivery.state', 'in', DELIVERY_STATES),
    )
    .select(({ fn }) => ['send_log.id', 'send_log.targets', fn.count<number>('delivery.id').as('rows')])
    .groupBy(['send_log.account_id', 'send_log.id'])
    .execute();
  return runs.filter(({ targets, rows }) => targets !== rows);
}
