import { Agent, type OutgoingHttpHeaders, request } from 'node:http';

/** Sends HTTP requests on connections that stay open, and reads answers completely. */

export interface Target {
  readonly port: number;
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders;
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/**
 * Sends a GET request.
 * @returns the answer's body
 * @throws unless the status is 200
 */
export function get({ port, path, headers = {} }: Target): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, headers, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
      });
      response.on('end', () =>
        response.statusCode === 200 ? resolve(text) : reject(new Error(`${response.statusCode} ${path}: ${text}`)),
      );
    });
    sent.on('error', reject);
    sent.end();
  });
}

/** Counts the requests per second of `connections` clients that each repeat a request for `milliseconds`. */
export async function requestsPerSecond(target: Target, connections: number, milliseconds: number): Promise<number> {
  const begun = performance.now();
  let answered = 0;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() - begun < milliseconds) {
        await get(target);
        answered += 1;
      }
    }),
  );
  return (answered / (performance.now() - begun)) * 1000;
}
