import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { MAX_QUERY_PARAMETERS, MAX_URL_LENGTH } from '#domain/limits.ts';
import { sendStatus } from './errors.ts';

/** What no call takes is refused before the guard, whatever the route. */
export function addEarlyRefusals(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, next) => {
    const status = refusedStatus(request.raw);
    if (status === null) next();
    else sendStatus(reply, status);
  });
}

function refusedStatus({ url = '', headers, httpVersion }: IncomingMessage): number | null {
  if (url.length > MAX_URL_LENGTH) return 414;
  // The query parser stops counting here, and would answer another question than was asked.
  if (url.split('&', MAX_QUERY_PARAMETERS + 1).length > MAX_QUERY_PARAMETERS) return 400;
  // RFC 9112 3.2. Node would say so itself, but bare.
  if (headers.host === undefined && httpVersion !== '1.0') return 400;
  // Nothing is inflated here, so that no small body becomes a large one.
  const encoding = headers['content-encoding'] ?? 'identity';
  return encoding.toLowerCase() === 'identity' ? null : 415;
}
