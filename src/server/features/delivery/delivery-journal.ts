import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Claim } from './claim.ts';
import { type Finished, isFinished, type Step } from './finish.queries.ts';

export interface DeliveryJournal {
  /** Resolves when it is committed that the body is about to leave; false: it must not. @throws what the database said: it must not either */
  mark(claim: Claim): Promise<boolean>;
  /** Resolves when it is committed what became of a mail, however long the database is away; or when that was told as lost. */
  finish(finished: Finished): Promise<void>;
  /** Writes what waits a last time, within so many milliseconds. What is not written then, or comes later, is lost; marks are refused. */
  end(withinMs: number): Promise<void>;
}

interface JournalParts {
  /** Commits 1 to `most` steps together. @returns for each, in order, whether the mail was still ours */
  readonly write: (steps: Step[]) => Promise<boolean[]>;
  readonly most: number;
  /** Between a write that failed and the next. */
  readonly retryMs: number;
  readonly onFault: (error: unknown) => void;
  /** 1 or more outcomes that are written no more. */
  readonly onLost: (finished: readonly Finished[]) => void;
}

interface Entry {
  readonly step: Step;
  readonly done: (ours: boolean) => void;
  readonly fail: (error: unknown) => void;
}

/** How long a success, for whose commit nobody waits, may wait for others to share it with. */
const GATHER_MS = 20;

/**
 * Writes the steps of a worker's mails in the order they are told, one write at a time; what comes while one runs goes with the next, and
 * a success goes with the next mark. So a commit is shared by many mails, and a connection may go on before the outcome of its last
 * mail is written: its next mark is committed together with that outcome or after it, and a killed worker leaves one mail of a connection
 * in doubt, not two.
 */
export function deliveryJournal({ write, most, retryMs, onFault, onLost }: JournalParts): DeliveryJournal {
  let waiting: Entry[] = [];
  let writing: Entry[] = [];
  let running: Promise<void> | null = null;
  let gathering: NodeJS.Timeout | null = null;
  let isDue = false;
  const ending = new AbortController();

  function takeBatch(): Entry[] {
    const batch = waiting.slice(0, most);
    waiting = waiting.slice(most);
    if (waiting.length === 0) stopGathering();
    return batch;
  }

  async function run(): Promise<void> {
    while (isDue || waiting.some(isUrgent)) {
      writing = takeBatch();
      try {
        const ours = await write(writing.map(({ step }) => step));
        for (const [index, { done }] of writing.entries()) done(ours[index] === true);
        writing = [];
      } catch (error) {
        onFault(error);
        for (const { step, fail } of writing) if (step.outcome === null) fail(error);
        // What the server answered is known here alone: it is written, before anything later, as soon as the database is back.
        waiting = [...writing.filter(({ step }) => step.outcome !== null), ...waiting];
        writing = [];
        isDue = waiting.length > 0;
        if (ending.signal.aborted) break;
        await sleep(retryMs, undefined, { signal: ending.signal }).catch(() => undefined);
      }
    }
    running = null;
  }

  function begin(): void {
    // Not at once: what is told in this turn of the event loop still joins the batch.
    running ??= nextTurn().then(run);
  }

  function gather(): void {
    gathering ??= setTimeout(() => {
      isDue = true;
      begin();
    }, GATHER_MS);
  }

  function stopGathering(): void {
    if (gathering) clearTimeout(gathering);
    gathering = null;
    isDue = false;
  }

  function giveUp(left: readonly Entry[]): void {
    const lost = left.map(({ step }) => step).filter(isFinished);
    if (lost.length > 0) onLost(lost);
    for (const { done } of left) done(false);
  }

  const tell = (step: Step): Promise<boolean> =>
    new Promise((done, fail) => {
      const entry = { step, done, fail };
      if (ending.signal.aborted) return giveUp([entry]);
      waiting.push(entry);
      if (isUrgent(entry)) begin();
      else gather();
    });

  return {
    mark: (claim) => tell({ claim, outcome: null }),
    async finish(finished) {
      // Its try ended before its mark was written (a time limit, another mark of its request): both in one statement would fight for its row.
      const isItsMark = ({ step }: Entry) => step.claim === finished.claim;
      for (const { done } of waiting.filter(isItsMark)) done(false);
      waiting = waiting.filter((entry) => !isItsMark(entry));
      await tell(finished);
    },
    async end(withinMs) {
      ending.abort();
      isDue = waiting.length > 0;
      if (isDue) begin();
      await Promise.race([running, sleep(withinMs, undefined, { ref: false })]);
      const left = [...writing, ...waiting];
      [writing, waiting] = [[], []];
      stopGathering();
      giveUp(left);
    },
  };
}

const isUrgent = ({ step }: Entry): boolean => step.outcome?.kind !== 'sent';
