import { Readable } from 'node:stream';
import type { Stage } from './outcome.ts';

/** Bytes given to the connection at once. */
const SLICE = 16 * 1024;

/**
 * A message whose first read, when the server is ready for it (SMTP: after its 354), commits that we are about to send
 * it. Only then does a byte of the body leave. The stage tells afterwards how far it came.
 */
export class MarkedBody extends Readable {
  stage: Stage = 'connecting';
  /** The server is ready, and the mark is not committed yet. */
  isMarking = false;
  /** Bytes. */
  readonly length: number;
  private readonly message: Buffer;
  private readonly mark: () => Promise<boolean>;
  private readonly refusal: () => Error | null;
  private given = 0;

  /**
   * @param mark commits the mark; false: the mail is not ours any more, and the body must not begin
   * @param refusal asked before the mark: why the body must not begin though the server is ready for it
   */
  constructor(message: Buffer, mark: () => Promise<boolean>, refusal: () => Error | null = () => null) {
    super({ highWaterMark: SLICE });
    this.message = message;
    this.length = message.length;
    this.mark = mark;
    this.refusal = refusal;
  }

  override _read(): void {
    if (this.stage === 'body') this.giveSlice();
    if (this.stage !== 'envelope') return;
    const refusal = this.refusal();
    if (refusal !== null) return void this.destroy(refusal);
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

  /** The last slice may be followed by the final dot at once, so with it all counts as handed over. */
  private giveSlice(): void {
    const slice = this.message.subarray(this.given, this.given + SLICE);
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
