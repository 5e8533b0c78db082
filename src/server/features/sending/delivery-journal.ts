import { setTimeout as sleep } from 'node:timers/promises';
import type { Claim } from './claim.queries.ts';
import type { Finished, Step } from './finish.queries.ts';

export interface DeliveryJournal {
  /** Resolves when it is committed that the body is about to leave; false: it must not. @throws what the database said: it must not either */
  mark(claim: Claim): Promise<boolean>;
  /** Resolves when it is committed what became of a mail, however long the database is away. */
  finish(finished: Finished): Promise<void>;
}

interface JournalParts {
  /** Commits 1 to `most` steps together. @returns for each, in order, whether the mail was still ours */
  readonly write: (steps: Step[]) => Promise<boolean[]>;
  readonly most: number;
  /** Between a write that failed and the next. */
  readonly retryMs: number;
  readonly onFault: (error: unknown) => void;
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
export function deliveryJournal({ write, most, retryMs, onFault }: JournalParts): DeliveryJournal {
  let waiting: Entry[] = [];
  let running = false;
  let gathering: NodeJS.Timeout | null = null;
  let isDue = false;

  function takeBatch(): Entry[] {
    const batch = waiting.slice(0, most);
    waiting = waiting.slice(most);
    if (waiting.length === 0) stopGathering();
    return batch;
  }

  async function run(): Promise<void> {
    while (isDue || waiting.some(isUrgent)) {
      const batch = takeBatch();
      try {
        const ours = await write(batch.map(({ step }) => step));
        for (const [index, { done }] of batch.entries()) done(ours[index] === true);
      } catch (error) {
        onFault(error);
        for (const { step, fail } of batch) if (step.outcome === null) fail(error);
        // What the server answered is known here alone: it is written, before anything later, as soon as the database is back.
        waiting = [...batch.filter(({ step }) => step.outcome !== null), ...waiting];
        isDue = waiting.length > 0;
        await sleep(retryMs);
      }
    }
    running = false;
  }

  function begin(): void {
    if (running) return;
    running = true;
    // Not at once: what is told in this turn of the event loop still joins the batch.
    setImmediate(() => void run());
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

  const tell = (step: Step): Promise<boolean> =>
    new Promise((done, fail) => {
      const entry = { step, done, fail };
      waiting.push(entry);
      if (isUrgent(entry)) begin();
      else gather();
    });

  return {
    mark: (claim) => tell({ claim, outcome: null }),
    finish: async (finished) => void (await tell(finished)),
  };
}

const isUrgent = ({ step }: Entry): boolean => step.outcome?.kind !== 'sent';
