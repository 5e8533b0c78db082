import { Readable } from 'node:stream';
import type { Stage } from './outcome.ts';

/**
 * A message whose first read, which is after the server's 354, commits that we are about to send it. Only then does a byte of the
 * body leave. The stage tells afterwards how far it came.
 */
export class MarkedBody extends Readable {
  stage: Stage = 'connecting';
  private readonly message: Buffer;
  private readonly mark: () => Promise<boolean>;

  /** @param mark commits the mark; false: the mail is not ours any more, and the body must not begin */
  constructor(message: Buffer, mark: () => Promise<boolean>) {
    super({ highWaterMark: 64 * 1024 });
    this.message = message;
    this.mark = mark;
  }

  override _read(): void {
    if (this.stage === 'body' || this.stage === 'handed-over') return;
    this.mark().then(
      (ours) => {
        if (!ours) return this.destroy(new ClaimLost());
        this.stage = 'body';
        this.push(this.message);
        this.stage = 'handed-over';
        this.push(null);
      },
      (error) => this.destroy(error),
    );
  }
}

export class ClaimLost extends Error {
  override readonly name = 'ClaimLost';
}
