import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { RETRY_MS } from '../../../platform/loop.ts';
import { recordBoxResults } from '../boxes/box-results.command.ts';
import type { Claim } from '../leases/claim.ts';
import type { DeliveryResult } from '../leases/delivery-result.ts';
import { requeueClaims } from '../leases/lease.queries.ts';
import { ofBox, ofRelay } from '../leases/sender-queues.ts';
import type { WorkerContext } from '../leases/worker-context.ts';
import { recordSenderLimits } from '../quota/sender-limits.command.ts';
import { updateBreaker } from './breaker.ts';
import { writeMarks, writeResults } from './journal.queries.ts';
import { pauseRunsOfRejectedSenders } from './rejected-senders.command.ts';

/**
 * Writes the marks and results of a worker's mails. Marks are written at once, because connections wait for them;
 * results in larger batches beside them.
 *
 * A killed worker leaves one mail of a connection unknown, not two: a connection's next mail is marked once the last
 * result is committed, or on disk as a receipt (send-loop).
 */
export interface DeliveryJournal {
  /**
   * Resolves when `sending` is committed, before the body leaves.
   * @returns false: the claim is lost, its sending hours are over, or the journal has ended: no byte may leave
   * @throws the database's error: no byte may leave either
   */
  mark(claim: Claim): Promise<boolean>;
  /**
   * Resolves when a result is committed, however long the database is away, or reported as lost.
   * @param isAwaited a connection waits, so the result is written at once. Otherwise it is gathered with others, and a
   *   receipt on disk must hold the result
   */
  finish(result: DeliveryResult, isAwaited: boolean): Promise<void>;
  /**
   * Writes the waiting results a last time, for at most `withinMs`. Later results are lost. Refuses all further marks,
   * and after `withinMs` also those being written.
   */
  end(withinMs: number): Promise<void>;
}

interface JournalParts {
  /** Commits 1 to `most` marks together. @returns for each, in order, whether its body may leave */
  readonly writeMarks: (claims: Claim[]) => Promise<boolean[]>;
  /** Commits 1 to `most` results together. */
  readonly writeResults: (results: DeliveryResult[]) => Promise<void>;
  readonly most: number;
  /** Wait after a failed write of results. */
  readonly retryMs: number;
  /** A write of results failed. `results`: how many are kept for the next write. */
  readonly onFault: (error: unknown, results: number) => void;
  /** 1 or more results that will not be written. */
  readonly onLost: (results: readonly DeliveryResult[]) => void;
}

/** Opens the journal of a worker. @param most the most marks, and the most results, of one commit */
export function workerJournal(worker: WorkerContext, most: number): DeliveryJournal {
  const { log } = worker;
  return deliveryJournal({
    writeMarks: (claims) => writeMarks(worker.db, claims),
    writeResults: (results) => commitResults(worker, results),
    most,
    retryMs: RETRY_MS,
    onFault: (error, results) => log.error({ err: error, results }, 'could not record delivery results; retrying'),
    onLost: (results) => {
      const lost = results.map(({ claim, outcome }) => ({ delivery: claim.id, outcome: outcome.kind }));
      log.error({ lost }, 'delivery results not recorded before the stop; the sweep takes their mails');
    },
  });
}

/** Joins the writers of marks and of results. */
export function deliveryJournal(parts: JournalParts): DeliveryJournal {
  const marks = markWriter(parts);
  const results = resultWriter(parts);
  return {
    mark: marks.mark,
    finish(result, isAwaited) {
      // An attempt can end before its mark is written (time limit).
      marks.cancel(result.claim);
      return results.finish(result, isAwaited);
    },
    end: async (withinMs) => void (await Promise.all([marks.end(withinMs), results.end(withinMs)])),
  };
}

interface MarkEntry {
  readonly claim: Claim;
  readonly resolve: (mayLeave: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** Writes marks, one write at a time. Those that arrive during a write share the next one: many mails, one commit. */
function markWriter({ writeMarks: write, most }: Pick<JournalParts, 'writeMarks' | 'most'>) {
  let waiting: MarkEntry[] = [];
  let writing: MarkEntry[] = [];
  /** The running writeAll(), or null. */
  let running: Promise<void> | null = null;
  let hasEnded = false;

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      writing = waiting.slice(0, most);
      waiting = waiting.slice(most);
      await writeBatch(writing);
    }
    writing = [];
    running = null;
  }

  async function writeBatch(batch: readonly MarkEntry[]): Promise<void> {
    try {
      const mayLeave = await write(batch.map(({ claim }) => claim));
      for (const [index, { resolve }] of batch.entries()) resolve(mayLeave[index] === true);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  const refuse = (entries: readonly MarkEntry[]) => {
    for (const { resolve } of entries) resolve(false);
  };

  return {
    mark: (claim: Claim): Promise<boolean> =>
      new Promise((resolve, reject) => {
        if (hasEnded) return resolve(false);
        waiting.push({ claim, resolve, reject });
        // Not at once, so that further marks of this turn of the event loop join the batch.
        running ??= nextTurn().then(writeAll);
      }),
    /** Refuses the mark of an attempt that has ended, unless it is being written. */
    cancel(claim: DeliveryResult['claim']): void {
      refuse(waiting.filter((entry) => entry.claim === claim));
      waiting = waiting.filter((entry) => entry.claim !== claim);
    },
    async end(withinMs: number): Promise<void> {
      hasEnded = true;
      refuse(waiting);
      waiting = [];
      await Promise.race([running, sleep(withinMs, undefined, { ref: false })]);
      refuse(writing);
    },
  };
}

interface ResultEntry {
  readonly result: DeliveryResult;
  readonly resolve: () => void;
}

/** How long a result that no connection waits for is gathered with others. */
const GATHER_MS_MAX = 50;

/** Writes results in order, one write at a time. Without the database they are kept, and later written first. */
function resultWriter({ writeResults: write, most, retryMs, onFault, onLost }: Omit<JournalParts, 'writeMarks'>) {
  /** In order. A failed write puts its results back. */
  let waiting: ResultEntry[] = [];
  let writing: ResultEntry[] = [];
  let running: Promise<void> | null = null;
  let gathering: NodeJS.Timeout | null = null;
  /** All waiting results are written now; false: a success may still be gathered with others. */
  let isDue = false;
  const ending = new AbortController();

  function startWriting(): void {
    isDue = true;
    if (gathering) clearTimeout(gathering);
    gathering = null;
    // Not at once, so that further results of this turn of the event loop join the batch.
    running ??= nextTurn().then(writeAll);
  }

  async function writeAll(): Promise<void> {
    while (isDue) {
      writing = waiting.slice(0, most);
      waiting = waiting.slice(most);
      isDue = waiting.length > 0;
      try {
        await write(writing.map(({ result }) => result));
        for (const { resolve } of writing) resolve();
        writing = [];
      } catch (error) {
        onFault(error, writing.length);
        waiting = [...writing, ...waiting];
        writing = [];
        isDue = true;
        if (ending.signal.aborted) break;
        await sleep(retryMs, undefined, { signal: ending.signal }).catch(() => undefined);
      }
    }
    running = null;
  }

  /** Reports results as lost. */
  function drop(entries: readonly ResultEntry[]): void {
    if (entries.length > 0) onLost(entries.map(({ result }) => result));
    for (const { resolve } of entries) resolve();
  }

  return {
    finish: (result: DeliveryResult, isAwaited: boolean): Promise<void> =>
      new Promise((resolve) => {
        const entry = { result, resolve };
        if (ending.signal.aborted) return drop([entry]);
        waiting.push(entry);
        if (isAwaited || waiting.length >= most) startWriting();
        else gathering ??= setTimeout(startWriting, GATHER_MS_MAX);
      }),
    async end(withinMs: number): Promise<void> {
      ending.abort();
      if (waiting.length > 0) startWriting();
      await Promise.race([running, sleep(withinMs, undefined, { ref: false })]);
      const lost = [...writing, ...waiting];
      [writing, waiting] = [[], []];
      if (gathering) clearTimeout(gathering);
      drop(lost);
    },
  };
}

const HEALTH_NOT_RECORDED =
  'could not record transport health or pause refused senders; the next results of this kind are recorded again';

/**
 * Commits results, then pauses refused and limited senders and mailboxes, and updates the circuit breaker.
 * A probe's outcome is recorded first: another worker may probe as soon as its claim ends.
 */
export async function commitResults(
  worker: Pick<WorkerContext, 'db' | 'now' | 'log' | 'metrics' | 'queues'>,
  results: readonly DeliveryResult[],
): Promise<void> {
  const { db, now, log } = worker;
  const [byRelay, byBoxes] = split(results);
  const isProbed = byRelay.some(({ claim }) => claim.isProbe);
  // Faults count once: if these results are written again, the first write has ended the probe.
  const mustWait = isProbed && (await updateBreaker(worker, byRelay, true));
  const { transportHasFaults } = await writeResults(db, results, now());
  // The results are committed: a failure after this point must not write and count them again.
  await followUp().catch((error: unknown) => log.error({ err: error }, HEALTH_NOT_RECORDED));

  async function followUp(): Promise<void> {
    await pauseRunsOfRejectedSenders(db, results);
    for (const box of await recordBoxResults(worker, byBoxes)) {
      await requeueClaims(db, worker.queues.takeWaiting(ofBox(box)));
    }
    if (byRelay.length === 0) return;
    const isLimited = await recordSenderLimits(worker, byRelay);
    const isPaused = isProbed ? mustWait : await updateBreaker(worker, byRelay, transportHasFaults);
    if (isPaused || isLimited) {
      await requeueClaims(db, worker.queues.takeWaiting(ofRelay));
    }
  }
}

/** Splits results into those of the transport and those of mailboxes: neither is touched by what the other meets. */
const split = (results: readonly DeliveryResult[]): [DeliveryResult[], DeliveryResult[]] => [
  results.filter(({ claim }) => claim.box === null),
  results.filter(({ claim }) => claim.box !== null),
];
