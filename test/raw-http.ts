import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/**
 * Sends a request that fetch cannot send.
 * The parts are written unchanged, `pauseMs` apart. Returns all that the server sends until the connection ends
 * (requests set `Connection: close` unless the server ends it). Without an answer the status is 0.
 */
export async function exchange(address: string, parts: Iterable<string | Buffer>, pauseMs = 0): Promise<RawAnswer> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  const closed = new Promise<void>((done) => socket.once('close', () => done()));
  // A reset during writing is a normal end: the answer is what arrived before it.
  socket.on('error', () => {});
  for (const part of parts) {
    if (socket.destroyed) break;
    socket.write(part);
    if (pauseMs > 0) await Promise.race([sleep(pauseMs), closed]);
  }
  await closed;
  return parseAnswer(Buffer.concat(chunks).toString('utf8'));
}

function parseAnswer(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = new Headers(
    lines.map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { status: Number(statusLine.split(' ')[1] ?? 0), headers, body: rest.join('\r\n\r\n') };
}

/** Builds a request as one text: method and target, then header lines. */
export const requestText = (target: string, headers: readonly string[] = [], body = ''): string =>
  [`${target} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers, '', body].join('\r\n');
