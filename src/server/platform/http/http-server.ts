import { createServer, type RequestListener, type Server } from 'node:http';

/** The time limits of one connection, in milliseconds. */
export interface ServerTimes {
  /** From the first byte of a request to the last byte of its body. */
  readonly requestMs: number;
  /** From the first byte of a request to the end of its headers. */
  readonly headersMs: number;
  /** How often Node checks these two limits. With Node's default of 30 s a 30 s limit could take a minute. */
  readonly checkMs: number;
  /** The idle time between two requests. Longer than the 60 s of proxies, so that those close first. */
  readonly keepAliveMs: number;
  /** The time without a byte in either direction, for example when a client does not read its answer. */
  readonly idleMs: number;
}

export const SERVER_TIMES: ServerTimes = {
  requestMs: 30_000,
  headersMs: 15_000,
  checkMs: 1000,
  keepAliveMs: 72_000,
  idleMs: 120_000,
};

/**
 * The most bytes of headers; Node refuses more itself. Above the longest accepted URL, so that a longer one still gets
 * our 414 (early-answers.ts).
 */
const MAX_HEADER_BYTES = 128 * 1024;

/**
 * Creates the server below Fastify. `headers` are set before any handler runs, because Fastify's hooks miss some
 * answers.
 */
export function httpServer(
  listener: RequestListener,
  headers: ReadonlyMap<string, string>,
  times: ServerTimes,
): Server {
  const answer: RequestListener = (request, response) => {
    response.setHeaders(headers as Map<string, string>);
    listener(request, response);
  };
  const server = createServer(
    {
      requestTimeout: times.requestMs,
      headersTimeout: Math.min(times.headersMs, times.requestMs),
      connectionsCheckingInterval: times.checkMs,
      keepAliveTimeout: times.keepAliveMs,
      maxHeaderSize: MAX_HEADER_BYTES,
      // hosts.ts checks the host: Node's own answer would have neither headers nor a body.
      requireHostHeader: false,
    },
    answer,
  );
  // Ignores an unknown expectation (RFC 9110 10.1.1), which Node would answer without our headers.
  return server.on('checkExpectation', answer).setTimeout(times.idleMs);
}
