import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '../../platform/db.ts';
import type { Outcome } from '../../platform/mail/outcome.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { WorkSignal } from '../../platform/work-signal.ts';
import { type Claim, LEASE_SECONDS } from './claim.ts';
import { claimAhead } from './claim-ahead.ts';
import { claimLoop } from './claim-loop.ts';
import { deliveryJournal } from './delivery-journal.ts';
import { type Finished, isFinished, type Step, sweepLostClaims, writeSteps } from './finish.queries.ts';
import { isPutOff } from './late.queries.ts';
import { giveBack, releaseConnections, renewConnections, renewLeases } from './lease.queries.ts';
import { mergeReceipts } from './merge-receipts.command.ts';
import { receiptGuard } from './receipt-guard.ts';
import { type Receipt, receiptBook, receiptOf, removeOldFiles } from './receipts.ts';
import { pauseRefusedRuns } from './refused-senders.command.ts';
import { senderQueues } from './sender-queues.ts';
import { transportWatch } from './transport-watch.ts';
import type { Lane, Mark, TransportLanes } from './transports/transport.ts';

export interface DeliveryWorkerParts {
  readonly db: Db;
  readonly now: () => number;
  readonly transport: TransportLanes;
  /** How many requests (SMTP: mails) this process has under way at once. */
  readonly connections: number;
  readonly log: FastifyBaseLogger;
  readonly metrics?: Metrics | undefined;
  /** Announces due mail; without it this worker looks for it often. */
  readonly workSignal?: WorkSignal | undefined;
  /** Where the mail server's receipts outlive this process: a folder that the workers of this machine share. None: none is kept. */
  readonly receiptsFolder?: string | undefined;
  /** How long mails that have begun may take once the worker is to stop; 30 s unless told otherwise. */
  readonly stopMs?: number | undefined;
}

export interface DeliveryWorker {
  /**
   * Stops claiming, gives back what has not begun and finishes what has, also when the database is away meanwhile. What has not ended
   * in time is cut off and left to the sweep of another worker. Never rejects.
   */
  stop(): Promise<void>;
}

/** The most that is claimed ahead of what is being sent, and the most rows of one commit, unless a request holds more. */
const BATCH = 100;
const WIND_DOWN_POLL_MS = 300;
const RENEW_MS = 3000;
const SWEEP_MS = 1000;
/** Of a worker that holds no mail: a lease ends after ten seconds, and the mails of a killed worker go on within fifteen. */
const IDLE_SWEEP_MS = 3000;
const MERGE_MS = 1000;
const COMPARE_MS = 60_000;
const RETRY_DATABASE_MS = 500;
const STOP_MS = 30_000;
const LAST_WRITE_MS = 5000;
/** The longest a mark may take: what is left of its lease is enough for the next renewal. */
const MARK_MS = (LEASE_SECONDS * 1000) / 2;

/** Claims due mails, sends them and writes what became of them, until stopped. Any number of workers may run at once. */
export function startDeliveryWorker({
  db,
  now,
  transport,
  connections,
  log,
  metrics,
  workSignal,
  receiptsFolder,
  stopMs = STOP_MS,
}: DeliveryWorkerParts): DeliveryWorker {
  const workerId = randomUUID();
  const lanes: readonly Lane[] = Array.from({ length: connections }, () => transport.openLane());
  const idleLanes = [...lanes];
  const queues = senderQueues();
  const batch = Math.max(BATCH, transport.mostMails);
  const watchTransport = transportWatch({ db, log, metrics });
  const journal = deliveryJournal({
    write,
    most: batch,
    retryMs: RETRY_DATABASE_MS,
    onFault: (error) => log.error({ err: error }, 'could not write what became of mails; trying again'),
    onLost: (finished) => {
      const lost = finished.map(({ claim, outcome }) => ({ delivery: claim.id, outcome: outcome.kind }));
      log.error({ lost }, 'what became of mails was not written before the end: the sweep will find them');
    },
  });
  const guard = receiptsFolder === undefined ? undefined : receiptGuard({ db, root: receiptsFolder, now, log });
  const receipts = guard
    ? receiptBook(guard.folder, (error) => log.error({ err: error }, 'could not keep a receipt of the mail server'))
    : null;
  const mark: Mark = (claims) => Promise.all(claims.map(markInTime));
  let stopping = false;
  const ahead = claimAhead({ connections, least: Math.max(connections, transport.mostMails), most: batch });
  const { claimMore, pause, wake, ...loop } = claimLoop({
    db,
    workerId,
    connections,
    now,
    queues,
    workSignal,
    receipts: guard,
    ahead: ahead.mails,
    onClaimed: startSending,
    onIdle: () => {
      for (const lane of idleLanes) lane.close();
    },
  });

  /** The body must not begin on a lease that is nearly over: the sweep may have called the mail unknown already. */
  async function markInTime(claim: Claim): Promise<boolean> {
    const asked = now();
    const ours = await journal.mark(claim);
    if (ours && now() - asked > MARK_MS) throw new Error('it took too long to commit that the body is about to leave');
    if (ours) guard?.leaving(claim, asked);
    return ours;
  }

  async function write(steps: Step[]): Promise<boolean[]> {
    const { ours, transportInDoubt } = await writeSteps(db, steps, now());
    // The steps are committed: a fault from here on must not have them written, and counted, again. The next mails show the same.
    await noteWhatTheyShow(steps.filter(isFinished), transportInDoubt).catch((error: unknown) =>
      log.error({ err: error }, 'what mails have shown of the mail server could not be noted'),
    );
    return ours;
  }

  async function noteWhatTheyShow(finished: readonly Finished[], transportInDoubt: boolean): Promise<void> {
    await pauseRefusedRuns(db, finished);
    const mustWait = await watchTransport(finished, transportInDoubt);
    if (mustWait) await giveBack(db, queues.takeWaiting());
  }

  async function settle(claim: Claim, outcome: Outcome, at: number): Promise<void> {
    metrics?.deliveries.inc({ outcome: outcome.kind });
    if (outcome.kind !== 'sent') log.warn({ delivery: claim.id, outcome }, 'mail not sent');
    else if (outcome.isCopyRefused) log.warn({ delivery: claim.id, outcome }, 'mail sent, and a copy of it refused');
    if (outcome.kind !== 'claim-lost') await journal.finish({ claim, outcome, at });
    queues.done(claim);
    wake();
  }

  /** Resolves when the lane may take the next request. */
  async function send(claims: readonly Claim[], lane: Lane): Promise<void> {
    if (claims.some((claim) => isPutOff(claim, now()))) {
      // The next claim has them wait.
      await giveBack(db, claims);
      queues.answered(claims);
      for (const claim of claims) queues.done(claim);
      return;
    }
    const begun = performance.now();
    const outcomes = await lane.send(claims, mark);
    ahead.note((performance.now() - begun) / 1000);
    // Before anything else: from here on no kill -9 leaves these mails in doubt.
    const at = now();
    receipts?.keep(receiptsOf(claims, outcomes, at));
    guard?.answered(claims);
    queues.answered(claims);
    const settled = Promise.all(claims.map((claim, index) => settle(claim, outcomes[index] as Outcome, at)));
    // Whatever was no plain success may tell that others should wait.
    if (outcomes.some(({ kind }) => kind !== 'sent')) await settled;
    // A run was paused or cancelled, or this worker slept: the others it holds may be lost as well.
    if (!stopping && outcomes.some(({ kind }) => kind === 'claim-lost')) await renew();
  }

  function startSending(): void {
    while (idleLanes.length > 0) {
      const claims = stopping ? null : queues.next(transport.mailsWith);
      const lane = claims && idleLanes.pop();
      if (!claims || !lane) return;
      void send(claims, lane)
        .catch((error) => {
          log.error({ err: error, delivery: claims[0]?.id }, 'mails were given up');
          queues.answered(claims);
          for (const claim of claims) queues.done(claim);
        })
        .finally(() => {
          idleLanes.push(lane);
          startSending();
          wake();
        });
    }
  }

  async function untilStopped(work: () => Promise<unknown>, everyMs: () => number): Promise<void> {
    while (!stopping) {
      try {
        await work();
      } catch (error) {
        log.error({ err: error }, 'the database did not answer the worker');
        await sleep(RETRY_DATABASE_MS);
      }
      const ms = everyMs();
      if (ms > 0) await sleep(ms, undefined, { ref: false });
    }
  }

  async function renew(): Promise<void> {
    const claims = queues.held();
    if (claims.length === 0) return;
    const ours = await renewLeases(db, claims);
    queues.forget(claims.filter((_, index) => !ours[index]));
    await renewConnections(db, workerId, queues.senders());
  }

  async function merge(folder: string | null): Promise<void> {
    if (folder === null) return;
    const mails = await mergeReceipts(db, folder, now(), (error) =>
      log.error({ err: error }, 'unreadable receipt: its mail may stay unknown'),
    );
    if (mails > 0) log.info({ mails }, 'merged the receipts of a worker that had died');
  }

  const claiming = untilStopped(claimMore, () => 0);
  void untilStopped(renew, () => RENEW_MS);
  void untilStopped(
    () => sweepLostClaims(db),
    () => (queues.held().length > 0 ? SWEEP_MS : IDLE_SWEEP_MS),
  );
  if (guard && receiptsFolder !== undefined) {
    void untilStopped(
      () => merge(guard.folder()),
      () => MERGE_MS,
    );
    void untilStopped(
      async () => {
        await guard.compare();
        removeOldFiles(receiptsFolder);
      },
      () => COMPARE_MS,
    );
  }

  /** What has been claimed is given back or finished, and each step tried until the database has taken it or the time is over. */
  async function windDown(over: AbortSignal): Promise<void> {
    const insist = async (step: () => Promise<unknown>): Promise<void> => {
      while (!over.aborted) {
        try {
          await step();
          return;
        } catch (error) {
          log.error({ err: error }, 'the database did not answer the worker, which is to stop');
          await sleep(RETRY_DATABASE_MS);
        }
      }
    };
    await claiming;
    const waiting = queues.takeWaiting();
    if (waiting.length > 0) await insist(() => giveBack(db, waiting));
    while (queues.held().length > 0 && !over.aborted) {
      await insist(renew);
      await pause(WIND_DOWN_POLL_MS);
    }
    // Closed first: whoever takes over the share opens its own at once.
    for (const lane of idleLanes) lane.close();
    await insist(() => releaseConnections(db, workerId));
  }

  return {
    async stop() {
      stopping = true;
      loop.stop();
      wake();
      const over = AbortSignal.timeout(stopMs);
      await Promise.race([windDown(over), once(over, 'abort')]);
      // Before the lanes: what our own closing makes of open mails says nothing of the mail server.
      const ended = journal.end(LAST_WRITE_MS);
      for (const lane of lanes) lane.close();
      await ended;
      receipts?.close();
    },
  };
}

const receiptsOf = (claims: readonly Claim[], outcomes: readonly Outcome[], at: number): Receipt[] =>
  claims.flatMap((claim, index) => {
    const outcome = outcomes[index];
    return outcome?.kind === 'sent' ? [receiptOf(claim, outcome.reply, at)] : [];
  });
