import { PassThrough } from 'node:stream';
import { z } from 'zod';

/**
 * The answer of a streaming call: server-sent events, each with one line of JSON. Proxies must not buffer it. A reader
 * that falls behind is disconnected; it reconnects and gets the present state.
 */
export class EventStream extends PassThrough {
  readonly #data: z.ZodType;

  /** @param data the schema of an event's data; undeclared fields are dropped */
  constructor(data: z.ZodType) {
    super();
    this.#data = data;
    // Fastify logs the error of an answer in progress. An error after the reader has disconnected must not end the
    // process.
    this.on('error', () => {});
  }

  sendEvent(name: string, data: object): void {
    this.give(`event: ${name}\ndata: ${JSON.stringify(z.encode(this.#data, data))}\n\n`);
  }

  /** Sends a comment, so that proxies keep the connection open and a closed one is detected. */
  beat(): void {
    this.give(': \n\n');
  }

  private give(text: string): void {
    if (this.destroyed || this.writableEnded) return;
    if (this.writableLength > MAX_WAITING_BYTES) this.destroy();
    else this.write(text);
  }
}

const MAX_WAITING_BYTES = 1024 * 1024;

export const EVENT_STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Without it nginx buffers the answer.
  'x-accel-buffering': 'no',
};
