import { Readable } from 'node:stream';
import type { Stage } from '../outcome.ts';

/** The most bytes of one write to the connection. */
const SLICE_BYTES = 16 * 1024;

/**
 * The body of a request that commits a mark on its first read, before its first byte is sent.
 * The first read happens once the connection is open. `stage` then shows how far the body was sent.
 */
export class MarkedBody extends Readable {
  stage: Stage = 'connecting';
  /** Whether the server is ready and the mark is not committed yet. */
  isMarking = false;
  /** In bytes. */
  readonly length: number;
  private readonly message: Buffer;
  private readonly mark: () => Promise<boolean>;
  private given = 0;

  /** @param mark commits the mark; false: the claim is lost, and the body must not be sent */
  constructor(message: Buffer, mark: () => Promise<boolean>) {
    super({ highWaterMark: SLICE_BYTES });
    this.message = message;
    this.length = message.length;
    this.mark = mark;
  }

  override _read(): void {
    if (this.stage === 'body') this.giveSlice();
    if (this.stage !== 'envelope') return;
    this.isMarking = true;
    this.mark().then(
      (ours) => {
        this.isMarking = false;
        if (!ours) return this.destroy(new ClaimLost());
        this.stage = 'body';
        this.giveSlice();
      },
      (error: Error) => this.destroy(new MarkFailed(error.message)),
    );
  }

  /**
   * Writes the next slice. The final dot may follow the last slice at once, so the message then counts as handed over.
   */
  private giveSlice(): void {
    const slice = this.message.subarray(this.given, this.given + SLICE_BYTES);
    this.given += slice.length;
    const isLast = this.given === this.message.length;
    if (isLast) this.stage = 'handed-over';
    this.push(slice);
    if (isLast) this.push(null);
  }
}

export class ClaimLost extends Error {
  override readonly name = 'ClaimLost';
}

export class MarkFailed extends Error {
  override readonly name = 'MarkFailed';
}
