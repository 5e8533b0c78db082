import { PassThrough, type Readable } from 'node:stream';
import { z } from 'zod';

/* Answers other than a plain object: a list page, a file, an event stream. */

/** One page of a list call. The rows are the answer's body; the total and the next page go into headers. */
export class ListPage<Row> {
  readonly rows: readonly Row[];
  /** The number of rows of the whole list. */
  readonly total: number;
  /** The offset and limit of this page. */
  readonly window: ListWindow;

  constructor(rows: readonly Row[], total: number, window: ListWindow) {
    this.rows = rows;
    this.total = total;
    this.window = window;
  }

  /** @param url the request's URL; the link to the next page repeats its query */
  headers(url: string): Record<string, string> {
    const { limit, offset } = this.window;
    const count = { 'x-total-count': String(this.total) };
    const end = offset + this.rows.length;
    if (this.rows.length === 0 || end >= this.total) return count;
    const next = new URL(url, 'http://localhost');
    next.searchParams.set('limit', String(limit));
    next.searchParams.set('offset', String(end));
    return { ...count, link: `<${next.pathname}${next.search}>; rel="next"` };
  }
}

export interface ListWindow {
  readonly limit: number;
  readonly offset: number;
}

/** A list call's answer whose rows are already JSON. `page` has their keys or values, for the headers. */
export class ListText {
  readonly page: ListPage<unknown>;
  readonly content: string | Readable;

  constructor(page: ListPage<unknown>, content: string | Readable) {
    this.page = page;
    this.content = content;
  }

  headers(url: string): Record<string, string> {
    return { ...this.page.headers(url), 'content-type': 'application/json; charset=utf-8' };
  }
}

/** An answer that the browser saves as a file. It is streamed, and never stored by a cache. */
export class FileAnswer {
  readonly content: Readable;
  readonly name: string;
  readonly mediaType: string;
  /** null: unknown before the end. */
  readonly bytes: number | null;

  constructor(
    content: Readable,
    { name, mediaType, bytes }: { name: string; mediaType: string; bytes: number | null },
  ) {
    this.content = content;
    this.name = name;
    this.mediaType = mediaType;
    this.bytes = bytes;
  }

  headers(): Record<string, string> {
    return {
      'content-type': this.mediaType,
      ...(this.bytes !== null && { 'content-length': String(this.bytes) }),
      // RFC 6266: the UTF-8 form of the name, which all current browsers support.
      'content-disposition': `attachment; filename*=UTF-8''${escapedName(this.name)}`,
    };
  }
}

/** Escapes a text by RFC 8187 (formerly 5987): encodeURIComponent does not escape `'`, `(`, `)` and `*`. */
const escapedName = (name: string): string =>
  encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/**
 * A streaming call's answer: server-sent events, each with one line of JSON. Proxies must not buffer it. A reader that
 * falls behind is disconnected; it reconnects and gets the current state.
 */
export class EventStream extends PassThrough {
  readonly #data: z.ZodType;

  /** @param data the schema of an event's data; undeclared fields are dropped */
  constructor(data: z.ZodType) {
    super();
    this.#data = data;
    // Fastify logs errors during an answer. An error after the reader has disconnected must not end the process.
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
  // Without this nginx buffers the answer.
  'x-accel-buffering': 'no',
};
