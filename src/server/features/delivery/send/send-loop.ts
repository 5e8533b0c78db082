import type { Outcome } from '../../../platform/mail/outcome.ts';
import type { ClaimAhead } from '../claim/claim-ahead.ts';
import type { ReceiptGuard } from '../guard/receipt-guard.ts';
import { type Receipt, type ReceiptWriter, receiptOf } from '../guard/receipts.ts';
import type { Claim, ClaimedBox, KeepUnknown } from '../leases/claim.ts';
import { SENDING_LEASE_SECONDS } from '../leases/lease-seconds.ts';
import { renewHeldLeases } from '../leases/renewal.ts';
import { type Fits, ofBox, ofRelay } from '../leases/sender-queues.ts';
import type { WorkerContext } from '../leases/worker-context.ts';
import { recordCrowdedConnection } from '../quota/connection-limit.queries.ts';
import type { LaneRoom } from '../quota/lane-room.ts';
import type { DeliveryJournal } from '../results/delivery-journal.ts';
import type { Lane, Mark, TakeNext, TransportLanes } from '../transports/transport.ts';
import type { BoxLanes } from './box-lanes.ts';

/** A mark that takes longer is refused: its lease must last until the next renewal. */
const MARK_MS_MAX = (SENDING_LEASE_SECONDS * 1000) / 2;

interface SendLoopParts {
  readonly worker: WorkerContext;
  readonly transport: TransportLanes;
  /** One for each connection. The loop owns them until closeAllLanes(). */
  readonly lanes: readonly Lane[];
  /** undefined: no mail leaves by a mailbox. */
  readonly boxes?: BoxLanes | undefined;
  readonly journal: DeliveryJournal;
  readonly room: LaneRoom;
  readonly ahead: ClaimAhead;
  /** undefined, with `receipts` null: no receipts are kept. */
  readonly guard?: Pick<ReceiptGuard, 'databaseId' | 'addLeaving' | 'removeLeaving'> | undefined;
  readonly receipts: ReceiptWriter | null;
  readonly keepUnknown?: KeepUnknown | undefined;
  /**
   * Called when a lane is idle or a mail is no longer held: a claim may have room.
   * @param box whose lane it is; null: the transport's
   */
  readonly onRoom: (box: ClaimedBox | null) => void;
}

type LoopParts = SendLoopParts & Pick<SendLoop, 'closeIdleLanes'>;

/** A kind of lanes, and the mails that they may carry. */
interface Path {
  /** null: the transport. */
  readonly box: ClaimedBox | null;
  readonly fits: Fits;
  readonly mailsWith: (claim: Claim) => number;
  /** Limits the lanes; null: a mailbox has one. */
  readonly room: LaneRoom | null;
}

const pathOf = (box: ClaimedBox): Path => ({ box, fits: ofBox(box), mailsWith: () => 1, room: null });

export interface SendLoop {
  /** Assigns waiting mails to idle lanes. The loop continues while mails wait. */
  readonly start: () => void;
  /** Those of the transport; closeAllLanes() also closes those of mailboxes. */
  readonly closeIdleLanes: () => void;
  /** Also aborts running requests. */
  readonly closeAllLanes: () => void;
}

/** Sends claimed mails through the lanes of the transport, and passes the results to the journal. */
export function sendLoop(given: SendLoopParts): SendLoop {
  const { worker, transport, lanes, room, boxes, onRoom } = given;
  const relay: Path = { box: null, fits: ofRelay, mailsWith: transport.mailsWith, room };
  /** Lanes without a request. start() takes one, and the end of its request puts it back. */
  const idleLanes = [...lanes];
  const closeIdleLanes = () => closeLanes(idleLanes);
  const parts: LoopParts = { ...given, closeIdleLanes };

  function start(): void {
    while (idleLanes.length > 0 && room.isFree()) {
      const claims = worker.stopping.aborted ? null : worker.queues.takeRequest(relay.mailsWith);
      const lane = claims && idleLanes.pop();
      if (!claims || !lane) break;
      room.enter(lane);
      void sendInTurn(parts, claims, lane, relay).finally(() => {
        room.leave(lane);
        idleLanes.push(lane);
        start();
        onRoom(null);
      });
    }
    if (boxes) for (const box of worker.queues.waitingBoxes()) startBox(boxes, box);
  }

  function startBox(of: BoxLanes, box: ClaimedBox): void {
    const lane = worker.stopping.aborted ? null : of.take(box);
    if (!lane) return;
    const path = pathOf(box);
    const claims = worker.queues.takeRequest(path.mailsWith, null, path.fits);
    if (!claims) {
      of.giveBack(box);
      return;
    }
    void sendInTurn(parts, claims, lane, path).finally(() => {
      of.giveBack(box);
      start();
      onRoom(box);
    });
  }

  return {
    start,
    closeIdleLanes,
    closeAllLanes() {
      closeLanes(lanes);
      boxes?.closeAll();
    },
  };
}

/** Sends a request, then those that its lane took ahead. Never rejects. */
async function sendInTurn(parts: LoopParts, first: readonly Claim[], lane: Lane, path: Path): Promise<void> {
  const { worker, onRoom } = parts;
  let claims: readonly Claim[] | null = first;
  while (claims !== null) {
    const next = nextRequestOf(parts, claims, path);
    await send({ ...parts, path }, claims, lane, next).catch((error) => {
      worker.log.error({ err: error, delivery: next.present[0]?.id }, SEND_ABORTED);
      endRequest(worker, next.present);
    });
    claims = next.taken();
    if (claims !== null) onRoom(path.box);
  }
}

/** The request that uses the current one's connection next. */
interface NextRequest {
  readonly present: readonly Claim[];
  readonly take: TakeNext;
  readonly taken: () => readonly Claim[] | null;
  /** Returns its mails to the queue: a pause of the transport or of their run must reach them. */
  readonly putBack: () => void;
}

function nextRequestOf(
  { worker }: SendLoopParts,
  present: readonly Claim[],
  { room, mailsWith, fits }: Path,
): NextRequest {
  const { queues, stopping } = worker;
  let taken: readonly Claim[] | null = null;
  return {
    present,
    take() {
      if (!(stopping.aborted || room?.isExceeded())) taken ??= queues.takeRequest(mailsWith, present, fits);
      return taken;
    },
    taken: () => taken,
    putBack() {
      // While stopping, no mail is put back: the wind-down empties the queues only once, and waits for this request.
      if (taken === null || stopping.aborted) return;
      queues.putBack(taken);
      taken = null;
    },
  };
}

const SEND_ABORTED = 'send aborted by an unexpected error; the sweep takes its mails when their leases end';

function closeLanes(lanes: readonly Lane[]): void {
  for (const lane of lanes) lane.close();
}

/** Ends a request whose mails have no result to write. */
function endRequest({ queues }: WorkerContext, claims: readonly Claim[]): void {
  queues.endRequest(claims);
  for (const claim of claims) queues.remove(claim);
}

/** Sends one request. Resolves when its lane may take the next one. */
async function send(
  parts: LoopParts & { readonly path: Path },
  claims: readonly Claim[],
  lane: Lane,
  next: NextRequest,
): Promise<void> {
  const { worker, ahead, guard, receipts } = parts;
  // The transport's alone: how long requests take, and how many connections it admits.
  const { room } = parts.path;
  const { now, queues, stopping } = worker;
  const mark: Mark = (marked) => Promise.all(marked.map((claim) => markInTime(parts, claim)));
  const begun = performance.now();
  const outcomes = await lane.send(claims, mark, next.take);
  if (room) ahead.recordRequest((performance.now() - begun) / 1000);
  // Receipts first: once they are on disk, kill -9 leaves no accepted mail unknown.
  const at = now();
  const areOnDisk = receipts?.append(receiptsFor(claims, outcomes, at)) ?? false;
  keepUnknownOf(parts, claims, outcomes);
  guard?.removeLeaving(claims);
  queues.endRequest(claims);
  const areSent = outcomes.every(({ kind }) => kind === 'sent');
  if (areSent) room?.admit(lane);
  else next.putBack();
  if (room && outcomes.some(({ kind }) => kind === 'crowded')) await openFewer(parts, lane);
  // Another result than `sent` may pause the transport or the run. Without receipts, a next mark committed before this
  // result would leave two mails of the lane unknown after a kill.
  const isAwaited = !(areSent && areOnDisk);
  const written = Promise.all(
    claims.map((claim, index) => recordOutcome(parts, claim, { outcome: outcomes[index] as Outcome, at, isAwaited })),
  );
  if (isAwaited) await written;
  // A run was paused or cancelled, its group has closed, or this process was suspended: other claims may be lost too.
  if (!stopping.aborted && outcomes.some(({ kind }) => kind === 'claim-lost')) await renewHeldLeases(worker);
}

/** Uses fewer connections from now on, in all workers, because the mail server refused this lane's. Never rejects. */
async function openFewer({ worker, room, closeIdleLanes }: LoopParts, lane: Lane): Promise<void> {
  const { db, log } = worker;
  const connections = room.refuse(lane);
  // Idle sessions count at the server too.
  closeIdleLanes();
  log.warn({ connections }, 'the mail server admits no further connection; fewer are used from now on');
  try {
    await recordCrowdedConnection(db, connections);
  } catch (error) {
    log.error(
      { err: error },
      'could not record how many connections the mail server admits; it is recorded at the next one too many',
    );
  }
}

/**
 * Commits that a body is about to leave.
 * @throws when the commit took so long that the sweep may have set the mail to unknown
 */
async function markInTime({ worker: { now }, journal, guard }: SendLoopParts, claim: Claim): Promise<boolean> {
  const asked = now();
  const ours = await journal.mark(claim);
  if (ours && now() - asked > MARK_MS_MAX) throw new Error('the commit before the body took too long');
  if (ours) guard?.addLeaving(claim, asked);
  return ours;
}

/** Logs and writes the result of one mail. Resolves when it is committed, or reported as lost. */
async function recordOutcome(
  { worker: { log, metrics, queues }, journal, onRoom }: SendLoopParts,
  claim: Claim,
  { outcome, at, isAwaited }: { readonly outcome: Outcome; readonly at: number; readonly isAwaited: boolean },
): Promise<void> {
  metrics?.deliveries.inc({ outcome: outcome.kind });
  if (outcome.kind !== 'sent') log.warn({ delivery: claim.id, outcome }, 'mail not sent');
  else if (outcome.isCopyRefused) log.warn({ delivery: claim.id, outcome }, 'mail sent, but a bcc copy was refused');
  if (outcome.kind !== 'claim-lost') await journal.finish({ claim, outcome, at }, isAwaited);
  queues.remove(claim);
  onRoom(claim.box);
}

/** Makes the receipts of the mails that the server accepted. */
const receiptsFor = (claims: readonly Claim[], outcomes: readonly Outcome[], at: number): Receipt[] =>
  claims.flatMap((claim, index) => {
    const outcome = outcomes[index];
    return outcome?.kind === 'sent' ? [receiptOf(claim, outcome.reply, at)] : [];
  });

/** Writes real mails of unknown outcome to disk. */
function keepUnknownOf(
  { guard, keepUnknown }: SendLoopParts,
  claims: readonly Claim[],
  outcomes: readonly Outcome[],
): void {
  const databaseId = guard?.databaseId() ?? null;
  const unknown = claims.filter(({ test }, index) => !test && outcomes[index]?.kind === 'unknown');
  if (databaseId !== null && unknown.length > 0) keepUnknown?.(databaseId, unknown);
}
