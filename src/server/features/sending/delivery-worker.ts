import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { batcher } from '../../platform/batcher.ts';
import type { Db } from '../../platform/db.ts';
import type { Outcome } from '../../platform/mail/outcome.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { type Claim, claimDeliveries } from './claim.queries.ts';
import { type Finished, finishDeliveries, sweepLostClaims } from './finish.queries.ts';
import { giveBack, markSending, releaseConnections, renewConnections, renewLeases } from './lease.queries.ts';
import { pauseRefusedRuns } from './run-control.command.ts';
import { senderQueues } from './sender-queues.ts';
import type { Lane, Mark, Transport } from './transport.ts';
import { transportWatch } from './transport-watch.ts';

export interface DeliveryWorkerParts {
  readonly db: Db;
  readonly now: () => number;
  readonly transport: Transport;
  /** How many requests (SMTP: mails) this process has under way at once. */
  readonly connections: number;
  readonly log: FastifyBaseLogger;
  readonly metrics?: Metrics | undefined;
}

export interface DeliveryWorker {
  /** Stops claiming, gives back what has not begun, finishes what has (at most 30 s). */
  stop(): Promise<void>;
}

/** Claimed ahead of what is being sent, and the most rows of one commit, unless a request holds more. */
const BATCH = 100;
const POLL_MS = 300;
const RENEW_MS = 3000;
const SWEEP_MS = 2000;
const RETRY_DATABASE_MS = 500;
const STOP_MS = 30_000;

/** Claims due mails, sends them and writes what became of them, until stopped. Any number of workers may run at once. */
export function startDeliveryWorker({
  db,
  now,
  transport,
  connections,
  log,
  metrics,
}: DeliveryWorkerParts): DeliveryWorker {
  const workerId = randomUUID();
  const idleLanes: Lane[] = Array.from({ length: connections }, () => transport.openLane());
  const queues = senderQueues();
  const batch = Math.max(BATCH, transport.mostMails);
  const markOne = batcher((claims: Claim[]) => markSending(db, claims), batch);
  const mark: Mark = (claims) => Promise.all(claims.map(markOne));
  const watchTransport = transportWatch({ db, log, metrics });
  const finish = batcher(finishBatch, batch);
  let stopping = false;
  let wake = () => {};

  /** Pauses the claiming until a mail is done or the time is over. */
  const pause = (ms: number) =>
    new Promise<void>((done) => {
      const timer = setTimeout(done, ms);
      wake = () => {
        clearTimeout(timer);
        done();
      };
    });

  async function finishBatch(finished: Finished[]): Promise<boolean[]> {
    const written = await finishDeliveries(db, finished);
    await pauseRefusedRuns(db, finished);
    const mustWait = await watchTransport(finished);
    if (mustWait) await giveBack(db, queues.takeWaiting());
    return written;
  }

  async function finishWhateverHappens(finished: Finished): Promise<void> {
    for (;;) {
      try {
        await finish(finished);
        return;
      } catch (error) {
        // What the server answered is known here alone: it is written as soon as the database is back.
        log.error({ err: error, delivery: finished.claim.id }, 'could not write the outcome of a mail; trying again');
        await sleep(RETRY_DATABASE_MS);
      }
    }
  }

  async function settle(claim: Claim, outcome: Outcome): Promise<void> {
    metrics?.deliveries.inc({ outcome: outcome.kind });
    if (outcome.kind !== 'claim-lost') await finishWhateverHappens({ claim, outcome });
    if (outcome.kind !== 'sent') log.warn({ delivery: claim.id, outcome }, 'mail not sent');
  }

  async function send(claims: readonly Claim[], lane: Lane): Promise<void> {
    const outcomes = await lane.send(claims, mark);
    await Promise.all(claims.map((claim, index) => settle(claim, outcomes[index] as Outcome)));
    // A run was paused or cancelled, or this worker slept: the others it holds may be lost as well.
    if (outcomes.some(({ kind }) => kind === 'claim-lost')) await renew();
  }

  function startSending(): void {
    while (idleLanes.length > 0) {
      const claims = stopping ? null : queues.next(transport.mailsWith);
      const lane = claims && idleLanes.pop();
      if (!claims || !lane) return;
      void send(claims, lane)
        .catch((error) => log.error({ err: error, delivery: claims[0]?.id }, 'mails were given up'))
        .finally(() => {
          queues.done(claims);
          idleLanes.push(lane);
          startSending();
          wake();
        });
    }
  }

  async function claimMore(): Promise<void> {
    const room = batch - queues.waiting();
    const claimed = room > batch / 2 ? await claimDeliveries(db, workerId, { connections, rows: room }, now()) : null;
    metrics?.transportPaused.set(claimed === 'paused' ? 1 : 0);
    if (claimed !== null && claimed !== 'paused' && claimed.claims.length > 0) {
      queues.add(claimed);
      startSending();
      return;
    }
    if (queues.held().length === 0) for (const lane of idleLanes) lane.close();
    await pause(POLL_MS);
  }

  async function untilStopped(work: () => Promise<unknown>, everyMs: number): Promise<void> {
    while (!stopping) {
      try {
        await work();
      } catch (error) {
        log.error({ err: error }, 'the database did not answer the worker');
        await pause(RETRY_DATABASE_MS);
      }
      if (everyMs > 0) await sleep(everyMs, undefined, { ref: false });
    }
  }

  async function renew(): Promise<void> {
    const claims = queues.held();
    if (claims.length === 0) return;
    const ours = await renewLeases(db, claims);
    queues.forget(claims.filter((_, index) => !ours[index]));
    await renewConnections(db, workerId, queues.senders());
  }

  const claiming = untilStopped(claimMore, 0);
  void untilStopped(renew, RENEW_MS);
  void untilStopped(() => sweepLostClaims(db), SWEEP_MS);

  return {
    async stop() {
      stopping = true;
      wake();
      await claiming;
      await giveBack(db, queues.takeWaiting());
      for (const end = Date.now() + STOP_MS; queues.held().length > 0 && Date.now() < end; ) {
        await renewLeases(db, queues.held());
        await pause(POLL_MS);
      }
      await releaseConnections(db, workerId);
      for (const lane of idleLanes) lane.close();
    },
  };
}
