import { createServer, type RequestListener, type Server } from 'node:http';

/** The time limits of one connection, in milliseconds. */
export interface ServerTimes {
  /** From the first byte of a request to the last one of its body. */
  readonly requestMs: number;
  /** From the first byte of a request to the end of its headers. */
  readonly headersMs: number;
  /** How often node checks these two limits. With its default of 30 s a 30 s limit could take a minute. */
  readonly checkMs: number;
  /** Between two requests. Longer than the 60 s that proxies keep connections, so that they close first. */
  readonly keepAliveMs: number;
  /** Without a byte in either direction, as when a client does not read its answer. */
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
 * The most bytes of headers; node refuses more before there is a request. It is above the longest URL that we read, so
 * that a longer one still gets our 414 (early-answers.ts).
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
      // hosts.ts checks the host: node's own answer has neither headers nor a body.
      requireHostHeader: false,
    },
    answer,
  );
  // An unknown expectation is ignored (RFC 9110 10.1.1); node would answer it without our headers.
  return server.on('checkExpectation', answer).setTimeout(times.idleMs);
}
