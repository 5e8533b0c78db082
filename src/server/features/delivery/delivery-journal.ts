import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Claim } from './claim.ts';
import { type DeliveryResult, type DeliveryStep, isFinished } from './delivery-step.ts';

export interface DeliveryJournal {
  /**
   * Resolves when `sending` is committed, before the body leaves.
   * @returns false: the claim is lost, its sending hours are over, or the journal has ended: no byte may leave
   * @throws the database's error: no byte may leave, either
   */
  mark(claim: Claim): Promise<boolean>;
  /** Resolves when a result is committed, however long the database is away, or reported as lost. */
  finish(result: DeliveryResult): Promise<void>;
  /** Writes the waiting steps a last time, for at most `withinMs`. Later results are lost, later marks refused. */
  end(withinMs: number): Promise<void>;
}

interface JournalParts {
  /** Commits 1 to `most` steps together. @returns for each, in order, whether the mail was still ours */
  readonly write: (steps: DeliveryStep[]) => Promise<boolean[]>;
  readonly most: number;
  /** Wait after a failed write. */
  readonly retryMs: number;
  /** A write failed. `results`: how many results are kept for the next write. */
  readonly onFault: (error: unknown, results: number) => void;
  /** 1 or more results that will not be written. */
  readonly onLost: (results: readonly DeliveryResult[]) => void;
}

interface Entry {
  readonly step: DeliveryStep;
  readonly resolve: (ours: boolean) => void;
  readonly reject: (error: unknown) => void;
}

interface JournalState {
  /** Steps in their order. enqueue() appends; takeBatch(), cancelMark() and end() remove; a failed write puts back. */
  waiting: Entry[];
  /** Steps of the current write. Set and cleared by writeAll(); end() reports them as lost. */
  writing: Entry[];
  /** The running writeAll(), or null. Set by startWriting(), cleared by writeAll(); end() waits for it. */
  running: Promise<void> | null;
  /** Timer that sets isDue for waiting successes. Set by startGathering(), cleared by stopGathering(). */
  gathering: NodeJS.Timeout | null;
  /** Successes are written without waiting for a mark: GATHER_MS_MAX is over, a write failed, or end() was called. */
  isDue: boolean;
  /** Aborted by end(). */
  readonly ending: AbortController;
}

type Journal = JournalParts & { readonly state: JournalState };

/** How long a success may wait for a mark to share its commit. Nobody waits for the commit of a success. */
const GATHER_MS_MAX = 20;

/**
 * Writes the marks and results of a worker's mails in order, one write at a time.
 *
 * - Steps that arrive during a write share the next one, and a success waits for the next mark: many mails, one commit.
 * - A connection continues before the success of its last mail is written. Its next mark is committed together with
 *   that success or after it, so a killed worker leaves one mail of a connection in doubt, not two.
 * - Without the database a mark fails at once; results are kept and written first when it is back.
 */
export function deliveryJournal(parts: JournalParts): DeliveryJournal {
  const state: JournalState = {
    waiting: [],
    writing: [],
    running: null,
    gathering: null,
    isDue: false,
    ending: new AbortController(),
  };
  const journal = { ...parts, state };
  return {
    mark: (claim) => enqueue(journal, { claim, outcome: null }),
    async finish(result) {
      cancelMark(state, result.claim);
      await enqueue(journal, result);
    },
    end: (withinMs) => end(journal, withinMs),
  };
}

function enqueue(journal: Journal, step: DeliveryStep): Promise<boolean> {
  const { state } = journal;
  return new Promise((resolve, reject) => {
    const entry = { step, resolve, reject };
    if (state.ending.signal.aborted) return dropEntries(journal, [entry]);
    state.waiting.push(entry);
    if (isUrgent(entry)) startWriting(journal);
    else startGathering(journal);
  });
}

/** Drops the unwritten mark of a try that has ended (time limit): one statement must not change a row twice. */
function cancelMark(state: JournalState, claim: DeliveryResult['claim']): void {
  const isItsMark = ({ step }: Entry) => step.claim === claim;
  for (const { resolve } of state.waiting.filter(isItsMark)) resolve(false);
  state.waiting = state.waiting.filter((entry) => !isItsMark(entry));
}

function startWriting(journal: Journal): void {
  // Not at once: steps of this turn of the event loop still join the batch.
  journal.state.running ??= nextTurn().then(() => writeAll(journal));
}

async function writeAll(journal: Journal): Promise<void> {
  const { state, retryMs } = journal;
  while (state.isDue || state.waiting.some(isUrgent)) {
    state.writing = takeBatch(journal);
    try {
      const ours = await journal.write(state.writing.map(({ step }) => step));
      for (const [index, { resolve }] of state.writing.entries()) resolve(ours[index] === true);
      state.writing = [];
    } catch (error) {
      keepResults(journal, error);
      if (state.ending.signal.aborted) break;
      await sleep(retryMs, undefined, { signal: state.ending.signal }).catch(() => undefined);
    }
  }
  state.running = null;
}

function takeBatch({ state, most }: Journal): Entry[] {
  const batch = state.waiting.slice(0, most);
  state.waiting = state.waiting.slice(most);
  if (state.waiting.length === 0) stopGathering(state);
  return batch;
}

/** After a failed write: fails its marks and keeps its results, which only this process knows. */
function keepResults({ state, onFault }: Journal, error: unknown): void {
  const results = state.writing.filter(({ step }) => isFinished(step));
  onFault(error, results.length);
  for (const { step, reject } of state.writing) if (!isFinished(step)) reject(error);
  state.waiting = [...results, ...state.waiting];
  state.writing = [];
  state.isDue = state.waiting.length > 0;
}

function startGathering(journal: Journal): void {
  const { state } = journal;
  state.gathering ??= setTimeout(() => {
    state.isDue = true;
    startWriting(journal);
  }, GATHER_MS_MAX);
}

function stopGathering(state: JournalState): void {
  if (state.gathering) clearTimeout(state.gathering);
  state.gathering = null;
  state.isDue = false;
}

async function end(journal: Journal, withinMs: number): Promise<void> {
  const { state } = journal;
  state.ending.abort();
  state.isDue = state.waiting.length > 0;
  if (state.isDue) startWriting(journal);
  await Promise.race([state.running, sleep(withinMs, undefined, { ref: false })]);
  const lost = [...state.writing, ...state.waiting];
  [state.writing, state.waiting] = [[], []];
  stopGathering(state);
  dropEntries(journal, lost);
}

/** Reports results as lost and refuses marks. */
function dropEntries({ onLost }: Journal, entries: readonly Entry[]): void {
  const results = entries.map(({ step }) => step).filter(isFinished);
  if (results.length > 0) onLost(results);
  for (const { resolve } of entries) resolve(false);
}

/** Whether a caller waits for the commit of a step: of every step but a success. */
const isUrgent = ({ step }: Entry): boolean => step.outcome?.kind !== 'sent';
