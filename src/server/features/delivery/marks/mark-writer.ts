import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Claim } from '../leases/claim.ts';
import type { DeliveryResult } from './delivery-step.ts';

export interface MarkWriter {
  /**
   * Resolves when `sending` is committed, before the body leaves.
   * @returns false: the claim is lost, its sending hours are over, or the writer has ended: no byte may leave
   * @throws the database's error: no byte may leave, either
   */
  mark(claim: Claim): Promise<boolean>;
  /** Refuses the mark of a try that has ended, unless it is being written. */
  cancel(claim: DeliveryResult['claim']): void;
  /** Refuses all further marks, and after `withinMs` those that are being written. */
  end(withinMs: number): Promise<void>;
}

interface MarkWriterParts {
  /** Commits 1 to `most` marks together. @returns for each, in order, whether its body may leave */
  readonly write: (claims: Claim[]) => Promise<boolean[]>;
  readonly most: number;
}

interface Entry {
  readonly claim: Claim;
  readonly resolve: (mayLeave: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** Writes marks, one write at a time. Those that arrive during a write share the next one: many mails, one commit. */
export function markWriter({ write, most }: MarkWriterParts): MarkWriter {
  let waiting: Entry[] = [];
  let writing: Entry[] = [];
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

  async function writeBatch(batch: readonly Entry[]): Promise<void> {
    try {
      const mayLeave = await write(batch.map(({ claim }) => claim));
      for (const [index, { resolve }] of batch.entries()) resolve(mayLeave[index] === true);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  const refuse = (entries: readonly Entry[]) => {
    for (const { resolve } of entries) resolve(false);
  };

  return {
    mark: (claim) =>
      new Promise((resolve, reject) => {
        if (hasEnded) return resolve(false);
        waiting.push({ claim, resolve, reject });
        // Not at once: marks of this turn of the event loop still join the batch.
        running ??= nextTurn().then(writeAll);
      }),
    cancel(claim) {
      refuse(waiting.filter((entry) => entry.claim === claim));
      waiting = waiting.filter((entry) => entry.claim !== claim);
    },
    async end(withinMs) {
      hasEnded = true;
      refuse(waiting);
      waiting = [];
      await Promise.race([running, sleep(withinMs, undefined, { ref: false })]);
      refuse(writing);
    },
  };
}
