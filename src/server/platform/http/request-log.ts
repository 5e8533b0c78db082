import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Metrics } from '../metrics/metrics.ts';

/**
 * Writes one log line and one metric for each request. A route is named by its template, never by its URL: filters hold
 * names and addresses, and the path of a confirmation page holds its secret.
 */
export function addRequestLog(app: FastifyInstance, metrics: Metrics | undefined): void {
  app.addHook('onResponse', async (request, reply) => {
    logRequest(request, reply);
    const route = request.routeOptions.url ?? 'none';
    const labels = { method: request.method, route, status: reply.statusCode };
    metrics?.requests.observe(labels, reply.elapsedTime / 1000);
  });
}

export function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  const { method, routeOptions, url } = request;
  const ms = Math.round(reply.elapsedTime);
  request.log.info(
    { method, path: apiRoute(routeOptions.url) ?? shortened(url), status: reply.statusCode, ms },
    'request',
  );
}

/** Returns the route of a call; null for `/*`, which serves every file of the web client. */
const apiRoute = (route: string | undefined): string | null => (route === undefined || route === '/*' ? null : route);

/**
 * Shortens a URL to its first path segment, if that is a plain word: `/confirmation/<secret>?x=1` → `/confirmation/…`.
 */
function shortened(url: string): string {
  const [first = '', ...rest] = (url.split(/[?#]/)[0] ?? '').replace(/^\//, '').split('/');
  return `/${/^[a-z_]{0,20}$/.test(first) ? first : '…'}${rest.length > 0 ? '/…' : ''}`;
}
