import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { MAX_QUERY_PARAMETERS, MAX_URL_LENGTH } from '#domain/limits.ts';
import { accountFrozen } from '../database/frozen.ts';
import { newVersionStarts } from '../problem.ts';
import { sendProblem, sendStatus } from './errors.ts';
import { type AccountHosts, hostFault, hostOf, type KnownHosts, PASSED_ON, wasHere } from './hosts.ts';

/** Refuses requests that no call accepts, before authentication, for every route. */
export function addEarlyAnswers(app: FastifyInstance, allowedHosts: KnownHosts, isOutdated: () => boolean): void {
  app.addHook('onRequest', (request, reply, next) => {
    if (isOutdated()) return void sendProblem(reply, newVersionStarts());
    const host = hostFault(request.raw, request.originalUrl, allowedHosts);
    const { anyHost, anyEncoding } = request.routeOptions.config;
    const isForeign = host === 421 && anyHost !== true;
    const status = host === 400 || isForeign ? host : earlyStatus(request.raw, anyEncoding === true);
    if (status === null) next();
    else sendStatus(reply, status);
  });
}

/**
 * Redirects requests from the former hosts of moved accounts to their new home. Opt-out pages are served here, because
 * their mails may be older than the move, and their actions are held. A request passed on from here that returns has
 * met a proxy that does not know of the move yet: it is refused.
 */
export function addMovedAnswers(app: FastifyInstance, { movedFrom }: Pick<AccountHosts, 'movedFrom'>): void {
  app.addHook('onRequest', (request, reply, next) => {
    const home = movedFrom(hostOf(request.raw, request.originalUrl));
    if (home === null) return next();
    if (wasHere(request.headers[PASSED_ON], home.moves)) return void sendProblem(reply, accountFrozen());
    const isPage = request.method === 'GET' || request.method === 'HEAD';
    if (home.isCurrent || !isPage || request.url.startsWith('/u/')) return next();
    void reply.redirect(`${home.url}${request.url}`, 307);
  });
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route answers requests for any host. */
    anyHost?: boolean;
    /** Whether the route accepts bodies of any Content-Encoding, which it gets undecoded. */
    anyEncoding?: boolean;
  }
}

function earlyStatus({ url = '', headers }: IncomingMessage, anyEncoding: boolean): number | null {
  if (url.length > MAX_URL_LENGTH) return 414;
  // The query parser ignores further parameters, and so would answer a different query.
  if (url.split('&', MAX_QUERY_PARAMETERS + 1).length > MAX_QUERY_PARAMETERS) return 400;
  // The server decompresses no body, so no small body becomes a large one.
  return isEncoded(headers) && !anyEncoding ? 415 : null;
}

/** Checks whether a body is compressed or otherwise encoded. */
export const isEncoded = (headers: IncomingMessage['headers']): boolean =>
  (headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity';
