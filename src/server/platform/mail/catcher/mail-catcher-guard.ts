import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

type Headers = IncomingMessage['headers'];

/**
 * Returns whether a request comes from the catcher's own pages, a local script or a link. MailDev itself would answer
 * every web page that the user has open (`Access-Control-Allow-Origin: *`, any Host).
 * @param port of the catcher's web page
 */
export function mayReadCaughtMail(method: string | undefined, headers: Headers, port: number): boolean {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  // Refuses a name that an attacker resolves to 127.0.0.1 (DNS rebinding).
  if (!hosts.includes(headers.host?.toLowerCase() ?? '')) return false;
  if (headers.origin !== undefined) return hosts.some((host) => headers.origin === `http://${host}`);
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return true;
  return method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
}

/** Adds the check before all listeners of a server that MailDev has set up. */
export function guardMailCatcher(server: Server, port: number): void {
  const answer = server.listeners('request') as ((request: IncomingMessage, response: ServerResponse) => void)[];
  const upgrade = server.listeners('upgrade') as ((request: IncomingMessage, socket: Duplex, head: Buffer) => void)[];
  server.removeAllListeners('request');
  server.removeAllListeners('upgrade');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!mayReadCaughtMail(request.method, request.headers, port)) {
      response.writeHead(403, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
      return response.end('Open this address itself: other pages may not read caught mail.\n');
    }
    // Prevents clickjacking: another page could show the list in a frame under its own buttons.
    response.setHeader('x-frame-options', 'SAMEORIGIN');
    for (const listener of answer) listener.call(server, request, response);
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (!mayReadCaughtMail(request.method, request.headers, port)) return socket.destroy();
    for (const listener of upgrade) listener.call(server, request, socket, head);
  });
}
