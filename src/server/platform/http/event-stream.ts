import { PassThrough } from 'node:stream';
import { z } from 'zod';

/**
 * The answer of a call that goes on: server-sent events, each a line of JSON. Proxies must pass them on as they come.
 * A reader that does not keep up is cut: it asks anew and gets what is true then.
 */
export class EventStream extends PassThrough {
  readonly #data: z.ZodType;

  /** @param data what events hold: nothing else leaves */
  constructor(data: z.ZodType) {
    super();
    this.#data = data;
    // Fastify logs the error of an answer under way. One that comes when its reader has just left must not end the
    // process.
    this.on('error', () => {});
  }

  sendEvent(name: string, data: object): void {
    this.give(`event: ${name}\ndata: ${JSON.stringify(z.encode(this.#data, data))}\n\n`);
  }

  /** Keeps the connection open through whoever closes idle ones, and finds out whether somebody still reads. */
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
  // nginx holds answers back unless it is told.
  'x-accel-buffering': 'no',
};
