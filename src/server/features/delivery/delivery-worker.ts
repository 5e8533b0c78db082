/*
 * The life of a mail: queued → claimed → sending → sent | failed | unknown | cancelled. Where each step is written:
 *
 * 1. Claim     claim-loop, claim.queries, due-profiles.queries: locks a profile with due mail, takes rows of its sender
 *              with the oldest one for a lease (as many as claim-ahead allows), and tidies sender_due, the notes by
 *              which workers find due mails.
 *              recheck.queries takes the companies' present addresses and cancels mails that may not be sent any more,
 *              closed.queries defers runs whose group is closed, and the mails of a profile whose limit of the day is
 *              used up. box-claim-loop and due-boxes.queries claim the mails that leave by members' mailboxes.
 * 2. Hold      sender-queues; renewal renews the leases. `claim_no` is the fence: the holder's changes name it.
 * 3. Mark      delivery-journal and journal.queries commit `sending` before a byte of the body leaves, or refuse the
 *              mark.
 * 4. Send      send-loop gives mails to a lane of the transport (transports/) or of a mailbox (box-lanes), and appends
 *              each mail that the server took to a receipt file (receipts) before anything else.
 * 5. Finish    delivery-step says what becomes of the mail; delivery-journal and journal.queries write it with contacts
 *              and suppressions, or queue it for its next try (domain/sending/retry).
 *              breaker counts faults. sender-limits.command and transport-limit.queries pause profiles, or all of them,
 *              whose quota at the mail server is used up; lane-room and connection-limit.queries open fewer
 *              connections where it admits fewer. box-results pauses mailboxes, each for itself.
 * 6. Recover   sweep.queries, run by every worker, takes mails whose lease is over: claimed → queued, sending →
 *              unknown, which unknown-mails keeps on disk before the commit. receipts-loop and merge-receipts set such
 *              a mail to sent where its receipt is found.
 * 7. Guard     receipt-guard compares receipts with the database. If it is in an older state, all sending pauses
 *              (rewound.queries; installation.queries allows no claim). A receipt is denied where the database does not
 *              show its mail as sent: denied-receipts.queries restores it, as unknown-mails.queries does with unknown
 *              mails. receipt-watch reports that receipts cannot be written. erase-receipts takes erased addresses out
 *              of the receipts that erased-receipts.queries selects.
 * 8. Stop      wind-down requeues unsent mails and waits for the others.
 *
 * From outside: cancel-suppressed and cancel-replied (sweep-stopped, where their process died), run-rows (pause,
 * cancel, reopen), sender-pace.command (limits of the operator and of the account). Later: later-verdicts and
 * delivery-after (bounces), recall (fills blanked mails again). Beside it: send-without-run (test mails of templates),
 * queue-figures.
 *
 * Triggers, as "watched table: triggers → tables that they write" (bodies in schema.sql):
 *   delivery: count_results → report_change
 *   delivery: keep_address_contact → address_contact
 *   delivery: note_inserted, note_requeued → sender_due
 *   delivery: notice_of_failed_mail → notice_event
 *   delivery: share_mailed_address → shared_address
 *   installation: notice_of_rewind → notice_event
 *   lifted_suppression: note_undone_refusal → delivery
 *   recorded_contact: keep_recorded_address → address_contact, shared_address
 *   reply: note_reply → delivery
 *   sender_due: announce_mail → NOTIFY
 *   suppression: note_suppression → delivery
 *   transport: announce_transport → NOTIFY
 *   transport: notice_of_transport → notice_event
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '../../platform/database/db.ts';
import type { Loop } from '../../platform/loop.ts';
import type { Metrics } from '../../platform/metrics/metrics.ts';
import type { WorkSignal } from '../../platform/work-signal.ts';
import type { MailboxServices } from '../mailboxes/mailbox-log-in.ts';
import { startBoxClaims } from './claim/box-claim-loop.ts';
import { claimAhead } from './claim/claim-ahead.ts';
import { startClaimLoop } from './claim/claim-loop.ts';
import { receiptGuard } from './guard/receipt-guard.ts';
import { receiptWatch } from './guard/receipt-watch.command.ts';
import { forgetWorker } from './guard/receipt-workers.queries.ts';
import { receiptWriter } from './guard/receipts.ts';
import { type ReceiptTasks, receiptTasks, startReceiptsLoops } from './guard/receipts-loop.ts';
import { unknownKeeper } from './guard/unknown-mails.ts';
import { startRenewal } from './leases/renewal.ts';
import { senderQueues } from './leases/sender-queues.ts';
import type { WorkerContext } from './leases/worker-context.ts';
import { laneRoom } from './quota/lane-room.ts';
import { workerJournal } from './results/delivery-journal.ts';
import { boxLanes } from './send/box-lanes.ts';
import { type SendLoop, sendLoop } from './send/send-loop.ts';
import { startSweeps } from './sweeps.ts';
import type { TransportLanes } from './transports/transport.ts';
import { windDown } from './wind-down.ts';

export interface DeliveryWorkerParts {
  readonly db: Db;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly transport: TransportLanes;
  /** How many requests (SMTP: mails) this process sends at once. */
  readonly connections: number;
  readonly log: FastifyBaseLogger;
  readonly metrics?: Metrics | undefined;
  /** What logs in to members' mailboxes; undefined: their mails are left alone. */
  readonly mailboxes?: MailboxServices | undefined;
  /** Announces due mail; without it the worker polls. */
  readonly workSignal?: WorkSignal | undefined;
  /** `DATA_DIR/receipts`, shared by the workers of this machine; undefined: no receipts are kept. */
  readonly receiptsFolder?: string | undefined;
  /** How long stop() waits for mails that are being sent. */
  readonly stopMs?: number | undefined;
}

export interface DeliveryWorker {
  /**
   * Stops claiming, requeues unsent mails and finishes those being sent. Never rejects.
   * Waits for an unreachable database. Requests that last longer than `stopMs` are cut off; the sweep takes their
   * mails.
   */
  stop(): Promise<void>;
  /** The periodic tasks for this machine's receipts; null: no receipts are kept. */
  readonly receipts: ReceiptTasks | null;
}

/** The most mails claimed ahead. A claim of 50 spends more on planning its statements than on its rows. */
const AHEAD_MAX = 500;
/** The most marks, and the most results, in one commit. A transport with larger requests raises it. */
const STEPS_MAX = 100;
const STOP_MS_MAX = 30_000;
/** How long the last write of the journal may take, after STOP_MS_MAX. */
const LAST_WRITE_MS_MAX = 5000;

/** Claims due mails, sends them and writes their results until stopped. Any number of workers may run at once. */
export function startDeliveryWorker(parts: DeliveryWorkerParts): DeliveryWorker {
  const { db, now, transport, connections, log, metrics, mailboxes, workSignal, receiptsFolder } = parts;
  const stopping = new AbortController();
  const queues = senderQueues();
  const workerId = randomUUID();
  const boxes = mailboxes && boxLanes({ workerId, db, log }, mailboxes);
  const worker: WorkerContext = { workerId, db, now, log, metrics, queues, boxes, stopping: stopping.signal };
  const { mostMails } = transport;
  const ahead = claimAhead({
    connections,
    least: Math.max(connections, mostMails),
    most: Math.max(AHEAD_MAX, mostMails),
  });
  const guard = receiptsFolder === undefined ? undefined : receiptGuard({ db, root: receiptsFolder, now, log });
  const watch = receiptWatch(worker);
  const receipts = guard ? receiptWriter(guard.folder, watch) : null;
  const keepUnknown = receiptsFolder === undefined ? undefined : unknownKeeper(receiptsFolder, watch);
  const room = laneRoom(connections);
  const journal = workerJournal(worker, Math.max(STEPS_MAX, mostMails));
  const lanes = Array.from({ length: connections }, () => transport.openLane());
  const sends: SendLoop = sendLoop({
    worker,
    transport,
    lanes,
    boxes,
    room,
    journal,
    ahead,
    guard,
    receipts,
    keepUnknown,
    onRoom: (box) => (box === null ? claims : boxClaims)?.wake(),
  });
  const claims: Loop = startClaimLoop({
    worker,
    connections,
    room,
    workSignal,
    guard,
    aheadMax: ahead.max,
    onClaimed: sends.start,
    onIdle: sends.closeIdleLanes,
  });
  const { keyIds: keys = [] } = mailboxes?.secrets ?? {};
  const boxClaims =
    boxes && startBoxClaims({ worker, keys, hasRoom: boxes.hasRoom, workSignal, guard, onClaimed: sends.start });
  const renewal = startRenewal(worker);
  const kept = guard && receiptsFolder !== undefined ? { guard, watch, root: receiptsFolder, workSignal } : null;
  const others = [...startSweeps(worker, keepUnknown), ...(kept ? startReceiptsLoops(worker, kept) : [])];

  return {
    receipts: kept && receiptTasks(worker, kept),
    async stop() {
      stopping.abort();
      const deadline = AbortSignal.timeout(parts.stopMs ?? STOP_MS_MAX);
      const ended = [
        windDown({ worker, claims: [claims, ...(boxClaims ? [boxClaims] : [])], renewal, sends, boxes }, deadline),
        ...others.map(({ stop }) => stop()),
      ];
      await Promise.race([Promise.all(ended), once(deadline, 'abort')]);
      // The wind-down may have stopped before it ended the renewal.
      void renewal.stop();
      // Ended before the lanes close, so that requests cut off by us do not count as faults of the mail server.
      const written = journal.end(LAST_WRITE_MS_MAX);
      sends.closeAllLanes();
      await written;
      receipts?.close();
      // A worker that holds mails without a result stays registered: a freeze must wait for its receipts.
      if (queues.held().length > 0) return;
      await forgetWorker(db, worker.workerId).catch((error: unknown) => log.warn({ err: error }, NOT_FORGOTTEN));
    },
  };
}

const NOT_FORGOTTEN =
  'could not record that this worker has stopped; a freeze counts it as dead, and names its machine';
