import type { Claim } from '../leases/claim.ts';
import type { DeliveryResult } from './delivery-step.ts';
import { type MarkWriter, markWriter } from './mark-writer.ts';
import { type ResultWriterParts, resultWriter } from './result-writer.ts';

export interface DeliveryJournal {
  readonly mark: MarkWriter['mark'];
  /**
   * Resolves when a result is committed, however long the database is away, or reported as lost.
   * @param isAwaited the connection begins its next mail only then: else a receipt on disk must hold the result
   */
  finish(result: DeliveryResult, isAwaited: boolean): Promise<void>;
  /** Writes the waiting results a last time, for at most `withinMs`. Later results are lost, all marks refused. */
  end(withinMs: number): Promise<void>;
}

interface JournalParts extends Omit<ResultWriterParts, 'write'> {
  /** Commits 1 to `most` marks together. @returns for each, in order, whether its body may leave */
  readonly writeMarks: (claims: Claim[]) => Promise<boolean[]>;
  readonly writeResults: ResultWriterParts['write'];
}

/**
 * Writes the marks and results of a worker's mails: marks at once, because connections wait for them, and results
 * beside them, in larger batches.
 *
 * A killed worker leaves one mail of a connection in doubt, not two: the next mail of a connection is marked when the
 * result of its last one is committed, or on disk as a receipt (send-loop).
 */
export function deliveryJournal({ writeMarks, writeResults, ...parts }: JournalParts): DeliveryJournal {
  const marks = markWriter({ write: writeMarks, most: parts.most });
  const results = resultWriter({ ...parts, write: writeResults });
  return {
    mark: marks.mark,
    finish(result, isAwaited) {
      // A try can end before its mark is written (time limit).
      marks.cancel(result.claim);
      return results.finish(result, isAwaited);
    },
    end: async (withinMs) => void (await Promise.all([marks.end(withinMs), results.end(withinMs)])),
  };
}
