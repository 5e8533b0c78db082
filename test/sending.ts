import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { DELIVERY_STATES } from '#domain/delivery-state.ts';
import { type DeliveryWorker, startDeliveryWorker } from '#server/features/sending/delivery-worker.ts';
import type { Db } from '#server/platform/db.ts';
import type { TestDatabase } from './db.ts';
import { type SmtpSink, startSmtpSink } from './smtp-sink.ts';

/** A sink that closes with the test. */
export async function testSink(): Promise<SmtpSink> {
  const sink = await startSmtpSink();
  onTestFinished(() => sink.close());
  return sink;
}

/** A worker in this process that sends to the sink, stopped with the test. */
export function testWorker({ service }: TestDatabase, sink: SmtpSink, { connections = 4 } = {}): DeliveryWorker {
  const smtp = { host: '127.0.0.1', port: sink.port, secure: false, requireTls: false, credentials: null };
  const worker = startDeliveryWorker({
    db: service.db,
    now: Date.now,
    smtp,
    connections,
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

/** Waits until a transaction of this database waits for another. */
export async function untilBlocked({ pool }: TestDatabase): Promise<void> {
  const blocked = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  await eventually(
    () => pool.query(blocked),
    ({ rowCount }) => rowCount !== 0,
  );
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
