import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { errorAnswer } from './errors.ts';

const STATUS_OF_FAULT: Record<string, number> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
};

/** Answers a request that node cannot parse like any other, and closes the connection. */
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
