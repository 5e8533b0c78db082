import { createServer, type RequestListener, type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { errorAnswer } from './errors.ts';

/** How long one connection may take its time, in milliseconds. */
export interface ServerTimes {
  /** From the first byte of a request to the last one of its body. */
  readonly requestMs: number;
  /** The same for the headers alone. */
  readonly headersMs: number;
  /** How often connections are looked at for these two: node's own 30 s would let a 30 s limit take a minute. */
  readonly checkMs: number;
  /** Between two requests. Longer than the 60 s that proxies keep connections, so that they close first. */
  readonly keepAliveMs: number;
  /** Without a byte in either direction: a client that does not read its answer. */
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
 * Above the longest URL we read, so that one that is too long still gets our 414 (early-refusals.ts). What is beyond
 * even this node refuses before there is a request.
 */
const MAX_HEADER_BYTES = 128 * 1024;

/**
 * The server below Fastify. `headers` are on every answer before anyone sees the request: Fastify's hooks miss some.
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
      // Checked in hosts.ts: node's own answer has neither headers nor a body.
      requireHostHeader: false,
    },
    answer,
  );
  // An expectation we do not know is ignored (RFC 9110 10.1.1); node would answer it bare.
  return server.on('checkExpectation', answer).setTimeout(times.idleMs);
}

const STATUS_OF_FAULT: Record<string, number> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
};

/** What node cannot read as a request gets an answer like any other, and the connection ends. */
export const refuseConnection =
  (headers: ReadonlyMap<string, string>) =>
  (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const status = STATUS_OF_FAULT[error.code ?? ''] ?? 400;
    const body = JSON.stringify(errorAnswer(status));
    const lines = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      ...[...headers].map(([name, value]) => `${name}: ${value}`),
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
    ];
    socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
    socket.destroySoon();
  };
